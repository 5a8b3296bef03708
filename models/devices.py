"""What Keras computes on."""

import keras


def devices() -> list[str]:
    """Name the devices of Keras's backend, such as "cpu:0" and "gpu:0"."""
    if keras.backend.backend() != "torch":
        return keras.distribution.list_devices()
    import torch  # Keras lists no devices of it

    return ["cpu:0", *(f"gpu:{number}" for number in range(torch.cuda.device_count()))]


def has_gpu() -> bool:
    """Return whether one of them is a GPU."""
    return any(name.lower().startswith("gpu") for name in devices())
