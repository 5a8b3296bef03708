"""What train.py is made of: losses, steps, checkpoints, the run's folder, its command line.

Only `auxiliary`, `card`, `distillation`, `losses` and `unpacking` import Keras with themselves;
elsewhere models come in as arguments, and Keras is imported by what needs it.
"""
