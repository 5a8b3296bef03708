"""How a file gets the faults of its description, by changes to that of the resnet.

Plain data; test_intake_faults.py tries them. Attacks are among them: files that would run code,
read other files or take long if anything believed them.
"""

import json

from spoil import call, function, layer_of, nested, operation, replace, set_option


def _layer_cycle(model):
    first, second = model["config"]["layers"][1:3]
    first["inbound_nodes"] = [call(second["name"])]
    second["inbound_nodes"] = [call(first["name"])]


def _many_layers(model):
    layers = model["config"]["layers"]
    layers.extend({"class_name": "ReLU", "config": {}, "name": f"r{n}"} for n in range(10_000))


def _deep_json(model):
    value = json.loads("[" * 100 + "]" * 100)
    layer_of(model, "Conv2D")["config"]["kernel_initializer"] = value


def _nested_nine(model):
    config = [{"class_name": "Identity", "name": "x", "config": {"name": "x"}}]
    for level in range(9):
        config = [{"class_name": "Sequential", "name": f"m{level}", "config": config}]
    layer_of(model, "ReLU").update(class_name="Sequential", config=config)


def _doubling(model):
    """Three levels of 200 calls: no operation at all, and eight million calls."""
    config = [{"class_name": "Identity", "config": {"name": "x"}}]
    for _ in range(3):
        inner = {"class_name": "Sequential", "name": "s", "config": {"layers": config}}
        start = {"class_name": "InputLayer", "name": "i", "config": {"batch_shape": [1]}}
        calls = [[["i" if n == 0 else "s", max(0, n - 1), 0, {}]] for n in range(200)]
        inner["inbound_nodes"] = calls
        config = [{
            "class_name": "Functional", "name": "f", "config": {
                "layers": [start, inner], "input_layers": [["i", 0, 0]],
                "output_layers": [["s", 199, 0]],
            },
        }]
    layer_of(model, "ReLU").update(class_name="Sequential", config={"layers": config})


def _slow(model):
    """Boards 64 times as large in both directions: minutes of evaluation."""
    for _ in range(2):
        relu = layer_of(model, "ReLU")
        relu.update(class_name="UpSampling2D", config={"name": relu["name"], "size": [8, 8]})


def _wide(model):
    first = layer_of(model, "ReLU")
    first.update(class_name="TFOpLambda", config={"name": "re_lu", "function": "concat"})
    first["inbound_nodes"] = [[["conv2d", 0, 0, {"axis": -1}]] * 40_000]


def _called(class_name, *args, **kwargs):
    """Return what calls the first layer of a class on something else."""
    named = {"kwargs": kwargs} if kwargs else {"args": [*args]}
    return lambda model: layer_of(model, class_name)["inbound_nodes"][0].update(named)


def _nested_call(kwargs, given=lambda tensor: [tensor]):
    """Return what puts a model of a ReLU, with the input "i", in the place of the first one."""

    def change(model):
        made = layer_of(model, "ReLU")["inbound_nodes"][0]
        nested({"class_name": "ReLU", "config": {"name": "r", "trainable": True}})(model)
        made.update(args=given(made["args"][0]), kwargs=kwargs)

    return change


def _history(class_name, *history):
    """Return what makes the first layer of a class read another result."""

    def change(model):
        tensor = layer_of(model, class_name)["inbound_nodes"][0]["args"][0]
        tensor["config"]["keras_history"] = list(history)

    return change


def _second_call(model):
    """The first convolution, of 31 channels, is used on 8 too."""
    conv = layer_of(model, "Conv2D")
    conv["inbound_nodes"].append(call("re_lu"))
    layer_of(model, "Flatten")["inbound_nodes"] = [call(conv["name"])]
    layer_of(model, "Flatten")["inbound_nodes"][0]["args"][0]["config"]["keras_history"][1] = 1


def _outputs(*names):
    return lambda model: model["config"].update(output_layers=[[name, 0, 0] for name in names])


def _same_name(model):
    layers = model["config"]["layers"]
    layers[2]["name"] = layers[1]["name"]


