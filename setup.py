"""Builds the native extension, and lets Python find the kit: neither has a spelling in TOML."""

import os
from multiprocessing.pool import ThreadPool
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent


class BuildWithFinder(build_py):
    """Puts golois/finder.py, and the line that calls it, beside the packages."""

    def run(self):
        """Build the packages, then write the two files."""
        super().run()
        place, how = self.build_lib, ""
        if self.editable_mode:
            place = self.get_finalized_command("install").install_lib
            how = f"{ascii(str(ROOT))}, editable=True"
        line = f"import golois_kit_finder; golois_kit_finder.install({how})\n"
        Path(place).mkdir(parents=True, exist_ok=True)
        Path(place, "golois_kit.pth").write_text(line)
        Path(place, "golois_kit_finder.py").write_bytes((ROOT / "golois/finder.py").read_bytes())


class BuildInParallel(build_ext):
    """Compiles as many files at a time as there are processors, at most eight."""

    def build_extension(self, ext):
        """Build one extension; setuptools would compile its files one by one."""
        compile_all = self.compiler.compile

        def compile_in_parallel(sources, **options):
            with ThreadPool(min(os.cpu_count() or 1, 8)) as pool:
                return sum(pool.map(lambda one: compile_all([one], **options), sources, 1), [])

        self.compiler.compile = compile_in_parallel
        super().build_extension(ext)


INSIDE = find_packages(include=["models*", "tournament*", "papers*"])
KIT = [f"golois_kit.{name}" for name in INSIDE]

setup(
    cffi_modules=["golois/build_ffi.py:ffibuilder"],
    cmdclass={"build_ext": BuildInParallel, "build_py": BuildWithFinder},
    packages=[*find_packages(include=["golois*"]), *KIT, "golois_kit.data"],
)
