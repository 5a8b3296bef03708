"""The cffi builder of `golois._native`: the only place with compiler flags."""

import os
import platform
from pathlib import Path

from cffi import FFI

# Relative to the project root, as setuptools wants its sources.
CSRC = Path("golois/csrc")
ROOT = Path(__file__).resolve().parent.parent
NOT_OF_THE_CORE = ("tests", "fuzz")


def compiler_flags() -> list[str]:
    """Flags for the C++17 core on this machine; GOLOIS_SANITIZE=1 adds ASan and UBSan."""
    # Without contraction a search gives the same visits on every processor.
    flags = ["-std=c++17", "-O3", "-Wall", "-Wextra", "-ffp-contract=off", "-fvisibility=hidden"]
    if platform.machine() in ("x86_64", "AMD64"):
        flags.append("-mpopcnt")  # every x86-64 processor since 2008
    if os.environ.get("GOLOIS_SANITIZE"):
        flags += ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    return flags


def linker_flags() -> list[str]:
    """What links the extension: threads, and the sanitizers under GOLOIS_SANITIZE."""
    sanitize = ["-fsanitize=address,undefined"] if os.environ.get("GOLOIS_SANITIZE") else []
    return ["-pthread", *sanitize]


def core_files(pattern: str) -> list[str]:
    """The files of the core's rooms whose names match."""
    found = (path.relative_to(ROOT) for path in sorted((ROOT / CSRC).glob(f"*/{pattern}")))
    return [str(path) for path in found if path.parent.name not in NOT_OF_THE_CORE]


ffibuilder = FFI()
ffibuilder.cdef((ROOT / CSRC / "abi" / "golois_abi.h").read_text())
ffibuilder.set_source(
    "golois._native",
    '#include "abi/golois.h"',
    sources=core_files("*.cpp"),
    depends=core_files("*.h*"),
    include_dirs=[str(CSRC)],
    source_extension=".cpp",
    extra_compile_args=compiler_flags(),
    extra_link_args=linker_flags(),
    py_limited_api=True,
)
