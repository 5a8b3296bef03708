# make demo · make test · make docs · make bench: each makes .venv first when it is missing. make demo-full: a longer demo.
# With another interpreter: make PYTHON=python3.12 test
# make lint · make test · make colab · make test-native: what CI runs. make test-all: the slow tests too. make kaggle: as make colab.

PYTHON ?= python3
PY := .venv/bin/python
NOT_OF_THE_CORE := golois/csrc/tests/% golois/csrc/fuzz/%
NATIVE := $(filter-out $(NOT_OF_THE_CORE),$(wildcard golois/csrc/*/*.?pp golois/csrc/*/*.h)) golois/build_ffi.py golois/finder.py setup.py pyproject.toml

# For the tests of Keras 2 files, of ONNX files, of the ratings, of the pages, of the server, of installations, of the notebook and of SGF; for tests in parallel,
# and for make lint. They are not in requirements.txt, where tf_keras would make pip change Colab's TensorFlow. For Python 3.14, tf_keras
# has no TensorFlow.
TEST_ONLY := 'tf_keras; python_version < "3.14"' onnx choix selenium axe-core-python fastapi uvicorn 'setuptools>=77' pytest-xdist ruff mypy nbclient ipykernel sgfmill

# One process of tests for each core; a file's tests stay together, since they share what is costly to make. Files are taken in the
# order of their folders, in which the long ones come first. Python keeps what it compiles, for the many processes of the tests.
PYTEST := PYTHONDONTWRITEBYTECODE= $(PY) -m pytest -n auto --dist loadfile --no-loadscope-reorder

.PHONY: demo demo-full docs lint test test-all test-native colab kaggle fuzz fuzz-intake fuzz-native bench check clean

# The two trainings at the same time, one thread each; then submissions, two at a time, under the names of the networks' folders.
demo: export TF_NUM_INTRAOP_THREADS = 1
demo: .venv
	rm -rf demo
	mkdir demo
	$(PY) train.py --model mobilenet --set blocks=4 --set filters=48 --set trunk=24 --epochs 2 --steps-per-epoch 160 --out demo/My_MobileNet \
	  >demo/My_MobileNet.txt & \
	$(PY) train.py --model resnet --epochs 1 --steps-per-epoch 160 --out demo/My_ResNet; resnet=$$?; wait $$! && exit $$resnet
	tail -n 2 demo/My_MobileNet.txt
	ls demo/*/best.h5 data/networks/*/best.h5 | xargs -n 1 -P 2 sh -c \
	  '$(PY) submit.py $$0 --name $$(basename $$(dirname $$0)) --league demo/league'
	$(PY) -m tournament run --league demo/league --seconds 0.005 --max-plies 250 --resign-plies 6 --resign-value 0.1

