"""Operations of TensorFlow's graphs, which Keras of TF 2.0 to 2.3 writes instead of functions."""

from dataclasses import dataclass


@dataclass(frozen=True)
class NodeKind:
    """One operation: which function of ours it is, and what its inputs are called there.

    `attributes` are those of TensorFlow that are arguments of the function. Where it `joins`, the
    first name means a list of all inputs but those that the other names mean.
    """

    function: str
    inputs: tuple[str, ...] = ("x",)
    attributes: tuple[str, ...] = ()
    joins: bool = False

    def takes(self, attribute: str, value: object) -> bool:
        """Return whether an attribute is an argument, or is known to say nothing; all is float."""
        if attribute == "T":
            return set(value if isinstance(value, list) else [value]) <= {"DT_FLOAT"}
        unused = attribute.startswith("_") or attribute in UNUSED_ATTRIBUTES
        return attribute in self.attributes or unused

    def arguments(self, inputs: list[object]) -> dict[str, object]:
        """Return the inputs by their names; raises ValueError when there are too many or few."""
        if self.joins:
            rest = len(inputs) - len(self.inputs) + 1
            inputs = [inputs[:rest], *inputs[rest:]]
        return dict(zip(self.inputs, inputs, strict=True))


# Attributes that say nothing about the result: types of indices, numbers of inputs and outputs.
UNUSED_ATTRIBUTES = frozenset((
    "N", "num", "num_split", "Index", "Taxis", "Tdim", "Tidx", "Tindices", "Tlen", "Tmultiples",
    "Tpaddings", "Tparams", "Tperm", "Tshape", "Tshift", "grad_a", "grad_b", "grad_x", "grad_y",
    "message", "shape", "use_cudnn_on_gpu",
))

_ALONE = {
    "Relu": "relu", "Relu6": "relu6", "Elu": "elu", "Selu": "selu", "Sigmoid": "sigmoid",
    "Tanh": "tanh", "Softplus": "softplus", "Softsign": "softsign", "Softmax": "softmax_tf",
    "LogSoftmax": "log_softmax_tf", "Exp": "exponential", "Expm1": "expm1", "Log": "log",
    "Log1p": "log1p", "Erf": "erf", "Sin": "sin", "Cos": "cos", "Neg": "negative",
    "Abs": "absolute", "Square": "square", "Sqrt": "sqrt", "Rsqrt": "rsqrt",
    "Reciprocal": "reciprocal", "Identity": "identity", "StopGradient": "identity",
    "CheckNumerics": "identity", "EnsureShape": "identity",
}
_OF_TWO = {
    "Add": "add", "AddV2": "add", "Sub": "subtract", "Mul": "multiply", "RealDiv": "divide",
    "Pow": "power", "Maximum": "maximum", "Minimum": "minimum",
    "SquaredDifference": "squared_difference",
}
_REDUCTIONS = {
    "Mean": "mean", "Sum": "sum", "Max": "max", "Min": "min", "Prod": "prod",
    "EuclideanNorm": "euclidean_norm",
}
_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
_BLOCK = ("block_size", "data_format")
_POOL = ("ksize", "strides", "padding", "data_format")
_CONV = ("strides", "padding", "dilations", "data_format", "explicit_paddings")
_CENTRES = ("half_pixel_centers", "align_corners")

NODES: dict[str, NodeKind] = {
    **{name: NodeKind(function) for name, function in _ALONE.items()},
    **{name: NodeKind(function, ("x", "y")) for name, function in _OF_TWO.items()},
    **{
        name: NodeKind(f"reduce_{kind}", ("x", "axis"), ("keep_dims",))
        for name, kind in _REDUCTIONS.items()
    },
    "LeakyRelu": NodeKind("leaky_relu", attributes=("alpha",)),
    "BiasAdd": NodeKind("bias_add", ("value", "bias"), ("data_format",)),
    "AddN": NodeKind("add_n", ("inputs",), joins=True),
    "IdentityN": NodeKind("identity_n", ("values",), joins=True),
    "MatMul": NodeKind("matmul", ("a", "b"), ("transpose_a", "transpose_b")),
    "BatchMatMulV2": NodeKind("matmul", ("a", "b"), ("adj_x", "adj_y")),
    "Einsum": NodeKind("einsum", ("x", "y"), ("equation",)),
    "ConcatV2": NodeKind("concat", ("values", "axis"), joins=True),
    "Pack": NodeKind("stack", ("values",), ("axis",), joins=True),
    "Unpack": NodeKind("unstack", attributes=("axis",)),
    "Split": NodeKind("split_tf", ("axis", "x"), ("num_split",)),
    "SplitV": NodeKind("split_tf", ("x", "parts", "axis")),
    "Reshape": NodeKind("reshape", ("x", "shape")),
    "Transpose": NodeKind("transpose", ("x", "perm")),
    "ExpandDims": NodeKind("expand_dims", ("x", "axis")),
    "Squeeze": NodeKind("squeeze", attributes=("squeeze_dims",)),
    "Pad": NodeKind("pad", ("x", "paddings")),
    "StridedSlice": NodeKind("strided_slice", ("x", "begin", "end", "strides"), _MASKS),
    "ReverseV2": NodeKind("reverse", ("x", "axis")),
    "Roll": NodeKind("roll", ("x", "shift", "axis")),
    "GatherV2": NodeKind("gather", ("x", "indices", "axis"), ("batch_dims",)),
    "Tile": NodeKind("tile", ("x", "multiples")),
    "DepthToSpace": NodeKind("depth_to_space", attributes=_BLOCK),
    "SpaceToDepth": NodeKind("space_to_depth", attributes=_BLOCK),
    "MaxPool": NodeKind("max_pool", attributes=(*_POOL, "explicit_paddings")),
    "AvgPool": NodeKind("average_pool", attributes=_POOL),
    "Conv2D": NodeKind("conv", ("x", "filter"), _CONV),
    "DepthwiseConv2dNative": NodeKind("depthwise_conv", ("x", "filter"), _CONV),
    "ResizeBilinear": NodeKind("resize", ("x", "size"), _CENTRES),
    "ResizeNearestNeighbor": NodeKind("resize_nearest", ("x", "size"), _CENTRES),
}
