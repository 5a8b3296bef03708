"""What a network thinks of a game, for lessons: values, mistakes, better moves.

See docs/student/play.md.
"""
