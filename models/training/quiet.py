"""Import Keras with oneDNN, and without TensorFlow's start-up messages."""

import logging
import os


def import_keras_quietly() -> None:
    """Import Keras with file descriptor 2 closed to native code; later errors are heard."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    # TensorFlow uses it by itself only with AVX512_VNNI or later instructions.
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")
    logging.getLogger("absl").setLevel(logging.ERROR)
    stderr = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        import keras  # noqa: F401
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        os.close(nowhere)
