"""Operators that move elements or look at shapes."""

import numpy as np


def values_of(draw, shape, real_only=False):
    kind = draw.below(10)
    if real_only or kind < 7:
        return draw.reals(shape)
    if kind == 9:
        return draw.truth_values(shape)
    return draw.integers(shape, draw.integer_type(), -2**31, 2**31 - 1)


def given(case, operation, first, operands, names):
    """Lists of integers as attributes before set `first`, and as constant inputs from then on."""
    if case.opset < first:
        return [], {name: [int(x) for x in values] for name, values in zip(names, operands) if values is not None}
    return [None if values is None else case.whole(values) for values in operands], {}


def concat(case, operation):
    draw = case.draw
    shape = draw.shape(1)
    axis = draw.axis(len(shape))
    operands = []
    kind = draw.below(10)
    for _ in range(draw.between(1, 4)):
        side = list(shape)
        side[axis] = draw.between(0 if draw.chance(0.05) else 1, 4)
        operands.append(draw.reals(side) if kind < 8 else draw.integers(side, np.int64 if kind == 8 else np.int32))
    if len(operands) > 1 and draw.chance(0.1):
        name = case.operand(operands[0])
        operands = [name, name, *operands[1:]]
    case.single(operation, operands, axis=axis)


def split(case, operation):
    draw = case.draw
    shape = draw.shape(1)
    axis = draw.axis(len(shape))
    count = draw.between(1, 4)
    parts = [draw.between(0 if draw.chance(0.1) else 1, 3) for _ in range(count)]
    if draw.chance(0.3):
        parts = [parts[0] or 1] * count
        shape[axis] = sum(parts)
        case.single(operation, [values_of(draw, shape, case.opset < 13)], count, axis=axis)
        return
    shape[axis] = sum(parts)
    inputs, attributes = given(case, operation, 13, [parts], ["split"])
    case.single(operation, [values_of(draw, shape, case.opset < 13), *inputs], count, axis=axis, **attributes)


def bound_of(draw, side):
    if draw.chance(0.15):
        return draw.pick((2**31 - 1, -2**31 + 1, 2**63 - 1, -2**63 + 1, 100, -100))
    return draw.between(-side - 2, side + 2)


def slice_of(case, operation):
    draw = case.draw
    shape = draw.shape(1)
    axes = draw.axes(len(shape))
    if draw.chance(0.3):
        axes = list(range(len(axes)))
    starts = [bound_of(draw, shape[axis]) for axis in axes]
    ends = [bound_of(draw, shape[axis]) for axis in axes]
    backwards = [case.opset >= 10 and draw.chance(0.4) for _ in axes]
    for i, axis in enumerate(axes):  # most are not empty
        if draw.chance(0.8):
            side = shape[axis]
            low, high = sorted((draw.below(side), draw.below(side)))
            starts[i], ends[i] = (high, low - 1) if backwards[i] else (low, high + 1)
            if ends[i] < 0:
                ends[i] = draw.pick((-side - 1, -2**31, -2**63 + 1))
    steps = [(-1 if back else 1) * draw.between(1, 3) for back in backwards]
    if axes == list(range(len(axes))) and draw.chance(0.5):
        axes = None
    if case.opset < 10:
        case.single(operation, [values_of(draw, shape)], starts=starts, ends=ends, axes=axes)
        return
    if axes is None and any(step != 1 for step in steps):
        axes = list(range(len(steps)))
    kind = np.int64
    if all(abs(x) < 2**31 for x in starts + ends):
        kind = draw.integer_type()
    inputs = [case.whole(starts, kind), case.whole(ends, kind), None if axes is None else case.whole(axes, kind)]
    if axes is not None and (any(step != 1 for step in steps) or draw.chance(0.3)):
        inputs.append(case.whole(steps, kind))
    case.single(operation, [values_of(draw, shape), *inputs])


