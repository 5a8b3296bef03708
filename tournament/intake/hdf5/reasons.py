"""Why a file is not read, in words its author can act on."""

from tournament.intake.faults import Refused, refuse

SAVE_AGAIN = "save the model again with Keras itself: model.save('net.h5')"


def damaged(what: str) -> Refused:
    """Return the refusal of a file whose parts contradict each other."""
    return refuse(f"the file is damaged: {what}", SAVE_AGAIN)


def foreign(what: str) -> Refused:
    """Return the refusal of something that HDF5 allows and Keras does not write."""
    return refuse(f"the file has {what}, which Keras does not write", SAVE_AGAIN)
