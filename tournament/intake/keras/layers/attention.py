"""Attention over the points of a board, written in matrix products."""

from math import sqrt

from tournament.intake.graph.ops import Dense, MatMul, Reshape, Softmax, Transpose
from tournament.intake.keras.builder import Builder
from tournament.intake.keras.layers.base import LayerKind
from tournament.intake.keras.options import (
    boolean,
    choice,
    ignored,
    integer,
    integers,
    optional,
    training_only,
)


def _multi_head_attention(builder: Builder, options: dict, found: dict) -> int:
    """Append softmax(query · keyᵀ / √d) · value for each head; Vaswani et al. 2017, equation 1."""
    target = builder.shape(found["query"])
    query = _tokens(builder, options, found["query"])
    value = _tokens(builder, options, found.get("value", found["query"]))
    key = _tokens(builder, options, found.get("key", found.get("value", found["query"])))
    depth = options["key_dim"]
    queries = _project(builder, options, "query", query, depth, 1.0 / sqrt(depth))
    keys = _project(builder, options, "key", key, depth)
    values = _project(builder, options, "value", value, options["value_dim"] or depth)
    scores = builder.add(MatMul(), queries, builder.add(Transpose((0, 2, 1)), keys))
    mixed = builder.add(MatMul(), builder.add(Softmax(channels_first=False), scores), values)
    heads, tokens, width = builder.shape(mixed)
    joined = builder.add(Transpose((1, 0, 2)), mixed)
    joined = builder.add(Reshape((tokens, heads * width)), joined)
    size = options["output_shape"] or (builder.shape(query)[-1],)
    kernel = builder.weight("attention_output kernel", (heads, width, *size))
    bias = builder.weight("attention_output bias", size) if options["use_bias"] else None
    result = builder.add(Dense(kernel.reshape(heads * width, *size), bias), joined)
    return result if len(target) == 2 else builder.add(Reshape((*target[:-1], *size)), result)


def _tokens(builder: Builder, options: dict, x: int) -> int:
    """Return an input as (tokens, channels): the points of a board are its tokens."""
    shape, axes = builder.shape(x), options["attention_axes"]
    if len(shape) not in (2, 3) or axes not in (None, tuple(range(1, len(shape)))):
        builder.refuse(
            f"the input is {shape}, 'attention_axes' {axes}",
            "use layers.Reshape((361, channels)) before it and give no axes",
        )
    return x if len(shape) == 2 else builder.add(Reshape((shape[0] * shape[1], shape[2])), x)


def _project(
    builder: Builder, options: dict, name: str, x: int, depth: int, scale: float = 1.0
) -> int:
    """Return [heads, tokens, depth] of the input [tokens, channels], times `scale`."""
    heads, (tokens, channels) = options["num_heads"], builder.shape(x)
    kernel = builder.weight(f"{name} kernel", (channels, heads, depth)) * scale
    bias = None
    if options["use_bias"]:
        bias = builder.weight(f"{name} bias", (heads, depth)).reshape(heads * depth) * scale
    flat = builder.add(Dense(kernel.reshape(channels, heads * depth), bias), x)
    split = builder.add(Reshape((tokens, heads, depth)), flat)
    return builder.add(Transpose((1, 0, 2)), split)


ATTENTION_LAYERS = {
    "MultiHeadAttention": LayerKind(
        {
            "num_heads": integer(1, 256),
            "key_dim": integer(1, 4096),
            "value_dim": optional(integer(1, 4096)),
            "use_bias": boolean(True),
            "output_shape": optional(integers(1, 4096, max_length=1)),
            "attention_axes": optional(integers(-8, 8)),
            "use_gate": choice(False, default=False),
            "sliding_window": choice(None, default=None),
            **{
                name: ignored()
                for name in (
                    "dropout", "seed", "flash_attention", "softmax_robust_masking",
                    "query_shape", "key_shape", "value_shape",
                )
            },
            **training_only(
                "kernel_initializer", "kernel_regularizer", "kernel_constraint",
                "bias_initializer", "bias_regularizer", "bias_constraint",
            ),
        },
        _multi_head_attention,
        arguments=("query", "value", "key"),
    ),
}
