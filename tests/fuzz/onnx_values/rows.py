"""Reductions, normalizations, products and recurrent layers."""

import numpy as np

REDUCTIONS = ("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin",
              "ReduceProd", "ReduceSum", "ReduceSumSquare")


def reduction(case, operation):
    draw = case.draw
    shape = draw.shape(1)
    axes = draw.axes(len(shape))
    if case.opset < 11:
        axes = [axis % len(shape) for axis in axes]
    if draw.chance(0.2):
        axes = None
    keep = draw.pick((None, 0, 1))
    values = draw.reals(shape)
    if operation == "ReduceLogSum":
        values = np.abs(values) + draw.real_type(0.1)
    elif draw.chance(0.15) and operation not in ("ReduceLogSumExp", "ReduceL2", "ReduceMean"):
        values = draw.integers(shape, draw.integer_type(), -4, 4)
    if operation == "ReduceSum" and case.opset >= 13:
        inputs = [None if axes is None else case.whole(axes)]
        nothing = draw.pick((None, 0, 1))
        case.single(operation, [values, *inputs], keepdims=keep, noop_with_empty_axes=nothing)
    else:
        case.single(operation, [values], keepdims=keep, axes=axes)


def softmax(case, operation):
    draw = case.draw
    shape = draw.shape(1)
    axis = draw.axis(len(shape)) if case.opset >= 11 else draw.below(len(shape))
    if draw.chance(0.3) and (case.opset >= 13 or len(shape) > 1):
        axis = None
    case.single(operation, [draw.reals(shape)], axis=axis)


def image_shape(draw, least=1, most=3, side=5):
    return [draw.between(1, 2), draw.between(1, 4)] + [draw.between(1, side) for _ in range(draw.between(least, most))]


def batch_normalization(case, operation):
    draw = case.draw
    shape = image_shape(draw, 0)
    channels = [shape[1]]
    operands = [draw.reals(channels, plain=True), draw.reals(channels, plain=True), draw.reals(channels, plain=True),
                draw.positive(channels)]
    case.single(operation, [draw.reals(shape), *operands], epsilon=draw.pick((None, 1e-3, 0.1)), momentum=draw.pick((None, 0.5)))


def instance_normalization(case, operation):
    draw = case.draw
    shape = image_shape(draw, 1)
    case.single(operation, [draw.reals(shape), draw.reals(shape[1:2], plain=True), draw.reals(shape[1:2], plain=True)],
                epsilon=draw.pick((None, 1e-3, 0.1)))


def layer_normalization(case, operation):
    draw = case.draw
    shape = draw.shape(1, 4)
    axis = draw.axis(len(shape))
    row = shape[axis % len(shape):]
    shift = draw.reals(row, plain=True) if draw.chance(0.6) else None
    values = draw.reals(shape, real_type=np.float32)
    scale = draw.reals(row, plain=True, real_type=np.float32)
    shift = None if shift is None else shift.astype(np.float32)
    case.single(operation, [values, scale, shift], draw.between(1, 3),
                axis=None if axis == -1 and draw.chance(0.5) else axis, epsilon=draw.pick((None, 1e-3, 0.1)))


def lrn(case, operation):
    draw = case.draw
    shape = image_shape(draw, 2, 2)
    shape[1] = draw.between(1, 7)
    case.single(operation, [draw.reals(shape)], size=draw.pick((1, 3, 5, 7)), alpha=draw.pick((None, 0.5)), beta=draw.pick((None, 0.5)),
                bias=draw.pick((None, 2.0)))


def gemm(case, operation):
    draw = case.draw
    m, n, k = (draw.between(1, 7) for _ in range(3))
    a_turned, b_turned = draw.pick((None, 0, 1)), draw.pick((None, 0, 1))
    addend = draw.pick(([], [1], [n], [1, n], [m, 1], [m, n], [1, 1], None))
    if addend is None and case.opset < 11:
        addend = [n]
    case.single(operation,
                [draw.reals([k, m] if a_turned else [m, k]), draw.reals([n, k] if b_turned else [k, n], plain=True),
                 None if addend is None else draw.reals(addend, plain=True)],
                transA=a_turned, transB=b_turned, alpha=draw.pick((None, 0.5, -2.0)), beta=draw.pick((None, 0.5, 0.0, -1.0)))


def matmul(case, operation):
    draw = case.draw
    m, n, k = (draw.between(1, 6) for _ in range(3))
    batch = draw.shape(0, 3, 3)
    a = [] if draw.chance(0.1) else [m]
    b = [] if draw.chance(0.1) else [n]
    a_shape = a + [k]
    b_shape = [k] + b
    if a:
        a_shape = draw.broadcast_of(batch) + a_shape
    if b:
        b_shape = draw.broadcast_of(batch) + b_shape
    case.single(operation, [draw.reals(a_shape), draw.reals(b_shape, plain=True)])


GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
FUNCTIONS = ("Relu", "Tanh", "Sigmoid", "Softsign", "Softplus")


def recurrent(case, operation):
    draw = case.draw
    draw.real_type = np.float32
    steps, batch, width, hidden = (draw.between(1, 3) for _ in range(4))
    direction = draw.pick(("forward", "reverse", "bidirectional", None))
    both = 2 if direction == "bidirectional" else 1
    rows = GATES[operation] * hidden

    def reals(shape):
        return draw.reals(shape, 0.7, plain=True)

    operands = [reals([steps, batch, width]), reals([both, rows, width]), reals([both, rows, hidden]),
                reals([both, 2 * rows]) if draw.chance(0.6) else None,
                draw.integers([batch], np.int32, 1, steps) if draw.chance(0.3) else None,
                reals([both, batch, hidden]) if draw.chance(0.4) else None]
    attributes = {"direction": direction, "hidden_size": hidden}
    if operation == "LSTM":
        operands += [reals([both, batch, hidden]) if draw.chance(0.4) else None, reals([both, 3 * hidden]) if draw.chance(0.3) else None]
        attributes["input_forget"] = draw.pick((None, 0, 1))
    if operation == "GRU":
        attributes["linear_before_reset"] = draw.pick((None, 0, 1))
    if draw.chance(0.25):
        count = {"RNN": 1, "GRU": 2, "LSTM": 3}[operation] * both
        attributes["activations"] = [draw.pick(FUNCTIONS) for _ in range(count)]
    if draw.chance(0.2):
        attributes["clip"] = draw.real(0.2, 1)
    case.single(operation, operands, 3 if operation == "LSTM" else 2, **attributes)


def table():
    """Operator, first set, weight and what draws a case."""
    rows = [(name, 7, 2, reduction) for name in REDUCTIONS]
    rows += [(name, 7, 2, softmax) for name in ("Softmax", "LogSoftmax")]
    rows += [("BatchNormalization", 7, 2, batch_normalization), ("InstanceNormalization", 7, 2, instance_normalization),
             ("LayerNormalization", 17, 3, layer_normalization), ("LRN", 7, 2, lrn), ("Gemm", 7, 4, gemm), ("MatMul", 7, 4, matmul)]
    rows += [(name, 7, 2, recurrent) for name in GATES]
    return rows
