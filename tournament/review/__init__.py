"""What a network thinks of a game, for lessons: values, mistakes, better moves (docs/gtp.md)."""
