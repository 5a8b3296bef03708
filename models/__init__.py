"""Keras builders of the kit: a model is a function, one file a family."""
