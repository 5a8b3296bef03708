"""FishNet: a network of 714 weights that learns Go by temporal differences, without a search."""
