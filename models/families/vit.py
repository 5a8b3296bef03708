"""ViT-Go: a vision transformer over nine patches of 7x7 points.

| blocks, width, MLP                  |      total |  trainable | source |
|-------------------------------------|-----------:|-----------:|--------|
| 4, 32, 64: budget                   |     96,846 |     96,846 | this kit |
| 4, 768, 768, 10 planes: paper       | 14,889,678 | 14,889,678 | ViT4 with a value |
| 4, 768, 768, 10 planes, no value    | 14,851,177 | 14,851,177 | paper's ViT4 |
| 8, 768, 768, 10 planes, no value    | 29,037,673 | 29,037,673 | paper's ViT8 |
| 12, 768, 768, 10 planes, no value   | 43,224,169 | 43,224,169 | paper's ViT12 |
| 4, 768, 3072, 10 planes, no value   | 29,016,169 | 29,016,169 | the same, MLP of ratio 4 |
| 8, 768, 3072, 10 planes, no value   | 57,367,657 | 57,367,657 | the same |
| 12, 768, 3072, 10 planes, no value  | 85,719,145 | 85,719,145 | the same |

Half of the budget's network is its first layer, which reads the patches.
"""

import keras
from keras import layers

from models.contract import POLICY_NAME
from models.parts.attention import dense, layer_norm, mlp
from models.parts.blocks import board_input
from models.parts.diagram import NAMES, block, network
from models.parts.heads import ValuePerspective, probability_head, turning_planes
from models.parts.learned import constant_one, learned_array
from models.parts.relative_positions import DEVIATION
from models.spec import ModelSpec

PATCH = 7


def build_vit(
    *,
    blocks: int = 4,
    width: int = 32,
    heads: int = 4,
    hidden: int = 64,
    value_units: int = 50,
    planes: int = 31,
    perspective: ValuePerspective = "white",
) -> keras.Model:
    """Build ViT-Go: the board padded to 21x21, one token a patch, and a class token.

    Args:
        blocks: of the encoder.
        width: channels of a token.
        heads: of each attention; they divide `width`.
        hidden: units of each MLP.
        value_units: hidden layer of the value, which reads the class token; 0 leaves it out.
        planes: of the input. The contract's are 31, the paper's 10.
        perspective: whose win the value head computes; see `models.parts.heads`.

    Source: "Imitating Human Go Players via Vision Transformer", 2025; heads and MLP, which it
        leaves open, as in its authors' code.
    """
    if not heads or width % heads:
        raise ValueError(f"heads must divide the width {width}: {heads} does not")
    board = board_input(planes)
    one = constant_one(board)
    x = layers.Conv2D(width, PATCH, strides=PATCH)(layers.ZeroPadding2D(1)(board))
    x = layers.Reshape((x.shape[1] * x.shape[2], width))(x)
    x = layers.Concatenate(axis=1)([learned_array(one, (1, width)), x])
    x = layers.Add()([x, learned_array(one, x.shape[1:], DEVIATION)])
    for _ in range(blocks):
        x = encoder_block(x, heads, hidden)
    x = layer_norm(first_token(x))
    outputs = [layers.Dense(361, activation="softmax", name=POLICY_NAME)(x)]
    if value_units:
        hidden_value = dense(x, value_units, "gelu")
        outputs.append(probability_head(hidden_value, turning_planes(board, perspective)))
    return keras.Model(board, outputs, name="vit")


def encoder_block(x, heads: int, hidden: int):
    """Apply attention and an MLP, each after LayerNorm and beside the identity. Shape unchanged."""
    y = layer_norm(x)
    y = layers.MultiHeadAttention(heads, x.shape[-1] // heads)(y, y)
    x = layers.Add()([x, y])
    return layers.Add()([x, mlp(layer_norm(x), hidden)])


def first_token(x):
    """Return the class token: `[B, tokens, C]` to `[B, C]`."""
    tokens, width = x.shape[1:]
    x = layers.Reshape((tokens, 1, width))(x)
    return layers.Flatten()(layers.Cropping2D(((0, tokens - 1), (0, 0)))(x))


PICTURE = (
    network("padded to 21×21", "conv: patches of 7×7 → 32", "9 tokens and a class token",
            "dense: + 10 learned positions", "block: encoder block × 4", "norm: LayerNorm",
            "the class token", ("dense: → 361\nsoftmax", "dense: → 50 → 1\nsigmoid"), NAMES),
    block("encoder block", "norm: LayerNorm", "attention: attention of 4 heads", "+",
          "norm: LayerNorm", "dense: dense → 64, GELU", "dense: dense → 32", "+",
          skips=((0, 2), (3, 6))),
)  # fmt: skip

VIT = ModelSpec(
    name="vit",
    build=build_vit,
    idea="nine patches of 7×7 points as tokens",
    source="Imitating Human Go Players via Vision Transformer, 2025",
    budget=dict(blocks=4, width=32, heads=4, hidden=64, perspective="mover"),
    paper=dict(blocks=4, width=768, heads=8, hidden=768, planes=10),
    paper_features="vit",
    scales="width",
    small=dict(blocks=1, width=4, heads=2, hidden=4),
    learns=dict(),
    picture=PICTURE,
)
