"""Operators of elements: functions, combinations, comparisons and truth values."""

import numpy as np

from onnx import TensorProto

# Operator, first set, and attributes as (name, least, most).
FUNCTIONS = {
    "Abs": (7, ()), "Ceil": (7, ()), "Celu": (12, (("alpha", 0.3, 3),)), "Cos": (7, ()),
    "Elu": (7, (("alpha", -1, 3),)), "Erf": (9, ()), "Exp": (7, ()), "Floor": (7, ()),
    "HardSigmoid": (7, (("alpha", -1, 1), ("beta", -1, 1))), "HardSwish": (14, ()),
    "LeakyRelu": (7, (("alpha", -1, 2),)), "Log": (7, ()), "Neg": (7, ()), "Reciprocal": (7, ()),
    "Relu": (7, ()), "Round": (11, ()), "Selu": (7, (("alpha", 0.5, 2), ("gamma", 0.5, 2))),
    "Sigmoid": (7, ()), "Sign": (9, ()), "Sin": (7, ()), "Softplus": (7, ()), "Softsign": (7, ()),
    "Sqrt": (7, ()), "Tanh": (7, ()), "ThresholdedRelu": (10, (("alpha", -1, 2),)),
}
OF_INTEGERS = ("Abs", "Neg", "Sign")


def function(case, operation):
    draw = case.draw
    shape = draw.shape(empty=True)
    if operation in OF_INTEGERS and draw.chance(0.3):
        case.single(operation, [draw.integers(shape, draw.integer_type())])
        return
    values = draw.reals(shape)
    if operation == "Round":
        values = np.asarray(np.round(values * 2) / 2 if draw.chance(0.5) else values, values.dtype)
    if operation == "Celu":
        values = values.astype(np.float32)  # of one type only
    given = {name: draw.real(least, most) for name, least, most in FUNCTIONS[operation][1] if draw.chance(0.7)}
    case.single(operation, [values], **given)


def pair_of_shapes(draw):
    """Shapes of any ranks that are broadcast to one."""
    shape = draw.shape(empty=True)
    shapes = [shape, draw.broadcast_of(shape)]
    if draw.chance(0.5):
        shapes.reverse()
    if draw.chance(0.2):
        shapes = [draw.broadcast_of(shape), draw.broadcast_of(shape)]
    return shapes


def combination(case, operation):
    """Add, Sub, Mul, Div, Pow and Mod of two, of real numbers or integers."""
    draw = case.draw
    a, b = pair_of_shapes(draw)
    integers = draw.chance(0.3) and not (operation == "Pow" and case.opset < 12)
    attributes = {}
    if operation == "Mod":
        attributes = {"fmod": draw.below(2) if integers else 1}
    if not integers:
        operands = [draw.reals(a), draw.reals(b)]
        if operation == "Mod":
            operands = [draw.reals(a, plain=True), draw.positive(b)]
        if operation == "Pow" and case.opset >= 12 and draw.chance(0.3):
            operands[1] = draw.integers(b, draw.integer_type(), -3, 3)
    else:
        kind = draw.integer_type()
        wide = operation in ("Add", "Sub", "Mul") and draw.chance(0.4)
        most = np.iinfo(kind).max if wide else 9
        operands = [draw.integers(a, kind, -most, most - 1), draw.integers(b, kind, -most, most - 1)]
        if operation in ("Div", "Mod"):
            operands[1] = np.asarray(np.where(operands[1] == 0, 4, operands[1]), kind)
        if operation == "Pow":
            operands[1] = np.abs(operands[1]) % 5
    name = case.operand(operands[0])
    if list(a) == list(b) and draw.chance(0.1) and operation not in ("Mod", "Div", "Pow"):
        case.single(operation, [name, name], **attributes)
    else:
        case.single(operation, [name, operands[1]], **attributes)


def several(case, operation):
    """Min, Max, Mean and Sum of one to four, broadcast from set 8 on."""
    draw = case.draw
    shape = draw.shape(empty=True)
    count = draw.between(1, 4)
    shapes = [draw.broadcast_of(shape) if case.opset >= 8 else shape for _ in range(count)]
    if operation in ("Min", "Max") and case.opset >= 12 and draw.chance(0.3):
        kind = draw.integer_type()
        case.single(operation, [draw.integers(one, kind) for one in shapes])
    else:
        case.single(operation, [draw.reals(one) for one in shapes])


