"""Builds the native extension; everything else is in pyproject.toml (cffi_modules has no spelling there)."""

from setuptools import setup

setup(cffi_modules=["golois/build_ffi.py:ffibuilder"])
