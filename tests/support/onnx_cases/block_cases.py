"""A convolutional, a recurrent and a transformer's block in the operator sets that PyTorch's exporters write."""

import numpy as np
import onnx
from onnx import helper

from case_files import drawn, integers
from elementwise_cases import gelu
from normalization_cases import rms_normalization

SETS = (9, 11, 13, 16, 17, 18, 20, 21, 23)


class Block:
    """Nodes in turn, with their weights as constants."""

    def __init__(self):
        self.nodes = []

    def weights(self, array):
        name = f"w{len(self.nodes)}"
        self.nodes.append(helper.make_node("Constant", [], [name], value=onnx.numpy_helper.from_array(array)))
        return name

    def __call__(self, operation, *inputs, output=None, **attributes):
        names = [one if isinstance(one, str) else self.weights(one) for one in inputs]
        output = output or f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(operation, names, [output], **attributes))
        return output


def convolution(x, w):
    """3 x 3 with a border of zeros."""
    wide = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    height, width = x.shape[2:]
    return sum(np.einsum("nchw,kc->nkhw", wide[:, :, i:i + height, j:j + width], w[:, :, i, j]) for i in range(3) for j in range(3))


def add_convolutional(cases, operator_set):
    x, w = drawn(1, 8, 8, 8, seed=1), drawn(8, 8, 3, 3, seed=2) / 8
    scale, shift, mean, variance = (drawn(8, seed=i) for i in (3, 4, 5, 6))
    variance = np.abs(variance) + np.float32(0.5)
    block = Block()
    normalized = block("BatchNormalization", block("Conv", "x", w, kernel_shape=[3, 3], pads=[1, 1, 1, 1]), scale, shift, mean,
                       variance)
    block("MaxPool", block("Relu", block("Add", normalized, "x")), output="y", kernel_shape=[2, 2], strides=[2, 2])
    channels = [one.reshape(-1, 1, 1).astype(np.float64) for one in (scale, shift, mean, variance)]
    result = (convolution(x.astype(np.float64), w) - channels[2]) / np.sqrt(channels[3] + 1e-5) * channels[0] + channels[1]
    result = np.maximum(result + x, 0).reshape(1, 8, 4, 2, 4, 2).max(axis=(3, 5))
    cases.add(f"convolutional_block_{operator_set}", operator_set, block.nodes, {"x": x}, {"y": result.astype(np.float32)})


def add_recurrent(cases, operator_set):
    steps, batch, width, hidden = 3, 2, 8, 8
    x, w, r = drawn(steps, batch, width, seed=1), drawn(1, 4 * hidden, width, seed=2) / 4, drawn(1, 4 * hidden, hidden, seed=3) / 4
    block = Block()
    block("LSTM", "x", w, r, output="y", hidden_size=hidden)
    state = cell = np.zeros((batch, hidden))
    rows = []
    for row in x.astype(np.float64):
        i, o, f, c = np.split(row @ w[0].T + state @ r[0].T, 4, axis=1)
        i, o, f = (1 / (1 + np.exp(-gate)) for gate in (i, o, f))
        cell = f * cell + i * np.tanh(c)
        state = o * np.tanh(cell)
        rows.append(state)
    cases.add(f"recurrent_block_{operator_set}", operator_set, block.nodes, {"x": x},
              {"y": np.stack(rows)[:, None].astype(np.float32)})


def add_transformer(cases, operator_set):
    rows, heads, depth = 6, 2, 8
    wide = heads * depth
    x = drawn(1, rows, wide, seed=1)
    q, k, v, o = (drawn(wide, wide, seed=i) / 4 for i in range(2, 6))
    up, down = drawn(wide, 2 * wide, seed=6) / 4, drawn(2 * wide, wide, seed=7) / 4
    scale, shift = drawn(wide, seed=8), drawn(wide, seed=9)
    block = Block()
    attended = attended_by(block, operator_set, rows, heads, depth, q, k, v)
    inner = block("Add", block("MatMul", attended, o), "x")
    normal = normalized_by(block, operator_set, inner, scale, shift)
    active = active_by(block, operator_set, block("MatMul", normal, up))
    block("Add", block("MatMul", active, down), inner, output="y")

    wide_x = x[0].astype(np.float64)
    split = [(wide_x @ one).reshape(rows, heads, depth).transpose(1, 0, 2) for one in (q, k, v)]
    shares = np.exp(split[0] @ split[1].transpose(0, 2, 1) / np.sqrt(depth))
    shares /= shares.sum(axis=-1, keepdims=True)
    result = (shares @ split[2]).transpose(1, 0, 2).reshape(rows, wide) @ o + wide_x
    if operator_set >= 23:
        normal = rms_normalization(result, scale, -1, 1e-5)
    else:
        centred = result - result.mean(axis=-1, keepdims=True)
        normal = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5) * scale + shift
    result = gelu(normal @ up).astype(np.float64) @ down + result
    cases.add(f"transformer_block_{operator_set}", operator_set, block.nodes, {"x": x}, {"y": result[None].astype(np.float32)})


def attended_by(block, operator_set, rows, heads, depth, q, k, v):
    products = [block("MatMul", "x", one) for one in (q, k, v)]
    if operator_set >= 23:
        return block("Attention", *products, q_num_heads=heads, kv_num_heads=heads)
    apart = integers(1, rows, heads, depth)
    query, key, values = (block("Transpose", block("Reshape", one, apart), perm=order)
                          for one, order in zip(products, ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])))
    scores = block("Div", block("MatMul", query, key), np.float32(np.sqrt(depth)))
    attended = block("MatMul", block("Softmax", scores, axis=3), values)
    return block("Reshape", block("Transpose", attended, perm=[0, 2, 1, 3]), integers(1, rows, heads * depth))


def normalized_by(block, operator_set, x, scale, shift):
    if operator_set >= 23:
        return block("RMSNormalization", x, scale)
    if operator_set >= 17 and operator_set != 18:
        return block("LayerNormalization", x, scale, shift)

    def mean(of):
        return block("ReduceMean", of, integers(-1)) if operator_set >= 18 else block("ReduceMean", of, axes=[-1])

    centred = block("Sub", x, mean(x))
    deviation = block("Sqrt", block("Add", mean(block("Pow", centred, np.float32(2))), np.float32(1e-5)))
    return block("Add", block("Mul", block("Div", centred, deviation), scale), shift)


def active_by(block, operator_set, x):
    if operator_set >= 20:
        return block("Gelu", x)
    half = block("Add", block("Erf", block("Div", x, np.float32(np.sqrt(2)))), np.float32(1))
    return block("Mul", block("Mul", x, half), np.float32(0.5))


def add_to(cases):
    for operator_set in SETS:
        add_convolutional(cases, operator_set)
        add_recurrent(cases, operator_set)
        add_transformer(cases, operator_set)
