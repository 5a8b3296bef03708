"""The part of HDF5 that Keras writes, read without the HDF5 library.

    source.py   the bytes: bounds, a budget, checksums
    objects.py  the root, headers, types and attributes
    groups.py   the links of a group
    arrays.py   numbers, whole or in chunks
    file.py     every object of a file, checked

Superblocks 0, 2 and 3; object headers 1 and 2; groups with a symbol table, with messages, or
with a fractal heap; attributes of numbers and text; arrays in one place or in chunks under a
B-tree of version 1, with gzip, shuffle and fletcher32. Everything else is refused in words.
The format: https://support.hdfgroup.org/documentation/hdf5/latest/_f_m_t3.html
"""

from tournament.intake.hdf5.file import Array, Attribute, File, Group
from tournament.intake.hdf5.objects import SIGNATURE
from tournament.intake.hdf5.source import SAVE_AGAIN

__all__ = ["SAVE_AGAIN", "SIGNATURE", "Array", "Attribute", "File", "Group"]
