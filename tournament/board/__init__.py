"""A page on this machine, to play against networks and to see what they see (docs/board.md).

The page keeps the game. The server keeps nothing between two requests: each one brings its game, so
tabs don't know of each other, and whoever stops waiting ends the work by closing the connection.
"""
