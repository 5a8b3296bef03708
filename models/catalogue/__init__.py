"""What there is to train: the registry of families, their sizes and cost, the largest that fits."""
