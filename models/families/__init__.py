"""The networks: one file a family, each with a builder and its `ModelSpec`."""
