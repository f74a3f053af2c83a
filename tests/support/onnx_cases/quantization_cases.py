"""Quantised tensors: after quantizelinear.py, dequantizelinear.py, dynamicquantizelinear.py, matmulinteger.py, convinteger.py,
qlinearmatmul.py and qlinearconv.py of ONNX's node cases, with types, axes and shapes that those of set 17 do not have."""

import numpy as np
from onnx import TensorProto
from onnx.helper import make_node as node

from case_files import drawn

RANGES = {np.int8: (-128, 127), np.uint8: (0, 255)}


def saturated(x, zero, dtype):
    """Rounded to the nearest integer, ties to even, moved by the zero point and clamped."""
    return np.clip(np.rint(x).astype(np.int64) + zero, *RANGES[dtype]).astype(dtype)


def drawn_bytes(dtype, *shape, seed=0):
    low, high = RANGES[dtype]
    return np.random.RandomState(seed).randint(low, high + 1, shape).astype(dtype)


def scalar(value, dtype=np.float32):
    return np.array(value, dtype=dtype)


def along(values, axis, rank):
    """A vector as a tensor that broadcasts along an axis."""
    shape = [1] * rank
    shape[axis] = -1
    return values.reshape(shape)


def add_quantize(cases):
    # Every second element lies in the middle of two integers.
    ties = (np.arange(-300, 300, dtype=np.float32) / 2).reshape(3, 10, 20)
    one, zero = scalar(1), scalar(3, np.int8)
    cases.one("quantizelinear_ties_int8", 10, "QuantizeLinear", {"x": ties, "y_scale": one, "y_zero_point": zero},
              {"y": saturated(ties, 3, np.int8)})
    cases.one("quantizelinear_without_zero_point", 13, "QuantizeLinear", {"x": ties, "y_scale": one},
              {"y": saturated(ties, 0, np.uint8)})
    whole = np.random.RandomState(1).randint(-5000, 5000, (4, 7)).astype(np.int32)
    cases.one("quantizelinear_int32", 13, "QuantizeLinear",
              {"x": whole, "y_scale": scalar(16), "y_zero_point": scalar(200, np.uint8)},
              {"y": saturated(whole.astype(np.float32) / np.float32(16), 200, np.uint8)})
    x = drawn(2, 3, 4, 5, seed=2)
    scales = np.array([0.01, 0.02, 0.03, 0.04, 0.05], dtype=np.float32)
    zeros = np.array([0, 10, -20, 127, -128], dtype=np.int8)
    cases.one("quantizelinear_last_axis_int8", 13, "QuantizeLinear", {"x": x, "y_scale": scales, "y_zero_point": zeros},
              {"y": saturated(x / scales, zeros.astype(np.int64), np.int8)}, axis=-1)
    halves, step = x.astype(np.float16), scalar(0.013, np.float16)
    cases.one("quantizelinear_float16", 19, "QuantizeLinear",
              {"x": halves, "y_scale": step, "y_zero_point": scalar(128, np.uint8)},
              {"y": saturated(halves / step, 128, np.uint8)})
    cases.one("quantizelinear_output_dtype", 21, "QuantizeLinear", {"x": x, "y_scale": scales[:3]},
              {"y": saturated(x / along(scales[:3], 1, 4), 0, np.int8)}, output_dtype=TensorProto.INT8)
    exact = halves.astype(np.float32) / np.float32(step)
    cases.one("quantizelinear_precision", 23, "QuantizeLinear",
              {"x": halves, "y_scale": step, "y_zero_point": scalar(128, np.uint8)},
              {"y": saturated(exact, 128, np.uint8)}, precision=TensorProto.FLOAT)