demo-full: .venv
	rm -rf demo
	$(PY) train.py --model resnet --minutes 2 --out demo/resnet
	$(PY) train.py --model mobilenet --set blocks=4 --set filters=48 --set trunk=24 --minutes 2 --out demo/mobilenet
	$(PY) submit.py demo/resnet/best.h5 --name My_ResNet --league demo/league
	$(PY) submit.py demo/mobilenet/best.h5 --name My_MobileNet --league demo/league
	for network in data/networks/*/best.h5; do \
	  $(PY) submit.py $$network --name $$(basename $$(dirname $$network)) --league demo/league || exit; done
	$(PY) -m tournament run --league demo/league --seconds 0.03 --rounds 1

lint: .venv
	$(PY) -m ruff check .
	$(PY) -m mypy

test: .venv
	$(PYTEST) -m "not slow"

test-all: .venv
	$(PYTEST)

# The kit in a fresh environment with the packages of Colab or Kaggle, which pip must leave as they are (docs/maintainer/testing.md).
colab kaggle: .venv
	$(PY) -m tests.hosted.try_out $@

# What follows from the code: the generated parts of docs/, and the pictures of the networks.
docs: .venv
	$(PY) -m docs.write
	$(PY) -m docs.pictures.draw

BENCHMARKS := $(filter-out report,$(basename $(notdir $(wildcard benchmarks/*.py))))

bench: .venv
	for benchmark in $(BENCHMARKS); do $(PY) -m benchmarks.$$benchmark || exit 1; done

.venv: .venv/installed

.venv/installed: requirements.txt constraints.txt $(NATIVE) | check
	@echo 'installing TensorFlow and the rest into .venv, a minute or two'
	@test -x $(PY) || $(PYTHON) -m venv .venv
	@$(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt -r requirements.txt $(TEST_ONLY)
	@touch $@

# What an installation needs, said before pip fails for want of it; an environment keeps the Python that it was made with.
INSTALLED_BY = $(if $(wildcard $(PY)),$(PY),$(PYTHON))

check:
	@command -v $(INSTALLED_BY) >/dev/null || { echo 'make: no Python called $(PYTHON): apt install python3' >&2; exit 2; }
	@test -x $(PY) || $(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' \
	  || { echo 'make: expected Python 3.11, 3.12, 3.13 or 3.14 as $(PYTHON): try make PYTHON=python3.12' >&2; exit 2; }
	@test -x $(PY) || $(PYTHON) -c 'import ensurepip' 2>/dev/null \
	  || { echo 'make: $(PYTHON) cannot make environments: apt install python3-venv' >&2; exit 2; }
	@$(INSTALLED_BY) -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' \
	  || { echo 'make: the headers of $(INSTALLED_BY) are missing: apt install python3-dev' >&2; exit 2; }
	@command -v $(firstword $(CXX)) >/dev/null \
	  || { echo 'make: no C++ compiler $(CXX): apt install g++ (macOS: xcode-select --install)' >&2; exit 2; }

# The native tests and the replay of the fuzzers' corpus, with AddressSanitizer and UBSan (docs/maintainer/testing.md).
SANITIZE := -std=c++17 -O1 -g -Wall -Wextra -pthread -Igolois/csrc -fno-sanitize-recover=all \
  -fsanitize=address,undefined,float-cast-overflow
CORE := $(filter-out golois/csrc/abi/% $(NOT_OF_THE_CORE),$(wildcard golois/csrc/*/*.cpp))
TESTS := $(wildcard golois/csrc/tests/*.cpp)
FUZZERS := $(filter-out packed_bytes replay,$(basename $(notdir $(wildcard golois/csrc/fuzz/*.cpp))))
objects_of = $(patsubst golois/csrc/%.cpp,build/native/%.o,$(1))
fuzz_objects_of = $(patsubst golois/csrc/%.cpp,build/fuzz/%.o,$(1))
DAMAGE := golois/csrc/fuzz/packed_bytes.cpp

test-native: build/native/run_tests $(FUZZERS:%=build/native/replay_%)
	build/native/run_tests
	set -e; for target in $(FUZZERS); do build/native/replay_$$target tests/corpus/$$target; done

build/native/run_tests: $(call objects_of,$(CORE) $(TESTS) $(DAMAGE))
	$(CXX) $(SANITIZE) $^ -o $@

build/native/replay_%: build/native/fuzz/%.o $(call objects_of,$(CORE) $(DAMAGE) golois/csrc/fuzz/replay.cpp)
	$(CXX) $(SANITIZE) $^ -o $@

build/native/%.o: golois/csrc/%.cpp
	@mkdir -p $(@D)
	$(CXX) $(SANITIZE) -MMD -MP -c $< -o $@

fuzz: fuzz-intake fuzz-native

# Damaged containers and descriptions for the intake; what breaks it is left in build/corpus.
FUZZ_ROUNDS ?= 10000
FUZZ_SEED ?= 1

fuzz-intake: .venv
	$(PY) -m tests.integration.intake.bulk_fuzz --rounds $(FUZZ_ROUNDS) --seed $(FUZZ_SEED) --keep build/corpus

# Each fuzzer for FUZZ_SECONDS; what is new goes into build/corpus. Needs clang with libFuzzer (libclang-rt-dev).
FUZZ_SECONDS ?= 60
FUZZ_CXX ?= clang++

fuzz-native: $(FUZZERS:%=build/fuzz/fuzz_%)
	set -e; for target in $(FUZZERS); do mkdir -p build/corpus/$$target; \
	  build/fuzz/fuzz_$$target -max_total_time=$(FUZZ_SECONDS) -timeout=10 -max_len=8192 -print_final_stats=1 \
	    -artifact_prefix=build/corpus/$$target- build/corpus/$$target tests/corpus/$$target; done

build/fuzz/fuzz_%: build/fuzz/fuzz/%.o $(call fuzz_objects_of,$(CORE) $(DAMAGE))
	$(FUZZ_CXX) $(SANITIZE) -fsanitize=fuzzer $^ -o $@

build/fuzz/%.o: golois/csrc/%.cpp
	@mkdir -p $(@D)
	$(FUZZ_CXX) $(SANITIZE) -fsanitize=fuzzer-no-link -MMD -MP -c $< -o $@

# Kept, although pattern rules make them. Not all targets, or make would take an installation that failed for a finished one.
COMPILED := $(wildcard golois/csrc/*/*.cpp)
.SECONDARY: $(call objects_of,$(COMPILED)) $(call fuzz_objects_of,$(COMPILED))
-include $(wildcard build/native/*/*.d build/fuzz/*/*.d)

clean:
	rm -rf .venv build *.egg-info golois/_native.* demo