def _second_input(model):
    layers = model["config"]["layers"]
    layers.append({**layers[0], "name": "more"})


def _put(class_name, **config):
    """Return what puts a layer in the place of the first ReLU, on a board of 8 channels."""
    config = {"name": "re_lu", "trainable": True, **config}
    return replace("ReLU", class_name=class_name, config=config)


def _own_conv(**config):
    good = {"input_fields": [8, 0, 0, 0, 0, 0], "fields": [8, 0, 0, 0, 0, 0], "window": 3}
    return _put("golois>EquivariantConv2D", **{**good, "use_bias": False, **config})


def _own_norm(**config):
    good = {"fields": [0, 0, 0, 0, 0, 1], "epsilon": 0.001}
    return _put("golois>EquivariantBatchNormalization", **{**good, **config})


def _active(value):
    return set_option("Conv2D", "activation", value)


def _input(**config):
    return lambda model: layer_of(model, "InputLayer")["config"].update(config)


def _many_options(model):
    layer_of(model, "Conv2D")["config"].update({f"option{number}": 1 for number in range(50)})


def _many_faults(model):
    wrong = {"class_name": "Lambda", "config": {}, "inbound_nodes": [call("board")]}
    model["config"]["layers"].extend({**wrong, "name": f"l{number}"} for number in range(30))


_BYTES = {"class_name": "__lambda__", "config": {"code": "4wEAAAA="}}
_CODE = {"class_name": "Lambda", "config": {"name": "code", "trainable": True, "function": _BYTES}}
_MY_RELU = {"module": "builtins", "class_name": "function", "config": "my_relu",
            "registered_name": "function"}


def _index(*items):
    """Return what cuts a tensor; a pair is the start and the step of a slice."""
    keys = ("start", "step", "stop")
    cuts = [dict(zip(keys, (*item, None), strict=True)) if isinstance(item, tuple) else item
            for item in items]
    return function("__operators__.getitem", slice_spec=cuts)


def _instead(kind, **helps):
    """Cases of what was read once, or never; with a part of what helps."""
    return {name: (kind(name), said) for name, said in helps.items()}


