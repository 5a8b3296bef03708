"""Builds the native extension: cffi_modules has no spelling in pyproject.toml."""

from setuptools import setup

setup(cffi_modules=["golois/build_ffi.py:ffibuilder"])
