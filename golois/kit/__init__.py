"""What all commands and servers of the kit share; it imports nothing of the kit itself.

It is a part of golois, since a top-level package of a short name would be hidden by a student's own
file of that name.
"""