# The code of the fault: by name a change, or a text in place of the description; and a part of what
# is said.
CASES = {
    "long": {"million": ("[" + "0," * 1_000_000 + "0]", "has 2000003 characters")},
    "no-json": {
        "empty": ("", ""), "brackets": ("[" * 100_000, ""),
        "yaml": ("!!python/object/apply:os.system ['true']", ""),
        "long_number": ('{"class_name": ' + "9" * 5000 + "}", ""),
        "mark": ('\ufeff{"class_name": "Functional"}', ""),
        "null_byte": ('{"class_name": 1}\0', ""),
    },
    "deep": {
        "deep_json": (_deep_json, ""), "numbers": ("[" + "0," * 500_000 + "0]", "too long"),
    },
    "sequential": {"sequential": ('{"class_name": "Sequential"}', r"keras.Model(inputs")},
    "not-functional": {
        "null": ("null", "None"), "call": ('{"class_name": "os.system"}', "'os.system'"),
        "infinity": ('{"class_name": 1e999}', "inf"),
        "twice": ('{"class_name": "Functional", "class_name": "Lambda"}', "'Lambda'"),
    },
    "no-layers": {"no_layers": (lambda model: model["config"].clear(), "")},
    "many-layers": {"many_layers": (_many_layers, "at most 2000")},
    "same-name": {"same_name": (_same_name, "")},
    "damaged": {
        "negative_call": (_history("ReLU", "conv2d", -1, 0), "a tensor is ['conv2d', -1, 0]"),
        "no_outputs": (lambda model: model["config"].update(output_layers=[]), "inputs or outputs"),
    },
    "nested": {"nested_nine": (_nested_nine, "more than 8")},
    "foreign-class": {
        "module_key": (replace("Conv2D", module="keras_evil.layers"), "'keras_evil.layers'"),
        "registered": (replace("ReLU", registered_name="evil>ReLU"), "'evil>ReLU'"),
        "own_of_a_module": (
            replace("ReLU", class_name="golois>EquivariantConv2D", module="mine"), "'mine'"
        ),
    },
    "cycle": {"layer_cycle": (_layer_cycle, "")},
    "no-result": {
        "unknown_layer": (_history("ReLU", "ghost", 0, 0), "'ghost'"),
        "unknown_call": (_history("ReLU", "conv2d", 7, 0), "'conv2d'"),
    },
    "unknown": {
        "lambda_layer": (_put("Lambda"), "the intake runs no code"),
        "nested_lambda": (nested(_CODE), "layer 'code' (Lambda) is of a class that"),
        "time_distributed": (_put("TimeDistributed", layer=_CODE), "of a class that"),
        "bidirectional": (_put("Bidirectional", layer=_CODE), "of a class that"),
        "string_lookup": (_put("StringLookup", vocabulary="/etc/passwd"), "of a class that"),
        "node_of_code": (_put("TensorFlowOpLayer", node_def={"op": "EagerPyFunc"}), "a later"),
        "saved_model": (replace("ReLU", class_name="TFSMLayer"), "is code"),
        "torch": (replace("ReLU", class_name="TorchModuleWrapper"), "is code"),
        "builtins": (replace("ReLU", class_name="__builtins__"), "of a class that"),
        "surrogate": (replace("ReLU", class_name="Lambda", name="\ud800"), r"layer '\ud800'"),
        "control_name": (
            replace("ReLU", class_name="Lambda", name="\x1b[2J\u202e\0\U000e0041../x"),
            r"\x1b[2J\u202e\x00\U000e0041../x",
        ),
        "SyncBatchNormalization": (_put("SyncBatchNormalization"), "layers.BatchNormalization"),
        "AddLoss": (_put("AddLoss"), "model.add_loss("),
        "AddMetric": (_put("AddMetric"), "model.add_metric("),
        "own_without_package": (replace("ReLU", class_name="EquivariantConv2D"), ""),
        "unsafe": (
            operation("enable_unsafe_deserialization", module="keras.config"),
            "is an operation on tensors",
        ),
        **_instead(
            operation, Sum="the mean of the same axes", Power="layers.Multiply()([x, x])",
            Conv="layers.Conv2D", Take="take slices", Clip="layers.ReLU",
            ReadFile="keras.layers", Floor="keras.layers", Mish='layers.Activation("mish")(x)',
        ),
    },
    "unknown-function": {
        "function_of_tf": (function("io.read_file"), "'io.read_file'"),
        "python_function": (function("py_function", func="os.system"), "'py_function'"),
        "function_by_path": (function("__class__.__init__"), "'__class__.__init__'"),
        **_instead(
            function, squeeze="layers.Reshape", stack="layers.Reshape", gather="take slices",
            repeat="layers.UpSampling2D", norm="layers.LayerNormalization", einsum="layers.Dot",
            clip_by_value="layers.ReLU(max_value=1.0)", stop_gradient="leave the call out",
            **{
                "math.reduce_sum": "the mean of the same axes", "math.sin": "by a layer",
                "math.square": "layers.Multiply()([x, x])", "nn.max_pool2d": "layers.MaxPooling2D",
                "nn.conv2d": "layers.Conv2D", "linalg.matmul": "layers.Dot",
                "image.resize": "layers.UpSampling2D", "math.abs": "layers.Maximum()([x, -x])",
            },
        ),
    },
    "unknown-option": {
        "option": (set_option("Conv2D", "run", "rm -rf"), "option 'run'"),
    },
    "more-options": {"many_options": (_many_options, "40 more options")},
    "no-option": {"own_missing": (_put("golois>EquivariantConv2D"), "option 'fields'")},
    "option": {
        "lambda_code": (set_option("Dense", "activation", _BYTES), "the name of an activation"),
        "activation_path": (_active("keras.utils.get_file"), "mish"),
        "activation_function": (_active(_MY_RELU), "the layers ReLU"),
        "inner_lambda": (_active({"class_name": "Lambda", "config": {}}), "the layers ReLU"),
        "inner_option": (
            _active({"class_name": "ReLU", "config": {"run": 1}}), "(ReLU: option 'run' is not"
        ),
        "units_bomb": (set_option("Dense", "units", 200_000_000), "from 1 to 1000000"),
        "kernel_bomb": (set_option("Conv2D", "kernel_size", [10_000, 10_000]), "from 1 to 19"),
        "negative": (set_option("Conv2D", "strides", [-1, -1]), "from 1 to 19"),
        "three": (set_option("Conv2D", "strides", [1, 1, 1]), "whole number"),
        "boolean": (set_option("Conv2D", "use_bias", 2), "true or false"),
        "channels_first": (
            set_option("Conv2D", "data_format", "channels_first"), "with the planes last"
        ),
        "huge_number": (set_option("BatchNormalization", "epsilon", 10**400), "from 1e-12"),
        "not_a_number": (set_option("BatchNormalization", "epsilon", float("nan")), "got nan"),
        "constant_bomb": (
            function("__operators__.add", y=[1.0] * 110_000), "a tensor or numbers in option 'y'"
        ),
        "reshape_bomb": (function("reshape", shape=[-1, 10**9, 10**9]), "from -1 to 1000000"),
        "pad_bomb": (
            function("pad", paddings=[[0, 0], [10**6, 10**6], [0, 0], [0, 0]]), "from 0 to 19"
        ),
        "softmax_of_all": (operation("Softmax", axis=None), "in option 'axis': got None"),
        "own_huge": (_own_conv(fields=[10**9, 0, 0, 0, 0, 0]), "from 0 to 1024"),
        "own_fraction": (_own_conv(fields=[1.0, 0, 0, 0, 0, 0]), "from 0 to 1024"),
        "own_true": (_own_conv(fields=[True, 0, 0, 0, 0, 0]), "from 0 to 1024"),
        "own_five": (_own_conv(fields=[1, 1, 1, 1, 1]), "6 whole numbers, of fields T, S, D, C, F"),
        "own_even": (_own_conv(window=4), "1 or 3 or 5 or 7 in option 'window': got 4"),
        "own_epsilon": (_own_norm(epsilon=float("nan")), "a number from 1e-12 to 1.0"),
    },
    "option-twice": {"two_names": (function("reshape", shape=[-1], tensor=[[1.0]]), "'x'")},
    "arguments": {
        "four": (lambda model: (operation("Relu")(model), _called("Relu", 1, 2, 3)(model)), ""),
    },
    "option-misfit": {
        "no_size": (_put("Reshape", target_shape=[0, -1]), "'target_shape' is (0, -1)"),
        "far_axis": (_put("Softmax", axis=-5), "'axis' is -5, but the input is (19, 19, 8)"),
        "axis_of_batch": (set_option("BatchNormalization", "axis", 0), "'axis' is 0"),
        "two_axes": (set_option("BatchNormalization", "axis", [2, 3]), "'axis' is (2, 3)"),
        "mean_of_batch": (function("math.reduce_mean", axis=0), "'axis' is 0"),
        "reshape_batch": (function("reshape", shape=[19, -1]), "'shape' is (19, -1)"),
        "no_groups": (_put("GroupNormalization", groups=0, axis=-1), "'groups' is 0"),
        "groups": (set_option("Conv2D", "groups", 3), "divides 31 and 8"),
    },
    "input": {
        "own_channels": (_own_conv(input_fields=[9, 0, 0, 0, 0, 0]), "expected the 9 channels"),
        "own_norm_channels": (_own_norm(fields=[7, 0, 0, 0, 0, 0]), "expected the 7 channels"),
        "tokens": (_put("GlobalMaxPooling1D"), "expected an input of (tokens, channels)"),
    },
    "misfit": {"no_numbers": (_put("Cropping2D", cropping=19), "nothing is left")},
    "call": {
        "training_call": (_called("BatchNormalization", training=True), "'training'"),
        "constant": (_called("Add", [1.0]), "a constant"),
    },
    "no-tensor": {"number": (_called("ReLU", 1.0), "")},
    "model-call": {
        "training_model": (_nested_call({"training": True}), ""),
        "masked_model": (_nested_call({"mask": [[True]]}), ""),
    },
    "model-inputs": {
        "model_of_other_names": (_nested_call({}, lambda tensor: [{"j": tensor}]), ""),
        "model_of_a_number": (_nested_call({}, lambda tensor: [[1.0]]), ""),
    },
    "number-of-inputs": {"two": (_nested_call({}, lambda tensor: [[tensor] * 2]), "called on 2")},
    "many-calls": {"nested_doubling": (_doubling, "20000 times")},
    "too-costly": {"slow": (_slow, "make the tensors"), "wide": (_wide, "make the tensors")},
    "half-normalized": {"mean": (_put("Normalization", mean=[0.5] * 8), "")},
    "free-weights": {
        "own_sparse": (_own_conv(fields=[1, 0, 0, 1024, 0, 0]), "numbers has only 24 free"),
        "own_empty": (_own_conv(fields=[0] * 6), "0 numbers has only 0 free"),
    },
    "negative-variance": {"given": (_put("Normalization", mean=0.5, variance=-1.0), "a variance")},
    "batch-cut": {"batch": (_index((1, None)), "")},
    "step": {"step_back": (_index((None, None), (None, -1)), "the step -1")},
    "index": {"index": (_index((None, None), 19), "the index 19 is outside")},
    "split": {
        "split_bomb": (function("split", num_or_size_splits=10**9, axis=-1), "into 1000000000"),
        "split_short": (function("split", num_or_size_splits=[3, 4], axis=-1), "into (3, 4)"),
    },
    "more": {"many_faults": (_many_faults, "and 10 more faults of this kind")},
    "weights": {
        "own_weights": (_own_conv(), "does not hold its weight (192,)"),
        "own_norm_weights": (_own_norm(), "does not hold its gamma (1,)"),
        "own_wide": (_own_conv(fields=[1024] * 6), "does not hold its weight"),
        "shared_misfit": (_second_call, "kernel in the file is (3, 3, 31, 8), not (3, 3, 8, 8)"),
        "filters_bomb": (set_option("Conv2D", "filters", 900_000), "its kernel in the file"),
        "other_axis": (set_option("BatchNormalization", "axis", 1), "its gamma in the file is"),
        "too_many": (set_option("Conv2D", "use_bias", 0), "holds 2 arrays of it, not 1"),
    },
    "weights-of-none": {
        "renamed": (lambda model: model["config"]["layers"].append(
            {**model["config"]["layers"].pop(1), "name": "other"}), "'conv2d'"),
    },
    "inputs": {"second_input": (_second_input, "has 2 inputs")},
    "sparse": {"sparse_input": (_input(sparse=True), "")},
    "planes": {"planes_8": (_input(batch_shape=[None, 19, 19, 8]), "reads 8 planes")},
    "input-shape": {
        "board_9": (_input(batch_shape=[None, 9, 9, 31]), "is (9, 9, 31)"),
        "planes_first": (_input(batch_shape=[None, 31, 19, 19]), "is (31, 19, 19)"),
    },
    "outputs": {
        "output_is_input": (_outputs("board", "board"), "no output for the policy"),
        "one_output_twice": (
            _outputs("policy", "policy"), "no output for the value, which is (1,); it has (361,)"
        ),
    },
}
# Networks of keras_files.py that Keras writes so.
NETWORKS = {
    "unknown_operator": ("unknown", "(Floor) is an operation on tensors"),
    "lambda_layer": ("unknown", "layer 'lambda' (Lambda)"),
    "planes_21": ("planes", "reads 21 planes; the game gives 31"),
    "no_value": ("outputs", "no output for the value"),
    "over_budget": ("budget", "148,981 parameters: 48,981 over the budget of 100,000"),
    "logits": ("policy", "softmax"),
    "value_negative": ("value", "sigmoid"),
    "with_pass": ("output-shape", "the shape (362,), not (361,)"),
    "sequential": ("sequential", "keras.Model(inputs"),
}
