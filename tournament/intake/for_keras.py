"""What Keras may be given of a file that may be someone else's: names that it knows, and numbers.

Keras builds what a description names, and looks its classes and functions up in modules. It has run
code from files again and again (docs/maintainer/intake.md). So a network is opened from what this
writes, and never from the file. A process of its own, since `models` imports nothing of
`tournament`:

    python -c BOOTSTRAP KIT FILE FOLDER        names of the caller's own classes on stdin, as JSON
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from golois.kit.command import in_one_sentence
from tournament.errors import TournamentError
from tournament.intake import child, container
from tournament.intake.faults import Refused, refusal
from tournament.intake.keras.description import load_json, unpack_arrays
from tournament.intake.keras.functions import KERAS_OPERATIONS
from tournament.intake.keras.layers import LAYERS
from tournament.intake.sandbox import Limits
from tournament.intake.take import too_large

LIMITS = Limits(cpu_seconds=120, memory_bytes=8 << 30)  # unlike the gates, for any network
MAX_BYTES = 1 << 30
MAX_REPLY = MAX_BYTES + (64 << 20)
WALL_SECONDS = 300.0
DESCRIPTION, WEIGHTS = "description.json", "weights.npz"
_OF_KERAS = ("keras", "tf_keras")
# Layers, operations, masks, options and values that the intake does not read; networks of one's own
# may have them.
_FURTHER = """
    Functional InputLayer Model Sequential AdditiveAttention Attention AveragePooling1D
    AveragePooling3D Bidirectional Conv1D Conv1DTranspose Conv3D Conv3DTranspose ConvLSTM1D
    ConvLSTM2D ConvLSTM3D Cropping1D Cropping3D DepthwiseConv1D EinsumDense Embedding GRU
    GRUCell GlobalAveragePooling3D GlobalMaxPooling3D GroupedQueryAttention LSTM LSTMCell
    Masking MaxPooling1D MaxPooling3D RMSNormalization RNN RepeatVector SeparableConv1D
    SimpleRNN SimpleRNNCell SpatialDropout3D SpectralNormalization StackedRNNCells
    ThresholdedReLU TimeDistributed UnitNormalization UpSampling1D UpSampling3D ZeroPadding1D
    ZeroPadding3D

    Absolute Amin AveragePool Cast Clip Conv ConvertToTensor Copy Cos DepthToSpace
    DepthwiseConv Einsum Erf ExpandDims Expm1 Flip Log Log1p LogSoftmax Logsumexp Matmul
    MaxPool Min Moments Moveaxis Norm Normalize Power Prod Reciprocal Repeat Resize Roll Rot90
    Rsqrt Sin SpaceToDepth Sqrt Square Squeeze Stack Std StopGradient Sum Swapaxes Take Tile
    Unstack Var

    All Any Equal Greater GreaterEqual Less LessEqual LogicalAnd LogicalNot LogicalOr NotEqual
    OnesLike Where ZerosLike

    Constant GlorotNormal GlorotUniform HeNormal HeUniform Identity IdentityInitializer
    LecunNormal LecunUniform Ones Orthogonal OrthogonalInitializer RandomNormal RandomUniform
    TruncatedNormal VarianceScaling Zeros L1 L1L2 L2 OrthogonalRegularizer MaxNorm MinMaxNorm
    NonNeg UnitNorm DTypePolicy DTypePolicyMap FloatDTypePolicy Policy SeedGenerator

    TensorShape __ellipsis__ __keras_tensor__ __numpy__ __slice__ __tensor__ __tuple__
"""
KNOWN = {*LAYERS, *KERAS_OPERATIONS, *_FURTHER.split()}


read = container.read  # within the larger limits of this module


def checked_description(text: str, own: set[str]) -> str:
    """Return a model's description as Keras may read it, without what it was compiled with.

    Args:
        text: the file's `model_config`, JSON.
        own: the names under which the caller has registered classes and functions.

    Raises:
        Refused: it names a class or a function that is neither known here nor the caller's own.
    """
    document = load_json(text)
    pending = [document]
    while pending:
        value = pending.pop()
        if isinstance(value, list):
            pending.extend(value)
        elif isinstance(value, dict):
            if "class_name" in value:
                value["class_name"] = _checked_name(value, own)
                value.pop("compile_config", None)
            pending.extend(value.values())
    return json.dumps(document)


def _checked_name(value: dict, own: set[str]) -> str:
    """Return the name by which Keras finds an object's class, whichever of its ways it takes.

    One way goes by the class's name alone, another by the registered name, then by module and name.
    """
    names = (value.get(key) for key in ("class_name", "registered_name", "module", "config"))
    name, registered, module, config = (None if one is None else str(one) for one in names)
    if name == "function":
        if config not in own:
            raise refusal("may-be-code", named=config)
        return name
    if registered in own:
        return registered
    if name is None or name not in KNOWN | own:
        odd = name
    elif registered not in (None, name):
        odd = registered
    elif module is not None and module.partition(".")[0] not in _OF_KERAS:
        odd = module
    else:
        return name
    raise refusal("may-be-code", named=odd)


def write_for_keras(path: Path, folder: Path, own: set[str]) -> None:
    """Write the description and the weights of an .h5 or .keras into a folder.

    Raises:
        Refused: the file is not as Keras writes it, or it names what may be code.
        IntakeError: the machine cannot read it.
        OSError: the file cannot be read, or the folder not be written.
    """
    if (size := path.stat().st_size) > MAX_BYTES:
        raise too_large(size, MAX_BYTES)
    data = path.read_bytes()
    found = child.run(
        __name__, "read", child.Message({}, data), wall_seconds=WALL_SECONDS,
        max_reply=MAX_REPLY,
    )
    header = found.header
    arrays = unpack_arrays(header["weights"], found.payload)
    description = {
        "config": checked_description(header["config"], own),
        "by_class": header["by_class"] is True,
        "layers": {layer: len(of_layer) for layer, of_layer in arrays.items()},
    }
    (folder / DESCRIPTION).write_text(json.dumps(description), "ascii")
    all_arrays = (array for of_layer in arrays.values() for array in of_layer)
    numbered: dict[str, Any] = {f"{at:06}": array for at, array in enumerate(all_arrays)}
    np.savez(folder / WEIGHTS, **numbered)


def main(path: str, folder: str) -> None:
    """Run as a process; what is wrong is a sentence on stderr, and exit code 2."""
    try:
        write_for_keras(Path(path), Path(folder), set(json.load(sys.stdin)))
        return
    except Refused as refusal:
        fault, *_ = refusal.faults
        sentence = f"{fault.text}: {fault.remedy}"
    except (TournamentError, OSError) as error:
        sentence = in_one_sentence(error)
    print(sentence, file=sys.stderr)
    sys.exit(2)
