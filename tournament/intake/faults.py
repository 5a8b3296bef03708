"""What can be wrong with a submission, in words that its author can act on.

FAULTS is the table: a gate names a fault and gives its values, as in
`raise refusal("many-layers", number=5_000, most=2_000)`. What was written instead of a layer, a
function or an option decides the remedies at the end.
"""

import string
from collections.abc import Iterable
from dataclasses import dataclass

from tournament.errors import TournamentError

MAX_FAULTS = 20
MAX_TEXT = 400

SAVE_AGAIN = "save the model again with model.save('net.h5')"
_WITH_KERAS = "save the model again with Keras itself: model.save('net.h5')"
_WITHOUT_OPTIMIZER = "save it without its optimizer: model.save('net.h5', include_optimizer=False)"
_PATH_OF_FILE = "give the path of the file that model.save('net.h5') wrote"
_IN_FLOAT32 = (
    "build the network again after keras.config.set_dtype_policy('float32'), copy the weights with "
    "new.set_weights(old.get_weights()), and save it"
)
END_WITH_SOFTMAX = "end the policy head with layers.Activation('softmax', name='policy')"
END_WITH_SIGMOID = "end the value head with layers.Dense(1, activation='sigmoid', name='value')"
LOOK_AT_OUTPUTS = "check the outputs of the model on positions of real games, then save it again"
_BUILD_AGAIN = "build the model with keras.Model(inputs, [policy, value]) and save it again"
_FEWER_LAYERS = "use fewer layers"
FEWER_FILTERS = "use fewer filters or blocks"
_SMALLER = "make the network smaller and save it again with model.save('net.h5')"
_SHORTER = "give the layers shorter names and save the network again with model.save('net.h5')"
_LARGE = "the file has {number:,} bytes: at most {most:,} are allowed"
_COUNTED = "; the network has {parameters:,} parameters, its optimizer {numbers:,} numbers"
_OWN_CLASS = (
    "a class of your own is code, and the intake runs no code: use the layers that "
    "docs/maintainer/intake.md lists"
)


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong, and what to change in the model's code."""

    text: str
    remedy: str


