"""The search for a move, and games that a network plays against itself."""
