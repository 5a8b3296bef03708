"""What train.py is made of: losses, steps, checkpoints, the run's folder, its command line."""
