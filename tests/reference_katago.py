"""What a KataGo file says of positions, computed slowly while it is read; knows no reader."""

import re

import numpy as np

SIDE = 19


def reference_outputs(data: bytes, planes: np.ndarray, global_inputs: np.ndarray) -> dict:
    """The outputs that `golois.katago.walk.outputs` describes, float64, of an unpacked file."""
    return _Reference(data, planes.astype(np.float64), global_inputs.astype(np.float64)).outputs


class _Reference:
    def __init__(self, data: bytes, planes: np.ndarray, global_inputs: np.ndarray) -> None:
        self.data, self.at = data, 0
        _, self.version, _, _ = self.take(4)
        self.take(7 if self.version >= 13 else 0)
        self.take(8 if self.version >= 15 else 0)
        _, num_blocks, *_ = self.take(7)
        has_rms_tip = self.take(6)[0] if self.version >= 15 else 0
        x = self.conv(planes)
        x = x + self.dense(global_inputs)[:, None, None]
        for _ in range(num_blocks):
            x = x + self.block(x)
        x = self.act(self.rms_tip(x) if has_rms_tip else self.norm(x))
        self.outputs = {"policy": self.policy(x), **self.value(x)}

    def take(self, count: int) -> list:
        """The next words, numbers where they are some."""
        found = re.compile(rb"\s*(\S+)" * count).match(self.data, self.at)
        self.at = found.end()
        return [_number_or_word(word.decode()) for word in found.groups()]

    def weights(self, *shape: int) -> np.ndarray:
        count = int(np.prod(shape))
        found = re.compile(rb"\s*@BIN@").match(self.data, self.at)
        if not found:
            return np.array([self.take(1) for _ in range(count)], np.float64).reshape(shape)
        self.at = found.end() + 4 * count
        array = np.frombuffer(self.data, "<f4", count, found.end())
        return array.reshape(shape).astype(np.float64)

    def conv(self, x: np.ndarray) -> np.ndarray:
        _, rows, columns, channels, out, by_rows, by_columns = self.take(7)
        kernel = self.weights(rows, columns, channels, out)
        above, left = by_rows * (rows // 2), by_columns * (columns // 2)
        padded = np.pad(x, ((0, 0), (above, above), (left, left), (0, 0)))
        total = np.zeros((*x.shape[:3], out))
        for row in range(rows):
            for column in range(columns):
                top, start = row * by_rows, column * by_columns
                total += padded[:, top : top + SIDE, start : start + SIDE] @ kernel[row, column]
        return total

    def norm(self, x: np.ndarray) -> np.ndarray:
        _, channels, epsilon, has_scale, has_bias = self.take(5)
        mean, variance = self.weights(channels), self.weights(channels)
        x = (x - mean) / np.sqrt(variance + epsilon)
        x = x * self.weights(channels) if has_scale else x
        return x + self.weights(channels) if has_bias else x

    def rms_tip(self, x: np.ndarray) -> np.ndarray:
        _, channels, epsilon, is_spatial, _ = self.take(5)
        axes = (1, 2, 3) if is_spatial else (3,)
        x = x / np.sqrt((x**2).mean(axes, keepdims=True) + epsilon)
        return x * self.weights(channels) + self.weights(channels)

    def token_norm(self, x: np.ndarray) -> np.ndarray:
        _, channels, epsilon = self.take(3)
        return x / np.sqrt((x**2).mean(-1, keepdims=True) + epsilon) * self.weights(channels)

    def act(self, x: np.ndarray) -> np.ndarray:
        self.take(1)
        kind = self.take(1)[0] if self.version >= 11 else "ACTIVATION_RELU"
        return {
            "ACTIVATION_IDENTITY": lambda x: x,
            "ACTIVATION_RELU": lambda x: np.maximum(x, 0),
            "ACTIVATION_MISH": lambda x: x * np.tanh(np.log(1 + np.exp(x))),
            "ACTIVATION_SILU": lambda x: x / (1 + np.exp(-x)),
        }[kind](x)

    def dense(self, x: np.ndarray, bias: bool = False) -> np.ndarray:
        x = x @ self.weights(*self.take(3)[1:])
        return x + self.weights(self.take(2)[1]) if bias else x

    def norm_conv(self, x: np.ndarray) -> np.ndarray:
        return self.conv(self.act(self.norm(x)))

    def block(self, x: np.ndarray) -> np.ndarray:
        """What a block adds to its stream."""
        kind, _ = self.take(2)
        if kind == "ordinary_block":
            return self.norm_conv(self.norm_conv(x))
        if kind == "gpool_block":
            read = self.act(self.norm(x))
            regular = self.conv(read)
            pooled = self.act(self.norm(self.conv(read)))
            return self.norm_conv(regular + self.dense(pool(pooled))[:, None, None])
        if kind == "nested_bottleneck_block":
            (count,) = self.take(1)
            inner = self.norm_conv(x)
            for _ in range(count):
                inner = inner + self.block(inner)
            return self.norm_conv(inner)
        return self.attention(x) if kind == "transformer_attention_block" else self.feed_forward(x)

    def feed_forward(self, x: np.ndarray) -> np.ndarray:
        _, _, is_gated = self.take(3)
        x = self.token_norm(x)
        hidden = self.dense(x)
        hidden = hidden / (1 + np.exp(-hidden))
        return self.dense(hidden * self.dense(x) if is_gated else hidden)

    def attention(self, x: np.ndarray) -> np.ndarray:
        heads, key_heads, width, value_width, rotates, is_learned = self.take(6)
        x = self.token_norm(x).reshape(len(x), SIDE * SIDE, -1)
        query = self.dense(x).reshape(len(x), -1, heads, width)
        key = self.dense(x).reshape(len(x), -1, key_heads, width)
        value = self.dense(x).reshape(len(x), -1, key_heads, value_width)
        output = self.weights(*self.take(3)[1:])
        turn = self.rotation(width, is_learned) if rotates else lambda x, head: x
        found = []
        for head in range(heads):
            shared = head * key_heads // heads
            ours, theirs = turn(query[:, :, head], shared), turn(key[:, :, shared], shared)
            scores = ours @ theirs.swapaxes(1, 2)
            powers = np.exp(scores / np.sqrt(width))
            found.append(powers / powers.sum(-1, keepdims=True) @ value[:, :, shared])
        return (np.concatenate(found, -1) @ output).reshape(len(x), SIDE, SIDE, -1)

    def rotation(self, width: int, is_learned: bool):
        if is_learned:
            table = self.weights(*self.take(4)[1:])
        else:
            base = self.take(2)[1]

        def angle(point: int, head: int, pair: int) -> float:
            row, column = divmod(point, SIDE)
            if is_learned:
                return column * table[head, pair, 0] + row * table[head, pair, 1]
            half = width // 4
            return (row if pair < half else column) * base ** (-2 * (pair % half) / (width // 2))

        def turn(x: np.ndarray, head: int) -> np.ndarray:
            turned = np.empty_like(x)
            for point in range(SIDE * SIDE):
                for pair in range(width // 2):
                    by = angle(point, head, pair)
                    a, b = x[:, point, 2 * pair], x[:, point, 2 * pair + 1]
                    turned[:, point, 2 * pair] = a * np.cos(by) - b * np.sin(by)
                    turned[:, point, 2 * pair + 1] = a * np.sin(by) + b * np.cos(by)
            return turned

        return turn

    def policy(self, x: np.ndarray) -> np.ndarray:
        self.take(5 if self.version >= 17 else 1)
        board = self.conv(x)
        pooled = pool(self.act(self.norm(self.conv(x))))
        board = board + self.dense(pooled)[:, None, None]
        board = self.conv(self.act(self.norm(board)))
        passing = self.dense(pooled, bias=self.version >= 15)
        if self.version >= 15:
            passing = self.dense(self.act(passing))
        return np.concatenate([board.reshape(len(x), SIDE * SIDE, -1), passing[:, None]], 1)

    def value(self, x: np.ndarray) -> dict:
        self.take(4 if self.version >= 17 else 1)
        board = self.act(self.norm(self.conv(x)))
        mean = board.mean((1, 2))
        pooled = np.concatenate([mean, 0.5 * mean, 0.15 * mean], 1)
        hidden = self.act(self.dense(pooled, bias=True))
        value, score = self.dense(hidden, bias=True), self.dense(hidden, bias=True)
        ownership = self.conv(board).reshape(len(x), -1)
        return {"value": value, "score": score, "ownership": ownership}


def pool(x: np.ndarray) -> np.ndarray:
    mean = x.mean((1, 2))
    return np.concatenate([mean, 0.5 * mean, x.max((1, 2))], 1)


def _number_or_word(text: str) -> object:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
