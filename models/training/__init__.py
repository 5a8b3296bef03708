"""What train.py is made of: losses, steps, checkpoints, the run's folder, its command line.

Only `auxiliary`, `card`, `distillation`, `losses` and `unpacking` import Keras at import; elsewhere
models are arguments, and functions import Keras when they need it.
"""
