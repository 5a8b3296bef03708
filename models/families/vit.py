"""ViT-Go: a vision transformer over nine patches of 7x7 points.

| blocks, width, MLP                  |      total |  trainable | source |
|-------------------------------------|-----------:|-----------:|--------|
| 4, 40, 80, stem, patches: budget    |     95,790 |     95,790 | this kit |
| 4, 32, 64                           |     96,846 |     96,846 | the paper's, narrow |
| 4, 36, 72, stem, patches, DeiT     |     95,727 |     95,727 | a token for the teacher |
| 4, 768, 768, 10 planes: paper       | 14,889,678 | 14,889,678 | ViT4 with a value |
| 4, 768, 768, 10 planes, no value    | 14,851,177 | 14,851,177 | paper's ViT4 |
| 8, 768, 768, 10 planes, no value    | 29,037,673 | 29,037,673 | paper's ViT8 |
| 12, 768, 768, 10 planes, no value   | 43,224,169 | 43,224,169 | paper's ViT12 |
| 4, 768, 3072, 10 planes, no value   | 29,016,169 | 29,016,169 | the same, MLP of ratio 4 |
| 8, 768, 3072, 10 planes, no value   | 57,367,657 | 57,367,657 | the same |
| 12, 768, 3072, 10 planes, no value  | 85,719,145 | 85,719,145 | the same |

A narrow copy of the paper's network learns no moves in ten minutes of a core: what it learns about
one point of a patch does not help it at another point, and its class token holds the whole board in
32 numbers. The budget's network has two convolutions before the patches, and the token of each
patch gives the logits of its points.
"""

from math import isqrt
from typing import Literal

import keras
from keras import layers

from models.contract import POLICY_NAME
from models.parts.attention import dense, layer_norm, mlp
from models.parts.blocks import board_input, constant_one, learned_array
from models.parts.diagram import NAMES, block, network
from models.parts.heads import (
    MOVES_NAME,
    TEACHER_NAME,
    ValuePerspective,
    probability_head,
    turning_planes,
)
from models.parts.relative_positions import DEVIATION
from models.spec import ModelSpec

PATCH = 7

PolicyToken = Literal["class", "patches"]


def build_vit(
    *,
    blocks: int = 4,
    width: int = 32,
    heads: int = 4,
    hidden: int = 64,
    value_units: int = 50,
    stem: int = 0,
    policy_token: PolicyToken = "class",
    distillation_token: bool = False,
    planes: int = 31,
    perspective: ValuePerspective = "white",
) -> keras.Model:
    """Build ViT-Go: the board padded to 21x21, one token a patch, and a class token.

    `width` is channels of a token, which `heads` divide; `hidden` is units of each MLP. The value's
    hidden layer of `value_units` reads the class token; 0 leaves it out. `stem` is filters of each
    of two 3x3 convolutions before the patches; 0 leaves them out. `policy_token`: the class token
    gives the logits of all points, as published; or each patch's token those of its points.
    `distillation_token` adds a token for a teacher's moves: the policy is the mean of both, and
    `--aux moves,teacher` trains each for its own target. The paper has 10 planes. `perspective`:
    see `models.parts.heads`. Source: "Imitating Human Go Players via Vision Transformer", 2025;
    heads and MLP as in its authors' code. The stem after Xiao et al., "Early Convolutions Help
    Transformers See Better", 2021. The distillation token after Touvron et al., "Training
    data-efficient image transformers & distillation through attention", 2021.
    """
    if not heads or width % heads:
        raise ValueError(f"heads must divide the width {width}: {heads} does not")
    board = board_input(planes)
    one = constant_one(board)
    x = board
    for _ in range(2 if stem else 0):
        x = layers.Conv2D(stem, 3, padding="same", activation="relu")(x)
    x = layers.Conv2D(width, PATCH, strides=PATCH)(layers.ZeroPadding2D(1)(x))
    x = layers.Reshape((x.shape[1] * x.shape[2], width))(x)
    firsts = 2 if distillation_token else 1
    x = layers.Concatenate(axis=1)([learned_array(one, (firsts, width)), x])
    x = layers.Add()([x, learned_array(one, x.shape[1:], DEVIATION)])
    for _ in range(blocks):
        x = encoder_block(x, heads, hidden)
    x = layer_norm(x)
    summary = token(x, 0)
    name = MOVES_NAME if distillation_token else POLICY_NAME
    if policy_token == "patches":
        policy = patch_policy(x, firsts, name)
    else:
        policy = token_policy(summary, name)
    if distillation_token:
        of_teacher = token_policy(token(x, 1), TEACHER_NAME)
        policy = layers.Average(name=POLICY_NAME)([policy, of_teacher])
    outputs = [policy]
    if value_units:
        hidden_value = dense(summary, value_units, "gelu")
        outputs.append(probability_head(hidden_value, turning_planes(board, perspective)))
    return keras.Model(board, outputs, name="vit")


