"""The systems of five papers, to train, play and compare (papers/README.md)."""
