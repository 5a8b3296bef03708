"""What Keras 3 refuses of a script for Keras 2: found in its source, or told after an error."""

import ast
import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from shlex import quote

KERAS_2 = "tf_keras"
USE_KERAS_2 = "import golois.legacy; golois.legacy.use_keras_2()"

OPTIMIZERS = ("Adadelta", "Adagrad", "Adam", "Adamax", "Ftrl", "Nadam", "RMSprop", "SGD")
"""Keras 2 has each of these twice; the one of keras.optimizers.legacy takes lr= and decay=."""

ACTIVATIONS = (
    "elu gelu leaky_relu relu relu6 selu sigmoid silu softmax softplus softsign swish tanh"
)
ACTIVATION_LAYERS = {"leakyrelu": "layers.LeakyReLU()", "prelu": "layers.PReLU()"}

SAME_IN_OPS = (
    "abs all any arange argmax argmin cast clip concatenate cos dot einsum equal exp expand_dims "
    "floor greater less log logical_and logical_not logical_or matmul max maximum mean min minimum "
    "not_equal one_hot ones ones_like pad prod relu repeat reshape round rsqrt shape sigmoid sign "
    "sin softmax softplus split sqrt square squeeze stack std stop_gradient sum take tanh "
    "tensordot tile transpose unstack var where zeros zeros_like"
)


def _in_ops(names: str, prefix: str = "") -> dict[str, str]:
    return {prefix + name: f"keras.ops.{name}" for name in names.split()}


INSTEAD_OF_TENSORFLOW = {
    **_in_ops(SAME_IN_OPS),
    **_in_ops("all any logsumexp max mean min prod std sum", prefix="reduce_"),
    **{name: f'layers.Activation("{name}")' for name in ACTIVATIONS.split()},
    "add": "layers.Add()",
    "avg_pool": "layers.AveragePooling2D(…)",
    "batch_normalization": "layers.BatchNormalization()",
    "concat": "layers.Concatenate(…)",
    "conv2d": "layers.Conv2D(…)",
    "depthwise_conv2d": "layers.DepthwiseConv2D(…)",
    "divide": "keras.ops.divide",
    "dropout": "layers.Dropout(…)",
    "gather": "keras.ops.take",
    "l2_normalize": "keras.ops.normalize",
    "max_pool": "layers.MaxPooling2D(…)",
    "maximum": "layers.Maximum()",
    "minimum": "layers.Minimum()",
    "multiply": "layers.Multiply()",
    "pow": "keras.ops.power",
    "reshape": "layers.Reshape(…), with the shape without the batch",
    "resize": "layers.Resizing(…)",
    "subtract": "layers.Subtract()",
}
"""By the last part of the name of a function of tf, tf.nn, tf.math or tf.image."""

INSTEAD_OF_BACKEND = {
    **_in_ops(SAME_IN_OPS),
    "batch_flatten": "layers.Flatten()",
    "constant": "keras.ops.convert_to_tensor",
    "eval": "float(…), or keras.ops.convert_to_numpy(…) for an array",
    "flatten": "layers.Flatten()",
    "get_value": "float(…), or keras.ops.convert_to_numpy(…) for an array",
    "int_shape": "the tensor's .shape",
    "permute_dimensions": "keras.ops.transpose",
    "pow": "keras.ops.power",
    "set_value": "model.optimizer.learning_rate = … for the learning rate, else variable.assign(…)",
    "variable": "keras.Variable",
}

INSTEAD_OF_NAME = (
    (r"keras\.optimizers\.legacy\b.*", "the optimizer of keras.optimizers"),
    (
        r"keras\.layers\.(advanced_activations|convolutional|core|merge|normalization|pooling)\b.*",
        "keras.layers",
    ),
    (r"keras\.utils\.np_utils\b.*", "keras.utils"),
    (r".*\.optimizer\.lr", "optimizer.learning_rate"),
    (r".*\.(fit|evaluate|predict)_generator", "fit, evaluate or predict"),
)

