"""The arithmetic of networks: kernels with symmetries, and blocks that train on a CPU."""
