"""Boards of Go, their points, chains and symmetries."""