def add_dequantize(cases):
    for dtype, zero in ((np.int8, -3), (np.uint8, 131)):
        x = drawn_bytes(dtype, 3, 4, 5, seed=3)
        cases.one(f"dequantizelinear_{np.dtype(dtype).name}", 10, "DequantizeLinear",
                  {"x": x, "x_scale": scalar(0.1), "x_zero_point": scalar(zero, dtype)},
                  {"y": (x.astype(np.float32) - np.float32(zero)) * np.float32(0.1)})
    x = drawn_bytes(np.int8, 2, 3, 4, seed=4)
    scales = np.array([0.5, 0.03], dtype=np.float32)
    zeros = np.array([5, -7], dtype=np.int8)
    cases.one("dequantizelinear_first_axis_int8", 13, "DequantizeLinear", {"x": x, "x_scale": scales, "x_zero_point": zeros},
              {"y": (x - along(zeros, 0, 3).astype(np.float32)) * along(scales, 0, 3)}, axis=0)
    whole = np.random.RandomState(5).randint(-2**30, 2**30, (4, 7)).astype(np.int32)
    cases.one("dequantizelinear_int32", 13, "DequantizeLinear", {"x": whole, "x_scale": scalar(2.0**-20)},
              {"y": whole.astype(np.float32) * np.float32(2.0**-20)})
    step = scalar(0.013, np.float16)
    halves = x.astype(np.float16) * step
    cases.one("dequantizelinear_float16", 19, "DequantizeLinear", {"x": x, "x_scale": step}, {"y": halves})
    cases.one("dequantizelinear_output_dtype", 23, "DequantizeLinear", {"x": x, "x_scale": scalar(0.013)},
              {"y": (x * np.float32(0.013)).astype(np.float16)}, output_dtype=TensorProto.FLOAT16)


def add_dynamic(cases):
    x = drawn(3, 4, 5, seed=6)
    low, high = min(x.min(), 0), max(x.max(), 0)
    step = (high - low) / np.float32(255)
    zero = saturated(-low / step, 0, np.uint8)
    cases.one("dynamicquantizelinear_3d", 11, "DynamicQuantizeLinear", {"x": x},
              {"y": saturated(x / step, zero.astype(np.int64), np.uint8), "y_scale": scalar(step),
               "y_zero_point": scalar(zero, np.uint8)})


def convolved(x, w, strides, pad, groups):
    """Sums of integers of a convolution of images, the padding being 0."""
    filters, channels, height, width = w.shape
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    rows = (x.shape[2] - height) // strides[0] + 1
    columns = (x.shape[3] - width) // strides[1] + 1
    y = np.zeros((x.shape[0], filters, rows, columns), dtype=np.int64)
    for f in range(filters):
        first = f // (filters // groups) * channels
        for i in range(rows):
            for j in range(columns):
                part = x[:, first:first + channels, i * strides[0]:i * strides[0] + height,
                         j * strides[1]:j * strides[1] + width]
                y[:, f, i, j] = (part * w[f]).sum(axis=(1, 2, 3))
    return y


def add_products(cases):
    a, b = drawn_bytes(np.int8, 2, 1, 3, 6, seed=7), drawn_bytes(np.uint8, 4, 6, 5, seed=8)
    a_zero = drawn_bytes(np.int8, 2, 1, 3, 1, seed=9)
    b_zero = drawn_bytes(np.uint8, 4, 1, 5, seed=10)
    sums = np.matmul(a.astype(np.int64) - a_zero, b.astype(np.int64) - b_zero)
    cases.one("matmulinteger_batches", 10, "MatMulInteger", {"A": a, "B": b, "a_zero_point": a_zero, "b_zero_point": b_zero},
              {"Y": sums.astype(np.int32)})
    a, b = drawn_bytes(np.uint8, 7, 6, seed=11), drawn_bytes(np.int8, 6, 5, seed=12)
    rows, columns = drawn_bytes(np.uint8, 7, seed=13), drawn_bytes(np.int8, 5, seed=14)
    cases.one("matmulinteger_rows_and_columns", 10, "MatMulInteger",
              {"A": a, "B": b, "a_zero_point": rows, "b_zero_point": columns},
              {"Y": ((a.astype(np.int64) - rows[:, None]) @ (b.astype(np.int64) - columns)).astype(np.int32)})
    scales = np.array([0.01, 0.02, 0.005, 0.03, 0.04], dtype=np.float32)
    sums = ((a.astype(np.int64) - 120) @ (b.astype(np.int64) - columns)).astype(np.float32)
    for dtype, zero in ((np.int8, -5), (np.uint8, 100)):
        cases.one(f"qlinearmatmul_columns_{np.dtype(dtype).name}", 10, "QLinearMatMul",
                  {"a": a, "a_scale": scalar(0.5), "a_zero_point": scalar(120, np.uint8), "b": b, "b_scale": scales,
                   "b_zero_point": columns, "y_scale": scalar(2.5), "y_zero_point": scalar(zero, dtype)},
                  {"y": saturated(sums * (np.float32(0.5) * scales / np.float32(2.5)), zero, dtype)})


