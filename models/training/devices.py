"""Several GPUs that share every batch, where Keras can do that."""

from golois.kit.command import UsageError


def share_batches(num_devices: int) -> None:
    """Let all models built from now on train on so many devices, each on its part of a batch.

    Keras's `DataParallel` does it, with the jax backend only; one device is left as it is.

    Raises:
        UsageError: another backend, or fewer devices.
    """
    if num_devices == 1:
        return
    import keras

    if keras.backend.backend() != "jax":
        raise UsageError(
            f"--devices {num_devices} needs KERAS_BACKEND=jax, not {keras.backend.backend()}: "
            "set it, or leave out --devices"
        )
    devices = keras.distribution.list_devices()
    if len(devices) < num_devices:
        raise UsageError(
            f"--devices {num_devices} is more than there are: {', '.join(devices)}"
        )
    parallel = keras.distribution.DataParallel(
        devices=devices[:num_devices], auto_shard_dataset=False
    )
    keras.distribution.set_distribution(parallel)
