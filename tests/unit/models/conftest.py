"""Let every test of this folder import Keras without TensorFlow's messages."""

from models.training.quiet import import_keras_quietly

import_keras_quietly()