def add_convolutions(cases):
    x = drawn_bytes(np.uint8, 2, 4, 7, 6, seed=15)
    w = drawn_bytes(np.int8, 6, 2, 3, 3, seed=16)
    zeros = drawn_bytes(np.int8, 6, seed=17)
    sums = convolved(x.astype(np.int64) - 7, w.astype(np.int64) - along(zeros, 0, 4), (2, 1), 1, 2)
    attributes = {"group": 2, "strides": [2, 1], "pads": [1, 1, 1, 1]}
    cases.one("convinteger_groups", 10, "ConvInteger",
              {"x": x, "w": w, "x_zero_point": scalar(7, np.uint8), "w_zero_point": zeros}, {"y": sums.astype(np.int32)},
              **attributes)
    scales = np.array([0.01, 0.02, 0.005, 0.03, 0.04, 0.001], dtype=np.float32)
    bias = np.random.RandomState(18).randint(-5000, 5000, 6).astype(np.int32)
    wide = (convolved(x.astype(np.int64) - 7, w.astype(np.int64), (2, 1), 1, 2) + along(bias, 0, 4)[None, :, 0]).astype(np.float32)
    factors = np.float32(0.25) * scales / np.float32(1.5)
    for dtype, zero in ((np.int8, 11), (np.uint8, 130)):
        cases.one(f"qlinearconv_filters_{np.dtype(dtype).name}", 10, "QLinearConv",
                  {"x": x, "x_scale": scalar(0.25), "x_zero_point": scalar(7, np.uint8), "w": w, "w_scale": scales,
                   "w_zero_point": np.zeros(6, dtype=np.int8), "y_scale": scalar(1.5), "y_zero_point": scalar(zero, dtype),
                   "B": bias}, {"y": saturated(wide * along(factors, 1, 4), zero, dtype)}, **attributes)


def add_blocks(cases):
    """A convolution and a product between QuantizeLinear and DequantizeLinear. Scales are powers of two and sums less than 2^11, so that
    everything but conversions is exact, also in halves."""
    x = (np.random.RandomState(19).randint(-15, 16, (2, 4, 6, 6)) * 2.0**-5).astype(np.float32)
    w = np.random.RandomState(20).randint(-3, 4, (8, 4, 3, 3)).astype(np.int8)
    step, scales, made = scalar(2.0**-4), (2.0**-np.arange(0, 8)).astype(np.float32), scalar(2.0**-3)
    quantised = saturated(x / step, 0, np.int8)
    sums = convolved(quantised.astype(np.int64), w.astype(np.int64), (1, 1), 1, 1)
    y = np.maximum(sums * (step.astype(np.float64) * along(scales, 1, 4)), 0)
    nodes = [node("QuantizeLinear", ["x", "s", "z"], ["xq"]), node("DequantizeLinear", ["xq", "s", "z"], ["xd"]),
             node("DequantizeLinear", ["w", "ws"], ["wd"], axis=0),
             node("Conv", ["xd", "wd"], ["c"], pads=[1, 1, 1, 1]), node("Relu", ["c"], ["r"]),
             node("QuantizeLinear", ["r", "t"], ["rq"]), node("DequantizeLinear", ["rq", "t"], ["y"])]
    cases.add("qdq_convolution", 13, nodes,
              {"x": x, "s": step, "z": scalar(0, np.int8), "w": w, "ws": scales, "t": made},
              {"y": (saturated(y / made, 0, np.uint8) * made).astype(np.float32)})
    a = (np.random.RandomState(21).randint(-15, 16, (5, 16)) * 2.0**-5).astype(np.float32)
    b = np.random.RandomState(22).randint(-7, 8, (16, 7)).astype(np.int8)
    quantised = saturated(a / step, 5, np.uint8)
    y = ((quantised.astype(np.int64) - 5) @ b.astype(np.int64)) * (float(step) * 2.0**-7)
    nodes = [node("QuantizeLinear", ["a", "s", "z"], ["aq"]), node("DequantizeLinear", ["aq", "s", "z"], ["ad"]),
             node("DequantizeLinear", ["b", "bs"], ["bd"]), node("MatMul", ["ad", "bd"], ["m"]),
             node("QuantizeLinear", ["m", "t"], ["y"], output_dtype=TensorProto.INT8)]
    cases.add("qdq_product", 21, nodes,
              {"a": a, "s": step, "z": scalar(5, np.uint8), "b": b, "bs": scalar(2.0**-7), "t": made},
              {"y": saturated(y / made, 0, np.int8)})


def add_to(cases):
    add_quantize(cases)
    add_dequantize(cases)
    add_dynamic(cases)
    add_products(cases)
    add_convolutions(cases)
    add_blocks(cases)
