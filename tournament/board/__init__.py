"""A page on this machine, to play against networks and to see what they see (docs/board.md).

Each request brings its game; the server keeps nothing. A closed connection ends its work.
"""