# By its code: the sentence and the remedy, with places for values; {name!r} quotes a value of the
# file. {layer} is a layer's name and class, {instead} what to do in this case.
FAULTS: dict[str, Fault] = {
    # The file as a whole.
    "link": Fault("the file is a symbolic link", "give the path of the file itself"),
    "not-opened": Fault("the file cannot be opened: {error}", _PATH_OF_FILE),
    "no-file": Fault("this is {kind}", _PATH_OF_FILE),
    "large-file": Fault(_LARGE, f"make the network smaller, or {_WITHOUT_OPTIMIZER}"),
    "large-optimizer": Fault(_LARGE + _COUNTED, _WITHOUT_OPTIMIZER),
    "large-network": Fault(
        _LARGE + _COUNTED, "make the network smaller, or judge it with a larger --max-bytes"
    ),
    "stored-budget": Fault(
        "the layers in the file have {number:,} parameters: the budget is {most:,} {kind}",
        FEWER_FILTERS + "; layers that only further outputs need do not count",
    ),
    "other-file": Fault("the file is {kind}", _WITH_KERAS),
    "web-page": Fault("the file is a web page", "download the network itself, not its page"),
    "incomplete": Fault(
        "the file is incomplete: it has {number:,} of its {end:,} bytes",
        "copy or download it again",
    ),
    "weights-only": Fault(
        "the file holds weights only, without the network",
        "save the whole model: model.save('net.h5'), not save_weights",
    ),
    # The container, an HDF5 file or a .keras.
    "damaged-file": Fault("the file is damaged: {what}", _WITH_KERAS),
    "foreign": Fault("the file has {what}, which Keras does not write", _WITH_KERAS),
    "not-held": Fault("the file lists {kind} {name!r}, but does not contain it", _WITH_KERAS),
    "many-objects": Fault(
        "the file has more than {most} objects or {levels} levels", _WITHOUT_OPTIMIZER
    ),
    "unpacked": Fault(
        "{what} has {number:,} bytes when it is unpacked: at most {most:,} are allowed",
        _SMALLER,
    ),
    "early-keras": Fault(
        "an early version of Keras wrote this .keras, with other names of the weights",
        "save the model as .h5 with that version: model.save('net.h5')",
    ),
    "no-numbers": Fault(
        "{path!r} does not hold plain numbers", f"for a network in bfloat16: {_IN_FLOAT32}"
    ),
    "bfloat16": Fault("the numbers of {path!r} are in bfloat16", _IN_FLOAT32),
    "not-finite-weights": Fault(
        "{title} holds NaN or infinity",
        "the training diverged: lower the learning rate and train again",
    ),
    # The child that reads it.
    "too-much": Fault(
        "the file needs more {what} than a submission may use",
        "use fewer or smaller layers, and save the model again with model.save('net.h5')",
    ),
    "late": Fault(
        "the file was not read and evaluated within {seconds:.0f} seconds",
        "use fewer or smaller layers; if this machine was busy, try again later, or tell your "
        "teacher",
    ),
    "reader-fails": Fault("reading the file failed{how}", _SMALLER),
    "long-names": Fault("the names of all layers together are too long", _SHORTER),
    "may-be-code": Fault(
        "the file names {named!r}, which may be code; the intake runs no code",
        "build the network only with Keras's own layers",
    ),
    # The description.
    "long": Fault(
        "the description of the model has {number} characters: at most {most} are allowed",
        _FEWER_LAYERS,
    ),
    "no-json": Fault("the description of the model is not JSON", SAVE_AGAIN),
    "deep": Fault("the description of the model is nested too deeply or too long", SAVE_AGAIN),
    "sequential": Fault("the model is Sequential, so it has a single output", _BUILD_AGAIN),
    "not-functional": Fault(
        "the model is of class {class_name!r}, not a functional model", _BUILD_AGAIN
    ),
    "no-layers": Fault("the model has no list of layers", _BUILD_AGAIN),
    "many-layers": Fault(
        "the model has {number} layers: at most {most} are allowed", _FEWER_LAYERS
    ),
    "same-name": Fault("two layers have the same name", "give each layer its own name"),
    "damaged": Fault("the description of the model is damaged: {part} {value!r}", _BUILD_AGAIN),
    "nested": Fault("more than {most} models are nested in each other", "call the layers directly"),
    "foreign-class": Fault("layer {name!r} is not of a class of Keras: {found!r}", _OWN_CLASS),
    "cycle": Fault("the layers form a cycle", SAVE_AGAIN),
    "no-result": Fault(
        "the model uses a result of layer {name!r} that this layer does not have", SAVE_AGAIN
    ),
    # Layers, functions and their options.
    "unknown": Fault("{layer} is {what} that the intake does not support", "{instead}"),
    "unknown-function": Fault("{layer}: the function {function!r} is not supported", "{instead}"),
    "unknown-option": Fault("{layer}: option {option!r} is not supported", "{instead}"),
    "more-options": Fault("{layer}: {number} more options are not supported", "{instead}"),
    "no-option": Fault("{layer}: option {option!r} is missing", "{instead}"),
    "option": Fault(
        "{layer}: expected {expected} in option {option!r}: got {value!r}", "{instead}"
    ),
    "option-twice": Fault("{layer}: option {option!r} is given twice", "{instead}"),
    "arguments": Fault("{layer}: expected at most {most} arguments", "{instead}"),
    "option-misfit": Fault(
        "{layer}: option {option!r} is {value!r}, but the input is {shape}", "{instead}"
    ),
    "input": Fault("{layer}: expected {expected}: got {shape}", "{instead}"),
    "misfit": Fault("{layer}: {error}", "change the layer or the shape of its input"),
    "call": Fault(
        "{layer} is called with more than its tensors: {more}",
        "call the layer with its inputs only, without training=True, a mask or a constant",
    ),
    "no-tensor": Fault(
        "{layer} must be called on a single tensor", "call the layer on a single tensor"
    ),
    "model-call": Fault(
        "{layer}: the model is called with more than its tensors", "call the model on tensors only"
    ),
    "model-inputs": Fault(
        "{layer}: the model must be called on a tensor, a list of tensors, or a dict from the "
        "names of its inputs to tensors", "call the model on a list of tensors",
    ),
    "number-of-inputs": Fault("a model with {number} inputs is called on {given}", SAVE_AGAIN),
    "many-calls": Fault("{layer}: the layers are called more than {most} times", _FEWER_LAYERS),
    "too-costly": Fault(
        "{layer}: up to here the network has {results:,} numbers in its tensors (at most "
        "{max_results:,} are allowed), {nodes:,} operations ({max_nodes:,}) and {flops:,} "
        "floating-point operations ({max_flops:,})", "make the tensors or the network smaller",
    ),
    "negative-variance": Fault(
        "{layer}: a {name} is negative", "train the network again and save it"
    ),
    "half-normalized": Fault(
        "{layer}: only one of mean and variance is given", "give both or neither"
    ),
    "free-weights": Fault(
        "{layer}: its kernel of {size:,} numbers has only {free:,} free weights; expected at "
        "least one for each {most} numbers", "leave out fields that the window cannot connect",
    ),
    "batch-cut": Fault(
        "{layer}: the slice does not keep the whole batch", "slice axes of a position only"
    ),
    "step": Fault("{layer}: the slice has the step {step}", "use a step of 1 or more"),
    "index": Fault(
        "{layer}: the index {index} is outside an axis of {size}", "use an index of this axis"
    ),
    "split": Fault("{layer}: {size} numbers do not split into {parts!r}",
                   "split the axis into parts that fill it"),
    "more": Fault("and {number} faults of this kind", "as above"),
    # Weights.
    "long-name": Fault("the name of a layer has {number} characters", _SHORTER),
    "weights-misfit": Fault("the weights of the file do not fit together", SAVE_AGAIN),
    "weights": Fault("{layer}: {error}", SAVE_AGAIN),
    "weights-of-model": Fault(
        "the file holds {stored} arrays of the model {name!r}, not {wanted}", SAVE_AGAIN
    ),
    "weights-of-none": Fault(
        "the file holds weights of layer {name!r}, which the model lacks", SAVE_AGAIN
    ),
    "weights-of-no-class": Fault(
        "the file holds weights {name!r}, which no layer of the model has",
        "save the model as .h5: model.save('net.h5')",
    ),
    # Inputs and outputs.
    "inputs": Fault("the network has {number} inputs, not one",
                    "give the network one keras.Input({shape}) and nothing else"),
    "sparse": Fault("the input is sparse or ragged", "build the network on keras.Input({shape})"),
    "planes": Fault("the network reads {planes} planes; the game gives {given}",
                    "build the network on keras.Input({shape}) and train it again"),
    "input-shape": Fault("the input is {found!r}; the game gives {shape}",
                         "build the network on keras.Input({shape}) and train it again"),
    "output-shape": Fault("the output '{name}' has the shape {found}, not {shape}", "{instead}"),
    "outputs": Fault(
        "the network has {number} output for the {name}, which is {shape}; it has {listed}",
        "{instead}",
    ),
    # What the network is and answers.
    "budget": Fault(
        "the network has {parameters:,} {kind}{hidden}: {over:,} over the budget of {most:,}",
        "{instead}",
    ),
    "evaluation": Fault("the network cannot be evaluated: {error}", LOOK_AT_OUTPUTS),
    "not-finite": Fault("the network answers with NaN or infinity{where}", LOOK_AT_OUTPUTS),
    "policy": Fault(
        "the policy is not a distribution ({size} numbers of 0 or more that sum to 1){where}",
        END_WITH_SOFTMAX,
    ),
    "value": Fault(
        "the value is not a probability from 0 to 1: it goes from {low:.3g} to {high:.3g}{where}",
        END_WITH_SIGMOID,
    ),
    "float32": Fault(
        "in float32 the network differs by {difference:.1e} from its exact evaluation",
        "weights or activations are far too large: train again with a lower learning rate",
    ),
    "rounding": Fault(
        "the intake rounds each number to {bits} significant bits, and this changes the outputs "
        "of the network by {difference:.0%} on average: at most {most:.0%} is allowed",
        "do not pack several weights into one parameter; if you pack none, train again with weight "
        "decay or a lower learning rate",
    ),
    "slow": Fault(
        "one position takes {ms:.1f} ms of processor time: at most {most:g} ms are allowed",
        "use fewer or smaller layers, and fewer operations that only move or join tensors",
    ),
    "memory": Fault(
        "evaluating {number} positions takes {megabytes:.0f} MB of memory: at most {most} MB are "
        "allowed",
        "use fewer or smaller layers, and fewer operations that only move or join tensors",
    ),
    "game": Fault("the network fails in a game (seed {seed}): {reason}", "{instead}"),
}


