"""What a network sees of a position, and what it answers."""