REFUSALS = (
    r"Argument\(s\) not recognized: ",
    r"Unrecognized keyword arguments passed to ",
    r"Could not interpret activation function identifier",
    r"A KerasTensor cannot be used as input to a TensorFlow function",
    r"Argument `learning_rate` should be float",
    r"has no attribute '((fit|evaluate|predict)_generator|lr)'",
    r"`keras\.optimizers\.legacy` is not supported",
    r"(No module named|cannot import name) .*\bkeras\b",
    r"module '.*\bkeras\b.*' has no attribute",
    r"must end in `\.weights\.h5`",
    r"Invalid filepath extension for saving",
)
"""What Keras 3 says of code for Keras 2."""


def hint(error: BaseException, script: str) -> str | None:
    """Return what to do about an error of Keras that ended a script; None for any other error."""
    text = f"{type(error).__name__}: {error}"
    if "TensorBoard is not installed" in text:
        return "keras.callbacks.TensorBoard needs a package: pip install tensorboard"
    if os.environ.get("TF_USE_LEGACY_KERAS") == "1":
        return _hint_with_keras_2(error, text)
    if "Unknown variable: " in text or "is not a KerasSaveable subclass" in text:
        return (
            "to train on from an .h5 file, write load_model(FILE, compile=False) and compile the "
            "model again, or save it as .keras"
        )
    if any(re.search(pattern, text) for pattern in REFUSALS):
        return f"if the script is for Keras 2, run `python -m golois legacy {quote(script)}`"
    return None


def _hint_with_keras_2(error: BaseException, text: str) -> str | None:
    if "['batch_shape'" in text:
        return (
            "Keras 3 saved this file, and Keras 2 can't open it: run the script with `python`, "
            "write load_model(FILE, compile=False), and compile the model again"
        )
    version = getattr(sys.modules.get("keras"), "__version__", "")
    is_mixed = KERAS_2 in sys.modules and version.startswith("3")
    if is_mixed and isinstance(error, AttributeError | TypeError | ValueError):
        return f"keras is Keras 3 here, and tf.keras is Keras 2: begin with `{USE_KERAS_2}`"
    return None


