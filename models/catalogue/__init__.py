"""The networks to train: a registry of families, their sizes and cost, the largest that fits."""
