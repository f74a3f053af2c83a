"""Gelu, Mish, bits, tests for infinity: after gelu.py, mish.py, bitwise*.py and isinf.py of ONNX's node cases."""

import math

import numpy as np

from case_files import drawn

ERF = np.vectorize(math.erf)


def gelu(x, by_tanh=False):
    x = x.astype(np.float64)
    if by_tanh:
        return (0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))).astype(np.float32)
    return (0.5 * x * (1 + ERF(x / np.sqrt(2)))).astype(np.float32)


def add_to(cases):
    for number, x in enumerate((np.array([-1, 0, 1], dtype=np.float32), drawn(3, 4, 5)), 1):
        cases.one(f"gelu_default_{number}", 20, "Gelu", {"x": x}, {"y": gelu(x)})
        cases.one(f"gelu_tanh_{number}", 20, "Gelu", {"x": x}, {"y": gelu(x, True)}, approximate="tanh")
    x = np.linspace(-10, 10, 1000, dtype=np.float32)
    wide = x.astype(np.float64)
    cases.one("mish", 18, "Mish", {"X": x}, {"Y": (wide * np.tanh(np.log1p(np.exp(wide)))).astype(np.float32)})

    random = np.random.RandomState(1)
    a, b = (random.randint(-99, 99, (3, 4, 5)).astype(np.int32) for _ in range(2))
    small = random.randint(-99, 99, (1, 4, 1)).astype(np.int64)
    wide = random.randint(-2**40, 2**40, (3, 4, 5)).astype(np.int64)
    cases.one("bitwise_and_i32_3d", 18, "BitwiseAnd", {"x": a, "y": b}, {"z": a & b})
    cases.one("bitwise_or_i32_3d", 18, "BitwiseOr", {"x": a, "y": b}, {"z": a | b})
    cases.one("bitwise_xor_i64_bcast_3v1d", 18, "BitwiseXor", {"x": wide, "y": small}, {"z": wide ^ small})
    cases.one("bitwise_not_3d", 18, "BitwiseNot", {"x": a}, {"y": ~a})

    x = np.array([-1.2, np.nan, np.inf, 2.8, -np.inf, np.inf], dtype=np.float16)
    cases.one("isinf_float16", 20, "IsInf", {"x": x}, {"y": np.isinf(x)})
    cases.one("isnan_float16", 20, "IsNaN", {"x": x}, {"y": np.isnan(x)})
    cases.one("isinf_positive_20", 20, "IsInf", {"x": x}, {"y": np.isposinf(x)}, detect_negative=0)
