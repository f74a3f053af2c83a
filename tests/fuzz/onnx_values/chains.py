"""Chains of operators that a network has one behind the other, and that fusion and patterns take for one."""

import math

import numpy as np

INEXACT = (0, 0, 0, 0, 0, 1e-7, 4e-4, 2e-3, 0.03)  # relative errors of constants that stand for a number


class Chain:
    """A case with the tensor it has come to."""

    def __init__(self, case, shape):
        self.case, self.draw = case, case.draw
        self.at, self.shape = case.operand(self.draw.reals(shape), constant=False), list(shape)
        self.made = []  # (name, shape) of tensors that may be added later

    def node(self, operation, *others, first=True, **attributes):
        """A node of the tensor and other operands, which may be arrays."""
        names = [other if isinstance(other, str) else self.case.constant(other) for other in others]
        self.at = self.case.node(operation, [self.at, *names] if first else [*names, self.at], **attributes)
        return self.at

    def number(self, value):
        """A constant of one element that is nearly always this number; its rank may be any."""
        value *= 1 + self.draw.pick(INEXACT)
        rank = self.draw.pick((0, 0, 1, 1, len(self.shape), len(self.shape) + (1 if self.draw.chance(0.2) else 0)))
        return self.case.constant(np.full([1] * rank, value, np.float32))

    def widen(self, name):
        """The shape after an operand of one element, whose rank may be larger."""
        rank = self.case.constants[name].ndim
        self.shape = [1] * max(0, rank - len(self.shape)) + self.shape

    def reals(self, *shape):
        return self.draw.reals(shape, 0.7, plain=True)

    def both_ways(self, operation, name):
        """A commutative node with an operand on either side."""
        return self.node(operation, name, first=self.draw.chance(0.5))

    def with_number(self, operation, value):
        name = self.number(value)
        self.both_ways(operation, name)
        self.widen(name)

    def mark(self):
        self.made.append((self.at, list(self.shape)))

    def end(self):
        """The last tensor is an output, and now and then another."""
        outputs = [self.at]
        if self.made and self.draw.chance(0.3):
            outputs.append(self.draw.pick(self.made)[0])
        self.case.result(*dict.fromkeys(outputs))


# Steps behind a product


def channel_shape(chain, side):
    """The shape of one number for each element along a side, as Add takes it."""
    return [chain.shape[side]] + [1] * (len(chain.shape) - side - 1)


def bias(chain):
    side = 1 if len(chain.shape) > 2 else len(chain.shape) - 1
    shape = channel_shape(chain, side)
    if chain.draw.chance(0.3):
        shape = [1] * (len(chain.shape) - len(shape)) + shape
    if chain.draw.chance(0.15):
        shape = chain.draw.broadcast_of(chain.shape)
    chain.both_ways("Add", chain.case.constant(chain.reals(*shape)))


def batch_normalization(chain):
    if len(chain.shape) < 2:
        return
    channels = chain.shape[1]
    operands = [chain.reals(channels), chain.reals(channels), chain.reals(channels), chain.draw.positive([channels])]
    if chain.draw.chance(0.1):
        operands[chain.draw.below(4)] = chain.case.operand(chain.draw.positive([channels]), constant=False)
    chain.node("BatchNormalization", *operands, epsilon=chain.draw.pick((None, 1e-3)))


def activation(chain):
    draw, case = chain.draw, chain.case
    kind = draw.below(8)
    if kind == 0:
        chain.node("LeakyRelu", alpha=draw.pick((None, 0.2)))
    elif kind == 1 and case.opset < 11:
        chain.node("Clip", min=0.0, max=6.0)
    elif kind == 1:
        chain.node("Clip", np.float32(0), np.float32(6))
    elif kind == 2:
        chain.node("PRelu", chain.reals(*channel_shape(chain, min(1, len(chain.shape) - 1))))
    elif kind == 3:
        chain.node("HardSigmoid", alpha=draw.pick((None, 1 / 6)))
    else:
        chain.node(draw.pick(("Relu", "Tanh", "Sigmoid", "Softplus", "Elu")))