def encoder_block(x, heads: int, hidden: int):
    """Apply attention and an MLP, each after LayerNorm and beside the identity. Shape unchanged."""
    y = layer_norm(x)
    y = layers.MultiHeadAttention(heads, x.shape[-1] // heads)(y, y)
    x = layers.Add()([x, y])
    return layers.Add()([x, mlp(layer_norm(x), hidden)])


def token(x, index: int):
    """Return one token: `[B, tokens, C]` to `[B, C]`."""
    tokens, width = x.shape[1:]
    x = layers.Reshape((tokens, 1, width))(x)
    return layers.Flatten()(layers.Cropping2D(((index, tokens - 1 - index), (0, 0)))(x))


def token_policy(x, name: str):
    """Give all points logits of one token: `[B, C]` to `[B, 361]`."""
    return layers.Dense(361, activation="softmax", name=name)(x)


def patch_policy(x, firsts: int, name: str):
    """Give each point one logit of its patch's token: `[B, firsts + 9, C]` to `[B, 361]`.

    The `firsts` tokens, which are no patches, come first.
    """
    tokens, width = x.shape[1:]
    side = isqrt(tokens - firsts)
    x = layers.Cropping2D(((firsts, 0), (0, 0)))(layers.Reshape((tokens, 1, width))(x))
    x = layers.Dense(PATCH * PATCH)(layers.Reshape((side, side, width))(x))
    x = layers.Permute((1, 3, 2, 4))(layers.Reshape((side, side, PATCH, PATCH))(x))
    x = layers.Cropping2D(1)(layers.Reshape((side * PATCH, side * PATCH, 1))(x))
    return layers.Activation("softmax", name=name)(layers.Flatten()(x))


PICTURE = (
    network("conv: two of 3×3 → 16, ReLU", "padded to 21×21", "conv: patches of 7×7 → 40",
            "9 tokens and a class token", "dense: + 10 learned positions",
            "block: encoder block × 4", "norm: LayerNorm",
            ("dense: each patch → 49\nsoftmax", "dense: class token\n→ 50 → 1, sigmoid"), NAMES),
    block("encoder block", "norm: LayerNorm", "attention: attention of 4 heads", "+",
          "norm: LayerNorm", "dense: dense → 80, GELU", "dense: dense → 40", "+",
          skips=((0, 2), (3, 6))),
)  # fmt: skip

VIT = ModelSpec(
    name="vit",
    build=build_vit,
    idea=(
        "nine patches of 7×7 points as tokens; as published, a class token gives all moves: "
        "`policy_token=class`, `stem=0`"
    ),
    source="Imitating Human Go Players via Vision Transformer, 2025",
    budget=dict(
        blocks=4, width=40, heads=4, hidden=80, stem=16, policy_token="patches", perspective="mover"
    ),
    paper=dict(blocks=4, width=768, heads=8, hidden=768, planes=10),
    paper_features="vit",
    scales="width",
    small=dict(blocks=1, width=4, heads=2, hidden=4),
    learns=dict(),
    picture=PICTURE,
)
