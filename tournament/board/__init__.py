"""A page on this machine, to play against networks and to see what they see (docs/board.md).

The server keeps nothing between two requests: each request brings its game. A closed connection
ends the work for it.
"""
