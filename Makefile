# make demo · make test · make bench: each makes .venv first when it is missing.
# With another interpreter: make PYTHON=python3.12 test

PYTHON ?= python3
PY := .venv/bin/python
NATIVE := $(wildcard golois/csrc/*.?pp golois/csrc/*.h) golois/build_ffi.py setup.py pyproject.toml

.PHONY: demo test bench check clean

demo: .venv
	rm -rf demo
	$(PY) train.py --model resnet --minutes 2 --out demo/resnet
	$(PY) train.py --model mobilenet --set blocks=4 --set filters=48 --set trunk=24 --minutes 2 --out demo/mobilenet
	$(PY) train.py --model resnet --set filters=16 --minutes 0.4 --out demo/resnet_narrow
	$(PY) train.py --model resnet --set blocks=1 --minutes 0.4 --out demo/resnet_shallow
	$(PY) submit.py demo/resnet/best.h5 --name ResNet --league demo/league
	$(PY) submit.py demo/mobilenet/best.h5 --name MobileNet --league demo/league
	$(PY) submit.py demo/resnet_narrow/best.h5 --name Narrow_ResNet --league demo/league
	$(PY) submit.py demo/resnet_shallow/best.h5 --name Shallow_ResNet --league demo/league
	$(PY) -m tournament run --league demo/league --seconds 0.03 --rounds 1

test: .venv
	$(PY) -m pytest -m "not slow"

bench: .venv
	for benchmark in benchmarks/*.py; do $(PY) $$benchmark || exit 1; done

.venv: .venv/installed

.venv/installed: requirements.txt constraints.txt $(NATIVE) | check
	test -x $(PY) || $(PYTHON) -m venv .venv
	$(PY) -m pip install --disable-pip-version-check -c constraints.txt -r requirements.txt
	touch $@

# What an installation needs, said before pip says it in a hundred lines.
check:
	@command -v $(PYTHON) >/dev/null || { echo 'make: no Python called $(PYTHON): apt install python3' >&2; exit 2; }
	@test -x $(PY) || $(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
	  || { echo 'make: expected Python 3.11, 3.12 or 3.13 as $(PYTHON): try make PYTHON=python3.12' >&2; exit 2; }
	@test -x $(PY) || $(PYTHON) -c 'import ensurepip' 2>/dev/null \
	  || { echo 'make: $(PYTHON) cannot make environments: apt install python3-venv' >&2; exit 2; }
	@$(PYTHON) -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' \
	  || { echo 'make: the headers of $(PYTHON) are missing: apt install python3-dev' >&2; exit 2; }
	@command -v $(firstword $(CXX)) >/dev/null \
	  || { echo 'make: no C++ compiler $(CXX): apt install g++ (macOS: xcode-select --install)' >&2; exit 2; }

clean:
	rm -rf .venv build *.egg-info golois/_native.* demo
