"""What train.py is made of: steps, checkpoints, the run's folder, its command line.

Only `unpacking` and `distillation` import Keras with themselves; elsewhere models come in as
arguments, and Keras is imported by what needs it.
"""
