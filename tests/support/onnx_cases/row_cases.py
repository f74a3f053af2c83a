"""Reductions whose axes are an input, and truth values: after reducemax.py to reducesumsquare.py of ONNX's node cases."""

import numpy as np

from case_files import drawn, integers

REDUCTIONS = {
    "ReduceL1": lambda x, **how: np.abs(x).sum(**how),
    "ReduceL2": lambda x, **how: np.sqrt((x * x).sum(**how)),
    "ReduceLogSum": lambda x, **how: np.log(x.sum(**how)),
    "ReduceLogSumExp": lambda x, **how: np.log(np.exp(x).sum(**how)),
    "ReduceMax": lambda x, **how: x.max(**how),
    "ReduceMean": lambda x, **how: x.mean(**how),
    "ReduceMin": lambda x, **how: x.min(**how),
    "ReduceProd": lambda x, **how: x.prod(**how),
    "ReduceSumSquare": lambda x, **how: (x * x).sum(**how),
}


def add_to(cases):
    x = np.abs(drawn(3, 2, 4)) + np.float32(0.25)
    wide = x.astype(np.float64)
    for name, reduce in REDUCTIONS.items():
        lower = "reduce_" + name[6:].lower()
        for way, axes, keep in (("do_not_keepdims", (1,), 0), ("keepdims", (1,), 1), ("negative_axes_keepdims", (-2,), 1),
                                ("two_axes", (0, 2), 1)):
            result = reduce(wide, axis=axes, keepdims=bool(keep))
            cases.one(f"{lower}_{way}_18", 18, name, {"data": x, "axes": integers(*axes)},
                      {"reduced": result.astype(np.float32)}, keepdims=keep)
        cases.one(f"{lower}_default_axes_keepdims_18", 18, name, {"data": x},
                  {"reduced": reduce(wide, keepdims=True).astype(np.float32)})
        cases.one(f"{lower}_noop_with_empty_axes_18", 18, name, {"data": x, "axes": integers()},
                  {"reduced": reduce(wide[..., None], axis=-1).astype(np.float32)}, noop_with_empty_axes=1)
    truth = np.array([[True, False], [False, False]])
    for name, reduce in (("ReduceMax", np.any), ("ReduceMin", np.all)):
        cases.one(f"{name[:6].lower()}_{name[6:].lower()}_bool_inputs", 20, name, {"data": truth, "axes": integers(1)},
                  {"reduced": reduce(truth, axis=1, keepdims=True)})
