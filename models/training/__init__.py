"""What train.py is made of: steps, checkpoints, the run's folder, its command line.

Nothing here imports Keras but `quiet`; models come in as arguments.
"""