def prelu(case, operation):
    draw = case.draw
    shape = draw.shape(1)
    slope = draw.broadcast_of(shape)
    case.single(operation, [draw.reals(shape), draw.reals(slope, plain=True)])


def comparison(case, operation):
    draw = case.draw
    a, b = pair_of_shapes(draw)
    kinds = ["real", "integer"]
    if operation == "Equal":
        kinds = ["integer", "truth"] + (["real"] if case.opset >= 11 else [])
    elif case.opset < 9:
        kinds = ["real"]
    kind = draw.pick(kinds)
    integer_type = draw.integer_type()

    def values(shape):
        if kind == "truth":
            return draw.truth_values(shape)
        if kind == "integer":
            return draw.integers(shape, integer_type, -2, 2)
        return np.asarray(np.round(draw.reals(shape)), draw.real_type)

    case.single(operation, [values(a), values(b)])


def logic(case, operation):
    draw = case.draw
    a, b = pair_of_shapes(draw)
    case.single(operation, [draw.truth_values(a)] if operation == "Not" else [draw.truth_values(a), draw.truth_values(b)])


def where(case, operation):
    draw = case.draw
    shape = draw.shape(empty=True)
    kind = draw.pick((draw.real_type, np.int32, np.int64))
    shapes = [draw.broadcast_of(shape) for _ in range(3)]
    values = [draw.reals(one) if kind in (np.float32, np.float16) else draw.integers(one, kind, -2**31, 2**31 - 1) for one in shapes[1:]]
    case.single(operation, [draw.truth_values(shapes[0]), *values])


def clip(case, operation):
    draw = case.draw
    values = draw.reals(draw.shape(empty=True))
    bounds = [draw.real(-2, 0) if draw.chance(0.7) else None, draw.real(0, 2) if draw.chance(0.7) else None]
    if draw.chance(0.1) and None not in bounds:
        bounds.reverse()
    if case.opset < 11:
        case.single(operation, [values], min=bounds[0], max=bounds[1])
        return
    if case.opset >= 12 and draw.chance(0.2):
        kind = draw.integer_type()
        values, bounds = draw.integers(values.shape, kind), [None if bound is None else int(bound * 4) for bound in bounds]
    case.single(operation, [values, *(None if bound is None else np.array(bound, dtype=values.dtype) for bound in bounds)])


TYPES = {TensorProto.FLOAT: np.float32, TensorProto.FLOAT16: np.float16, TensorProto.INT32: np.int32,
         TensorProto.INT64: np.int64, TensorProto.BOOL: np.bool_}


def cast_operand(draw, target):
    """Values that the target can hold: what a cast does beyond that is open in ONNX."""
    kind = draw.pick(list(TYPES.values()))
    shape = draw.shape(empty=True)
    if kind in (np.float32, np.float16):
        return draw.reals(shape, 50, plain=target not in (TensorProto.FLOAT, TensorProto.FLOAT16), real_type=kind)
    if kind == np.bool_:
        return draw.truth_values(shape)
    wide = target in (TensorProto.INT64, TensorProto.BOOL, TensorProto.FLOAT)
    most = np.iinfo(kind).max if wide or target == TensorProto.INT32 else 2000
    return draw.integers(shape, kind, -most, most - 1)


def cast(case, operation):
    draw = case.draw
    target = draw.pick(list(TYPES))
    values = cast_operand(draw, target)
    if operation == "Cast":
        case.single(operation, [values], to=target)
    else:
        case.single(operation, [values, np.zeros(draw.shape(), TYPES[target])])


def table():
    """Operator, first set, weight and what draws a case."""
    rows = [(name, first, 1, function) for name, (first, _) in FUNCTIONS.items()]
    rows += [(name, 7, 2, combination) for name in ("Add", "Sub", "Mul", "Div", "Pow")]
    rows += [("Mod", 10, 2, combination)]
    rows += [(name, 7, 1, several) for name in ("Min", "Max", "Mean", "Sum")]
    rows += [(name, first, 1, comparison) for name, first in
             (("Equal", 7), ("Greater", 7), ("Less", 7), ("GreaterOrEqual", 12), ("LessOrEqual", 12))]
    rows += [(name, 7, 1, logic) for name in ("And", "Or", "Xor", "Not")]
    rows += [("PRelu", 7, 1, prelu), ("Where", 9, 1, where), ("Clip", 7, 2, clip), ("Cast", 7, 3, cast), ("CastLike", 15, 1, cast)]
    return rows