def residual(chain):
    """The sum with an earlier tensor that broadcasts, or an input."""
    fitting = [name for name, shape in chain.made if shape == chain.shape]
    if fitting and chain.draw.chance(0.7):
        other = chain.draw.pick(fitting)
    else:
        other = chain.case.operand(chain.draw.reals(chain.draw.broadcast_of(chain.shape)), constant=False)
    rare = "Div" if chain.draw.chance(0.1) or chain.case.opset < 8 else "Sum"
    chain.node(chain.draw.pick(("Add", "Add", "Add", "Sub", "Mul", rare)), other, first=chain.draw.chance(0.5))


def scale(chain):
    chain.node(chain.draw.pick(("Mul", "Div")), chain.draw.positive(chain.draw.broadcast_of(chain.shape)))


# Operators that are spelled out


def erf_gelu(chain):
    """x / 2 (1 + erf(x / sqrt 2)), in any order."""
    if chain.case.opset < 9:
        return
    x = chain.at
    if chain.draw.chance(0.5):
        name = chain.number(math.sqrt(2))
        chain.node("Div", name)
        chain.widen(name)
    else:
        chain.with_number("Mul", math.sqrt(0.5))
    chain.node("Erf")
    chain.with_number("Add", 1)
    if chain.draw.chance(0.5):
        chain.both_ways("Mul", x)
        chain.with_number("Mul", 0.5)
    else:
        one_half = chain.number(0.5)
        half = chain.case.node("Mul", [x, one_half] if chain.draw.chance(0.5) else [one_half, x])
        chain.widen(one_half)
        chain.both_ways("Mul", half)


def swish(chain):
    x = chain.at
    if chain.draw.chance(0.5):
        chain.node("Sigmoid")
    else:
        chain.node("HardSigmoid", alpha=chain.draw.pick((1 / 6, 1 / 6, 0.1667, 0.2)), beta=chain.draw.pick((None, 0.5, 0.5001)))
    chain.both_ways("Mul", x)


def hard_swish(chain):
    """x min(max(x + 3, 0), 6) / 6, in any order."""
    x = chain.at
    chain.with_number("Add", 3)
    low, high = chain.draw.pick((0.0, 0.0, 0.0, 1e-4)), chain.draw.pick((6.0, 6.0, 6.0, 6.001))
    if chain.case.opset < 11:
        chain.node("Clip", min=low, max=high)
    else:
        chain.node("Clip", np.float32(low), np.float32(high))
    late = chain.draw.chance(0.5)
    if late:
        chain.both_ways("Mul", x)
    if chain.draw.chance(0.5):
        six = chain.number(6)
        chain.node("Div", six)
        chain.widen(six)
    else:
        chain.with_number("Mul", 1 / 6)
    if not late:
        chain.both_ways("Mul", x)


def mean_of(chain, name, axes):
    keep = 0 if chain.draw.chance(0.05) and axes == [-1] and len(set(chain.shape)) == 1 else None
    return chain.case.node("ReduceMean", [name], axes=axes, keepdims=keep)


def layer_normalization(chain):
    """(x - mean) / sqrt(variance + epsilon) scale + shift, over the last axes or others."""
    case, draw, rank = chain.case, chain.draw, len(chain.shape)
    count = draw.between(1, min(2, rank))
    negative = case.opset >= 11 and draw.chance(0.5)
    axes = [axis - rank if negative else axis for axis in range(rank - count, rank)]
    if draw.chance(0.15):
        axes = [draw.below(rank)]
    other = [draw.below(rank)] if draw.chance(0.15) else axes
    x = chain.at
    centred = case.node("Sub", [x, mean_of(chain, x, axes)])
    if draw.chance(0.5):
        square = case.node("Mul", [centred, centred])
    else:
        square = case.node("Pow", [centred, chain.number(2)])
    chain.at = mean_of(chain, square, other)
    epsilon = case.constant(np.float32(draw.pick((1e-5, 1e-3, 0.1))))
    chain.both_ways("Add", epsilon)
    root = chain.node("Sqrt")
    chain.at = case.node("Div", [centred, root])
    row = chain.shape[rank - count:]
    if draw.chance(0.2):
        row = draw.broadcast_of(chain.shape)
    chain.both_ways("Mul", case.constant(chain.reals(*row)))
    if draw.chance(0.9):
        chain.both_ways("Add", case.constant(chain.reals(*row)))