def advice(source: str, name: str) -> Iterator[str]:
    """Say what to write in a source for Keras 3: a line for each construct, with its number."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # which running it reports
        return
    lines = defaultdict(set)
    for line, written, instead in _Reading(tree).findings():
        lines[written, instead].add(line)
    for (written, instead), found in lines.items():
        places = ", ".join(map(str, sorted(found)))
        yield f"for Keras 3, in place of {written} write {instead}: {name}:{places}"


class _Reading:
    """A source, with its names in full whatever it imports them as."""

    def __init__(self, tree: ast.AST):
        self._nodes = list(ast.walk(tree))
        self._names = {"tf": "tensorflow"}
        self._whole_numbers: set[str] = set()
        for node in self._nodes:
            if isinstance(node, ast.Import):
                self._names |= {a.asname: a.name for a in node.names if a.asname}
            elif isinstance(node, ast.ImportFrom):
                self._names |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
            elif isinstance(node, ast.Assign) and _is_whole(node.value):
                self._whole_numbers |= {t.id for t in node.targets if isinstance(t, ast.Name)}

    def findings(self) -> Iterator[tuple[int, str, str]]:
        """A line, what is written there, and what to write instead."""
        inner = {id(node.value) for node in self._nodes if isinstance(node, ast.Attribute)}
        for node in self._nodes:
            if isinstance(node, ast.Import | ast.ImportFrom):
                module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
                for alias in node.names:
                    yield from _of_name(node.lineno, module + alias.name, module + alias.name)
            elif isinstance(node, ast.Attribute) and id(node) not in inner:
                yield from _of_name(node.lineno, ast.unparse(node), self._in_full(node))
                yield from _of_function(node.lineno, ast.unparse(node), self._in_full(node))
            elif isinstance(node, ast.Name) and id(node) not in inner:
                yield from _of_function(node.lineno, node.id, self._in_full(node))
            elif isinstance(node, ast.Call):
                yield from self._of_call(node)

    def _in_full(self, node: ast.AST) -> str:
        first, dot, rest = ast.unparse(node).partition(".")
        return _without_tensorflow(self._names.get(first, first) + dot + rest)

    def _of_call(self, node: ast.Call) -> Iterator[tuple[int, str, str]]:
        called = ast.unparse(node.func).rpartition(".")[2]
        for key in node.keywords:
            yield from _of_keyword(called, key)
        values = [*node.args, *(key.value for key in node.keywords)]
        if called in OPTIMIZERS:
            rates = [key.value for key in node.keywords if key.arg in ("learning_rate", "lr")]
            for value in rates or node.args[:1]:
                if _is_whole(value) or getattr(value, "id", None) in self._whole_numbers:
                    yield value.lineno, f"{called}({ast.unparse(value)})", "a float, such as 1.0"
        if called == "save_weights" and not any(_ends_in(value, ".weights.h5") for value in values):
            yield node.lineno, ".save_weights", "the same with a name that ends in .weights.h5"
        if called == "load_model" and not any(key.arg == "compile" for key in node.keywords):
            instead = "load_model(…, compile=False) and compile again, to train on from .h5"
            yield node.lineno, "load_model(…)", instead
        if called == "Activation" and node.args:
            yield from _of_activation(node.args[0])


def _of_keyword(called: str, key: ast.keyword) -> Iterator[tuple[int, str, str]]:
    line, name, written = key.value.lineno, key.arg or "", f"{called}({key.arg}=)"
    if called in OPTIMIZERS and name == "lr":
        yield line, written, "learning_rate="
    elif called in OPTIMIZERS and name == "decay":
        schedule = "keras.optimizers.schedules.InverseTimeDecay(RATE, 1, DECAY)"
        yield line, written, f"learning_rate={schedule}"
    elif name == "save_weights_only" and getattr(key.value, "value", None) is True:
        yield line, f"{name}=", "the same with a file name that ends in .weights.h5"
    elif name == "activation":
        yield from _of_activation(key.value)
    elif name.startswith("kernel_") and name != "kernel_size":
        of_depth, of_point = (name.replace("kernel", part) for part in ("depthwise", "pointwise"))
        if called == "DepthwiseConv2D":
            yield line, written, f"{of_depth}="
        elif called == "SeparableConv2D":
            yield line, written, f"{of_depth}= and {of_point}="


def _of_activation(value: ast.expr) -> Iterator[tuple[int, str, str]]:
    name = getattr(value, "value", None)
    if not isinstance(name, str) or name in ACTIVATIONS.split():
        return
    if name.lower() in ACTIVATION_LAYERS:
        yield value.lineno, f'"{name}"', ACTIVATION_LAYERS[name.lower()]
    elif name.lower() in ACTIVATIONS.split():
        yield value.lineno, f'"{name}"', f'"{name.lower()}"'


def _of_name(line: int, written: str, name: str) -> Iterator[tuple[int, str, str]]:
    for pattern, instead in INSTEAD_OF_NAME:
        if re.fullmatch(pattern, _without_tensorflow(name)):
            yield line, written, instead


def _of_function(line: int, written: str, name: str) -> Iterator[tuple[int, str, str]]:
    module, _, last = name.rpartition(".")
    if module == "keras.backend" and last in INSTEAD_OF_BACKEND:
        yield line, written, INSTEAD_OF_BACKEND[last]
    elif re.fullmatch(r"tensorflow(\.(nn|math|image))?", module) and last in INSTEAD_OF_TENSORFLOW:
        yield line, written, INSTEAD_OF_TENSORFLOW[last]


def _without_tensorflow(name: str) -> str:
    return re.sub(r"^tensorflow\.(python\.)?(?=keras\b)", "", name)


def _is_whole(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and type(value.value) is int


def _ends_in(value: ast.expr, ending: str) -> bool:
    return isinstance(value, ast.Constant) and str(value.value).endswith(ending)
