"""Packed files of games: written, read, made from other files and turned into them."""
