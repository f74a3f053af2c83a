"""GroupNormalization and RMSNormalization: after groupnormalization.py and rms_normalization.py of ONNX's node cases."""

import numpy as np

from case_files import drawn


def group_normalization(x, groups, scale, bias, epsilon):
    rows = x.reshape(x.shape[0], groups, -1).astype(np.float64)
    mean = rows.mean(axis=-1, keepdims=True)
    normalized = (rows - mean) / np.sqrt(rows.var(axis=-1, keepdims=True) + epsilon)
    if scale.shape[0] == groups and groups != x.shape[1]:  # operator set 18
        return (normalized * scale[:, None] + bias[:, None]).reshape(x.shape).astype(np.float32)
    channels = (x.shape[1],) + (1,) * (x.ndim - 2)
    return (normalized.reshape(x.shape) * scale.reshape(channels) + bias.reshape(channels)).astype(np.float32)


def rms_normalization(x, scale, axis, epsilon):
    axes = tuple(range(axis % x.ndim, x.ndim))
    wide = x.astype(np.float64)
    return (wide / np.sqrt((wide * wide).mean(axis=axes, keepdims=True) + epsilon) * scale).astype(x.dtype)


def add_to(cases):
    x = drawn(3, 4, 2, 2)
    scale, bias = drawn(4, seed=1), drawn(4, seed=2)
    cases.one("group_normalization_example", 21, "GroupNormalization", {"x": x, "scale": scale, "bias": bias},
              {"y": group_normalization(x, 2, scale, bias, 1e-5)}, num_groups=2)
    cases.one("group_normalization_epsilon", 21, "GroupNormalization", {"x": x, "scale": scale, "bias": bias},
              {"y": group_normalization(x, 2, scale, bias, 1e-2)}, num_groups=2, epsilon=1e-2)
    scale, bias = drawn(2, seed=3), drawn(2, seed=4)
    cases.one("group_normalization_of_groups_18", 18, "GroupNormalization", {"x": x, "scale": scale, "bias": bias},
              {"y": group_normalization(x, 2, scale, bias, 1e-5)}, num_groups=2)

    for shape in ((3, 4), (2, 3, 5), (2, 3, 4, 5)):
        x = drawn(*shape)
        for axis in range(-len(shape), len(shape)):
            scale = drawn(*shape[axis % len(shape):], seed=7)
            name = f"axis{axis}" if axis >= 0 else f"axis_negative_{-axis}"
            epsilon = 1e-1 if len(shape) == 3 else 1e-5
            cases.one(f"rms_normalization_{len(shape)}d_{name}", 23, "RMSNormalization", {"X": x, "scale": scale},
                      {"Y": rms_normalization(x, scale, axis, epsilon)}, axis=axis, epsilon=epsilon)
    x, scale = drawn(2, 3, 4, 5), drawn(5, seed=8)
    cases.one("rms_normalization_default_axis", 23, "RMSNormalization", {"X": x, "scale": scale},
              {"Y": rms_normalization(x, scale, -1, 1e-5)})
    x, scale = drawn(3, 64, dtype=np.float16), drawn(1, seed=8, dtype=np.float16)
    cases.one("rms_normalization_float16_one_scale", 23, "RMSNormalization", {"X": x, "scale": scale},
              {"Y": rms_normalization(x, scale, -1, 1e-5)})
