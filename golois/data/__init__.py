"""Batches of training positions out of packed files."""
