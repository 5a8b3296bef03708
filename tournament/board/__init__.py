"""A page on this machine, to play against networks and to see what they see.

See docs/student/play.md.

Each request brings its game; the server keeps nothing. A closed connection ends its work.
"""