class IntakeError(TournamentError, RuntimeError):
    """The intake itself could not work on this machine; says nothing about the submission."""


class Refused(TournamentError, ValueError):
    """A gate refuses the submission; `faults` says why. It never leaves the package."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(fault.text for fault in self.faults))


class _Words(string.Formatter):
    def convert_field(self, value: object, conversion: str | None) -> object:
        return quoted(value) if conversion == "r" else super().convert_field(value, conversion)


def fault(code: str, **values: object) -> Fault:
    """Return a fault of the table."""
    template = FAULTS[code]
    text, remedy = (_Words().vformat(part, (), values) for part in (template.text, template.remedy))
    return Fault(text, remedy)


def refusal(code: str, **values: object) -> Refused:
    """Return the refusal for a single fault of the table, to be raised."""
    return Refused([fault(code, **values)])


def printable(text: str, limit: int = MAX_TEXT) -> str:
    """Return untrusted text as one line of printable ASCII, at most `limit` characters."""
    kept = text[: limit + 1]
    escaped = "".join(
        c if " " <= c <= "~" else c.encode("unicode_escape", "backslashreplace").decode("ascii")
        for c in kept
    )
    return escaped if len(escaped) <= limit else escaped[: limit - 1] + "~"


def quoted(value: object, limit: int = 60) -> str:
    """Return a value from a file, quoted and cut short, for an error message."""
    return printable(repr(value), limit)


# What to write instead.

_TF = (
    "replace the tf.* call or the arithmetic on tensors by a layer, for example `x + y` by "
    "`layers.Add()([x, y])`"
)
_TENSORS = "replace the operation on the tensor by a layer of keras.layers"
# By names of functions in lower case, without "_", "reduce_" and what stands before a point.
_FUNCTIONS = {
    "add": "replace `x + y` by `layers.Add()([x, y])`",
    "subtract": "replace `x - y` by `layers.Subtract()([x, y])`",
    "multiply": "replace `x * y` by `layers.Multiply()([x, y])`; for `x * 0.5` put the factor into "
    "the weights of a layer before or after it",
    "divide": "replace `x / y` by a layer; put a constant factor into the weights",
    "maximum": "replace `ops.maximum(x, y)` by `layers.Maximum()([x, y])`",
    "minimum": "replace `ops.minimum(x, y)` by `layers.Minimum()([x, y])`",
    "concatenate": "replace `ops.concatenate([x, y])` by `layers.Concatenate()([x, y])`",
    "reshape": "replace `ops.reshape(x, shape)` by `layers.Reshape(shape)(x)`",
    "transpose": "replace `ops.transpose(x, axes)` by `layers.Permute(dims)(x)`",
    "mean": "replace `ops.mean(x, axis=(1, 2))` by `layers.GlobalAveragePooling2D()(x)`",
    "max": "replace `ops.max(x, axis=(1, 2))` by `layers.GlobalMaxPooling2D()(x)`",
    "sum": "use the mean of the same axes, and multiply the weights of the next layer by their "
    "size",
    "min": "use the maximum of `-x`, with its sign changed",
    "abs absolute": "use `layers.Maximum()([x, -x])`",
    "clip clipbyvalue": "use layers.ReLU(max_value=1.0), or another activation with bounds",
    "addn": "use `layers.Add()([x, y, z])`",
    "biasadd": "use layers.Dense or layers.Conv2D, which have a bias",
    "matmul einsum": "use layers.Dense for a matrix of weights, `layers.Dot(axes=2)([x, y])` for "
    "two tensors, or layers.MultiHeadAttention",
    "crelu": "use `layers.Concatenate()([layers.ReLU()(x), layers.ReLU()(-x)])`",
    "dropout": "tf.nn.dropout also works outside of training: use layers.Dropout",
    "shape": "write -1 for the batch, as in tf.reshape(x, [-1, 361, 6])",
    "spacetobatchnd": "give layers.Conv2D or layers.DepthwiseConv2D the dilation",
    "where": "use layers.ReLU, layers.LeakyReLU or layers.Maximum",
    "fusedbatchnorm": "use layers.BatchNormalization",
    "resize": "use layers.UpSampling2D",
    "tile repeat": "use layers.UpSampling2D to repeat points, or layers.Concatenate()([x, x])",
    "stack unstack expanddims squeeze": "use layers.Reshape, or layers.Concatenate()([x, y]) to "
    "join tensors",
    "l2normalize normalize norm moments std var variance batchnormalization": "use "
    "layers.LayerNormalization or layers.BatchNormalization",
    "pow power square": "for a square use `layers.Multiply()([x, x])`; no other power is supported",
    "maxpool maxpool2d avgpool avgpool2d averagepool": "use layers.MaxPooling2D or "
    "layers.AveragePooling2D",
    "conv conv2d convolution depthwiseconv depthwiseconv2d": "use layers.Conv2D or "
    "layers.DepthwiseConv2D, with the numbers as its weights",
    "gather take flip reverse roll": "take slices, and join them with "
    "layers.Concatenate()([x, y])",
    "identity stopgradient cast copy converttotensor ensureshape checknumerics": "leave the call "
    "out: it returns its input",
}
_BY_FUNCTION = {name: said for names, said in _FUNCTIONS.items() for name in names.split()}
_ACTIVATIONS = {
    "Relu": "relu", "Relu6": "relu6", "Silu": "silu", "Swish": "silu", "Sigmoid": "sigmoid",
    "Tanh": "tanh", "Gelu": "gelu", "Elu": "elu", "Selu": "selu", "Softmax": "softmax",
    "Softplus": "softplus", "HardSilu": "hard_silu", "HardSigmoid": "hard_sigmoid",
    "LeakyRelu": "leaky_relu", "Mish": "mish",
}
_OPTIONS = {
    "activation": "give the activation's name, as in activation='relu'; a function of your own is "
    "code, and the intake runs no code",
    "data_format": "build the network on keras.Input((19, 19, 31)), with the planes last",
}
_WITHOUT = (
    "{}(...) adds a layer for training only: build the network without this call, copy the "
    "weights with new.set_weights(old.get_weights()), and save it"
)
_CLASSES = {
    "Lambda": "a Lambda layer is code, and the intake runs no code: use layers such as Add, "
    "Multiply, Activation, Reshape",
    "TensorFlowOpLayer": "TensorFlow 2.0 to 2.3 saves arithmetic on tensors in a form that is not "
    "supported: build the network again with a later version, or with layers such as Add, "
    "copy the weights with new.set_weights(old.get_weights()), and save it",
    "TFSMLayer": "a SavedModel is code: rebuild the network with layers and save it as .h5",
    "TorchModuleWrapper": "a Torch module is code: rebuild the network with layers",
    "SyncBatchNormalization": "use layers.BatchNormalization, which has the same weights: build "
    "the network with it, copy them with new.set_weights(old.get_weights()), and save it",
    "AddLoss": _WITHOUT.format("model.add_loss"),
    "AddMetric": _WITHOUT.format("model.add_metric"),
}
_OTHER_CLASS = (
    "use the layers that docs/maintainer/intake.md lists; other layers of Keras are not "
    "supported, nor are classes of your own, since the intake runs no code"
)


def instead_of_class(name: str) -> str:
    """Return what to write instead of a layer class that is not in the table."""
    return _CLASSES.get(name, _OTHER_CLASS)


def instead_of_operation(class_name: str) -> str:
    """Return what to write instead of an operation on tensors of Keras 3, such as `x + y`."""
    if class_name in _ACTIVATIONS:
        name = _ACTIVATIONS[class_name]
        return f'replace the call on the tensor by `layers.Activation("{name}")(x)`'
    return _BY_FUNCTION.get(_last_name(class_name), _TENSORS)


def instead_of_function(name: object) -> str:
    """Return what to write instead of a function of tf."""
    return _BY_FUNCTION.get(_last_name(name), _TF) if isinstance(name, str) else _TF


def _last_name(name: str) -> str:
    return name.rpartition(".")[2].lower().removeprefix("reduce_").replace("_", "")


def instead_of_option(class_name: str, option: str) -> str:
    """Return what to do about an option of a layer."""
    otherwise = f"build layers.{printable(class_name, 60)} with another {quoted(option)}"
    return _OPTIONS.get(option, f"{otherwise}, or without it")
