"""What selfplay.py is made of: games of a network against itself, and what it learns from them."""