def pad(case, operation):
    draw = case.draw
    shape = draw.shape(1)
    mode = draw.pick(("constant", "constant", "reflect", "edge"))
    pads = []
    for side in shape + shape:
        least = -1 if mode == "constant" and side > 2 and draw.chance(0.3) else 0
        pads.append(draw.between(least, min(2, side - 1) if mode == "reflect" else 2))
    # Reflections of an image of which something is cut off are open in ONNX.
    mode = None if mode == "constant" and draw.chance(0.5) else mode
    values = draw.reals(shape)
    if case.opset < 11:
        case.single(operation, [values], pads=pads, mode=mode, value=draw.real(-2, 2) if draw.chance(0.5) else None)
        return
    if draw.chance(0.2):
        values = draw.integers(shape, draw.integer_type())
    fill = np.array(draw.between(-3, 3), dtype=values.dtype) if draw.chance(0.5) else None
    case.single(operation, [values, case.whole(pads), fill], mode=mode)


def transpose(case, operation):
    draw = case.draw
    shape = draw.shape(1, empty=True)
    order = [int(axis) for axis in draw.generator.permutation(len(shape))]
    case.single(operation, [values_of(draw, shape)], perm=order if draw.chance(0.8) else None)


def reshape(case, operation):
    draw = case.draw
    shape = draw.shape(0)
    sides = [2 ** draw.below(2) * 3 ** draw.below(2) for _ in shape]
    values = values_of(draw, sides)
    wanted = [int(side) for side in draw.generator.permutation(sides)] if sides else []
    if len(wanted) > 1 and draw.chance(0.5):
        place = draw.below(len(wanted) - 1)
        wanted[place:place + 2] = [wanted[place] * wanted[place + 1]]
    if draw.chance(0.3):
        wanted.insert(draw.below(len(wanted) + 1), 1)
    for place, side in enumerate(wanted):
        if place < len(sides) and sides[place] == side and draw.chance(0.5):
            wanted[place] = 0
    if wanted and draw.chance(0.5):
        wanted[draw.below(len(wanted))] = -1
    case.single(operation, [values, case.whole(wanted)])


def flatten(case, operation):
    draw = case.draw
    shape = draw.shape(0, empty=True)
    axis = draw.between(-len(shape) if case.opset >= 11 else 0, len(shape))
    real = case.opset < 9
    case.single(operation, [values_of(draw, shape, real)], axis=axis if draw.chance(0.8) or len(shape) == 0 else None)


def squeeze(case, operation):
    draw = case.draw
    shape = [1 if draw.chance(0.5) else side for side in draw.shape(1)]
    ones = [axis for axis, side in enumerate(shape) if side == 1]
    axes = None if not ones or draw.chance(0.2) else [axis for axis in ones if draw.chance(0.7)] or ones[:1]
    if axes and case.opset >= 11:
        axes = [axis - len(shape) if draw.chance(0.4) else axis for axis in axes]
    inputs, attributes = given(case, operation, 13, [axes], ["axes"])
    case.single(operation, [values_of(draw, shape), *inputs], **attributes)


def unsqueeze(case, operation):
    draw = case.draw
    shape = draw.shape(0, 3)
    count = draw.between(1, 2)
    axes = [int(axis) for axis in draw.generator.permutation(len(shape) + count)[:count]]
    if case.opset >= 11:
        axes = [axis - len(shape) - count if draw.chance(0.4) else axis for axis in axes]
    inputs, attributes = given(case, operation, 13, [axes], ["axes"])
    case.single(operation, [values_of(draw, shape), *inputs], **attributes)


def expand(case, operation):
    draw = case.draw
    whole = draw.shape(0)
    shape = draw.broadcast_of(whole)
    first = len(whole) - len(shape)
    wanted = [1 if axis >= first and draw.chance(0.2) else side for axis, side in enumerate(whole)]
    if draw.chance(0.2):  # of fewer sides than there are
        wanted = wanted[draw.below(len(wanted) + 1):]
    case.single(operation, [values_of(draw, shape), case.whole(wanted)])


def tile(case, operation):
    draw = case.draw
    shape = draw.shape(1, 4, 4)
    case.single(operation, [values_of(draw, shape), case.whole([draw.between(0 if draw.chance(0.03) else 1, 3) for _ in shape])])