SPELLED = (erf_gelu, swish, hard_swish, layer_normalization)


def epilogue(chain):
    """Steps behind a product, in the order of libraries or another."""
    chain.mark()
    steps = [step for step, share in ((batch_normalization, 0.5), (bias, 0.4), (activation, 0.5), (residual, 0.4), (scale, 0.15))
             if chain.draw.chance(share)]
    if chain.draw.chance(0.3):
        steps = [steps[int(place)] for place in chain.draw.generator.permutation(len(steps))]
    if chain.draw.chance(0.3):
        steps.append(chain.draw.pick(SPELLED))
    for step in steps:
        step(chain)
    chain.mark()


# Products


def convolution(chain):
    draw, shape = chain.draw, chain.shape
    sides = len(shape) - 2
    groups = draw.pick([count for count in (1, 1, 2, 3, shape[1]) if shape[1] % count == 0])
    outside = groups * draw.between(1, 2)
    taps = [draw.pick([tap for tap in (1, 3) if tap <= side + 2]) for side in shape[2:]]
    strides = [draw.pick((1, 1, 2)) for _ in taps]
    pads = [tap // 2 for tap in taps] * 2
    bias_of = [chain.reals(outside)] if draw.chance(0.5) else []
    chain.node("Conv", chain.reals(outside, shape[1] // groups, *taps), *bias_of, group=groups, strides=strides, pads=pads)
    chain.shape = [shape[0], outside] + [(shape[2 + i] + 2 * pads[i] - taps[i]) // strides[i] + 1 for i in range(sides)]


def transposed_convolution(chain):
    draw, shape = chain.draw, chain.shape
    groups = draw.pick([count for count in (1, 2, 3) if shape[1] % count == 0])
    outside = draw.between(1, 2)
    taps = [draw.pick((1, 2, 3)) for _ in shape[2:]]
    strides = [draw.pick((1, 2)) for _ in taps]
    bias_of = [chain.reals(groups * outside)] if draw.chance(0.5) else []
    chain.node("ConvTranspose", chain.reals(shape[1], outside, *taps), *bias_of, group=groups, strides=strides)
    chain.shape = [shape[0], groups * outside] + [(side - 1) * stride + tap for side, stride, tap in zip(shape[2:], strides, taps)]


def image_chain(case):
    draw = case.draw
    sides = draw.pick((1, 2, 2, 2, 3))
    chain = Chain(case, [draw.between(1, 2), draw.between(1, 4)] + [draw.between(2, 6) for _ in range(sides)])
    for _ in range(draw.between(1, 3)):
        (transposed_convolution if draw.chance(0.25) and max(chain.shape[2:]) < 8 else convolution)(chain)
        epilogue(chain)
        if len(chain.shape) != 2 + sides:
            chain.node("Relu")
            chain.end()
            return
    if draw.chance(0.3):
        chain.node(draw.pick(("GlobalAveragePool", "GlobalMaxPool")))
        chain.shape[2:] = [1] * sides
    if draw.chance(0.3):
        chain.node("Flatten")
        chain.shape = [chain.shape[0], int(np.prod(chain.shape[1:]))]
        gemm(chain)
        epilogue(chain)
    chain.end()


def gemm(chain):
    draw = chain.draw
    m, k = chain.shape
    n = draw.between(1, 6)
    turned = draw.pick((None, 0, 1))
    shape = draw.pick(([n], [1, n], [1], [], [m, 1], [m, n], None))
    addend = [] if shape is None and chain.case.opset >= 11 else [chain.reals(*([n] if shape is None else shape))]
    chain.node("Gemm", chain.reals(*([n, k] if turned else [k, n])), *addend, transB=turned,
               alpha=draw.pick((None, None, 1.0, 0.5)), beta=draw.pick((None, None, 1.0, 2.0)))
    chain.shape = [m, n]


def matmul(chain):
    n = chain.draw.between(1, 6)
    chain.node("MatMul", chain.reals(chain.shape[-1], n))
    chain.shape[-1] = n


def matrix_chain(case):
    draw = case.draw
    chain = Chain(case, [draw.between(1, 5) for _ in range(draw.pick((2, 2, 2, 3)))])
    for _ in range(draw.between(1, 3)):
        (gemm if len(chain.shape) == 2 and draw.chance(0.6) else matmul)(chain)
        epilogue(chain)
    if draw.chance(0.2):
        chain.node("Softmax", axis=len(chain.shape) - 1)
    chain.end()


def spelled_chain(case):
    """One or two operators in pieces, behind each other or with something between."""
    draw = case.draw
    chain = Chain(case, draw.shape(1, 4))
    for _ in range(draw.between(1, 2)):
        chain.mark()
        draw.pick(SPELLED)(chain)
        if draw.chance(0.3):
            activation(chain)
    chain.end()


def shape_chain(case):
    """Shapes that are computed and become operands."""
    draw = case.draw
    chain = Chain(case, draw.shape(2, 4))
    x, rank = chain.at, len(chain.shape)
    if draw.chance(0.5):
        bias(chain)
    sides = case.node("Shape", [x])
    kept = draw.below(rank)
    part = case.node("Gather", [sides, case.whole([kept])], axis=0)
    wanted = case.node("Concat", [part, case.whole([-1])] if draw.chance(0.5) else [case.whole([-1]), part], axis=0)
    chain.at = case.node("Reshape", [chain.at, wanted])
    if draw.chance(0.5):
        number = case.node("Cast", [part], to=1)
        chain.at = case.node("Mul", [chain.at, number])
    if draw.chance(0.5):
        product = case.node("Mul", [part, case.whole([draw.between(-3, 3)])])
        case.result(case.node("Sub", [product, sides]))
    if draw.chance(0.5) and case.opset >= 9:
        filled = case.node("ConstantOfShape", [sides])
        case.result(case.node("Add", [filled, x]))
    chain.end()


def mixed_chain(case):
    """Elementwise and moving operators of any kind, some tensors read twice."""
    draw = case.draw
    chain = Chain(case, draw.shape(1, 4))
    for _ in range(draw.between(2, 6)):
        chain.mark()
        kind = draw.below(6)
        if kind == 0:
            order = [int(axis) for axis in draw.generator.permutation(len(chain.shape))]
            chain.node("Transpose", perm=order)
            chain.shape = [chain.shape[axis] for axis in order]
        elif kind == 1:
            axis = draw.below(len(chain.shape))
            chain.node("Concat", chain.at, axis=axis)
            chain.shape[axis] *= 2
        elif kind == 2:
            axis = draw.below(len(chain.shape))
            chain.node("ReduceMax" if draw.chance(0.5) else "ReduceMean", axes=[axis], keepdims=1)
            chain.shape[axis] = 1
        elif kind == 3:
            chain.node("Softmax", axis=len(chain.shape) - 1)
        elif kind == 4:
            activation(chain)
        else:
            draw.pick((bias, residual, scale, swish))(chain)
    chain.end()


KINDS = {"images": image_chain, "matrices": matrix_chain, "spelled out": spelled_chain, "shapes": shape_chain, "mixed": mixed_chain}
ORDER = ("images", "matrices", "spelled out", "images", "matrices", "spelled out", "mixed", "shapes")
