"""Evaluating positions with a network: runtimes, batches, and which do it best."""