def gather(case, operation):
    draw = case.draw
    shape = draw.shape(1)
    axis = draw.axis(len(shape))
    least = -shape[axis] if case.opset >= 11 else 0
    indices = draw.integers(draw.shape(0, 2), draw.integer_type(), least, shape[axis] - 1)
    case.single(operation, [values_of(draw, shape), indices], axis=axis if draw.chance(0.8) or axis not in (0, -len(shape)) else None)


def gather_elements(case, operation):
    draw = case.draw
    shape = draw.shape(1, 4)
    axis = draw.axis(len(shape))
    sides = [draw.between(1, side) for side in shape]
    sides[axis] = draw.between(1, 6)
    indices = draw.integers(sides, draw.integer_type(), -shape[axis], shape[axis] - 1)
    case.single(operation, [values_of(draw, shape), indices], axis=axis)


def depth_to_space(case, operation):
    draw = case.draw
    block = draw.between(1, 3)
    shape = [draw.between(1, 2), block * block * draw.between(1, 3), draw.between(1, 3), draw.between(1, 3)]
    mode = draw.pick((None, "DCR", "CRD")) if case.opset >= 11 else None
    case.single(operation, [draw.reals(shape)], blocksize=block, mode=mode)


def space_to_depth(case, operation):
    draw = case.draw
    block = draw.between(1, 3)
    case.single(operation, [draw.reals([draw.between(1, 2), draw.between(1, 3), block * draw.between(1, 3), block * draw.between(1, 3)])],
                blocksize=block)


def identity(case, operation):
    case.single(operation, [values_of(case.draw, case.draw.shape(empty=True))])


def dropout(case, operation):
    draw = case.draw
    values = draw.reals(draw.shape(empty=True))
    if case.opset < 12:
        case.single(operation, [values], 1, ratio=draw.real(0, 0.9))
        return
    ratio = np.array(draw.real(0, 0.9), np.float32) if draw.chance(0.5) else None
    case.single(operation, [values, None if ratio is None else case.constant(ratio)], draw.between(1, 2))


def shape_of(case, operation):
    draw = case.draw
    shape = draw.shape(empty=True)
    attributes = {}
    if case.opset >= 15 and operation == "Shape":
        attributes = {name: draw.between(-6, 6) for name in ("start", "end") if draw.chance(0.5)}
    case.single(operation, [values_of(draw, shape)], **attributes)


def trilu(case, operation):
    draw = case.draw
    shape = draw.shape(2, 4)
    k = np.array(draw.between(-5, 5), np.int64) if draw.chance(0.7) else None
    case.single(operation, [values_of(draw, shape), k if k is None else case.constant(k)], upper=draw.pick((None, 0, 1)))


def arange(case, operation):
    draw = case.draw
    kind = draw.pick((np.float32, np.int32, np.int64))
    delta = draw.pick((1, 2, 3, -1, -2))
    if kind == np.float32:
        delta *= draw.pick((0.1, 0.25, 1 / 3))
    numbers = [draw.between(-5, 5), draw.between(-5, 5), delta]
    case.single(operation, [case.constant(np.array(x, kind)) for x in numbers])


def table():
    """Operator, first set, weight and what draws a case."""
    return [("Concat", 7, 2, concat), ("Split", 7, 2, split), ("Slice", 7, 5, slice_of), ("Pad", 7, 4, pad),
            ("Transpose", 7, 2, transpose), ("Reshape", 7, 2, reshape), ("Flatten", 7, 1, flatten),
            ("Squeeze", 7, 2, squeeze), ("Unsqueeze", 7, 2, unsqueeze), ("Expand", 8, 2, expand),
            ("Tile", 7, 1, tile), ("Gather", 7, 2, gather), ("GatherElements", 11, 2, gather_elements),
            ("DepthToSpace", 7, 1, depth_to_space), ("SpaceToDepth", 7, 1, space_to_depth),
            ("Identity", 7, 1, identity), ("Dropout", 7, 1, dropout), ("Shape", 7, 1, shape_of), ("Size", 7, 1, shape_of),
            ("Trilu", 14, 2, trilu), ("Range", 11, 1, arange)]
