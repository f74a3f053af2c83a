"""Operators of images: convolutions, pools, and changes of their size."""

import numpy as np


def ways(draw, sides, taps, dilations, strides, transposed=False):
    """Padding by attributes, in one of ONNX's ways."""
    way = draw.below(8)
    if way == 0:
        return {"auto_pad": "VALID"}
    if way in (1, 2) and all(dilation == 1 for dilation in dilations):
        return {"auto_pad": "SAME_UPPER" if way == 1 else "SAME_LOWER"}
    if way == 3:
        return {}
    pads = [draw.between(0, min(2, reach - 1)) for reach in
            [(tap - 1) * dilation + 1 for tap, dilation in zip(taps, dilations)] * 2]
    attributes = {"pads": pads}
    if way == 4:
        attributes["auto_pad"] = "NOTSET"
    return attributes


def window(draw, sides, dilated=True):
    taps = [draw.between(1, 3) for _ in range(sides)]
    strides = [draw.between(1, 3) for _ in range(sides)]
    dilations = [draw.between(1, 2) if dilated and draw.chance(0.4) else 1 for _ in range(sides)]
    return taps, strides, dilations


def image_for(draw, taps, dilations):
    return [(tap - 1) * dilation + 1 + draw.below(5) for tap, dilation in zip(taps, dilations)]


def sometimes(draw, values, otherwise):
    """None where the values are the default and are left out."""
    return None if all(value == otherwise for value in values) and draw.chance(0.5) else values


def convolution(case, operation):
    draw = case.draw
    sides = draw.pick((1, 2, 2, 2, 2, 3))
    taps, strides, dilations = window(draw, sides)
    groups = draw.pick((1, 1, 1, 2, 3))
    inside, outside = draw.between(1, 3), draw.between(1, 3)
    shape = [draw.between(1, 2), groups * inside] + image_for(draw, taps, dilations)
    weights = draw.reals([groups * outside, inside] + taps, 1, plain=True)
    bias = draw.reals([groups * outside], plain=True) if draw.chance(0.5) else None
    case.single(operation, [draw.reals(shape), weights, bias], group=None if groups == 1 and draw.chance(0.5) else groups,
                strides=sometimes(draw, strides, 1), dilations=sometimes(draw, dilations, 1),
                kernel_shape=taps if draw.chance(0.7) else None, **ways(draw, sides, taps, dilations, strides))


def transposed_convolution(case, operation):
    draw = case.draw
    sides = draw.pick((1, 2, 2, 2, 3))
    taps, strides, dilations = window(draw, sides)
    groups = draw.pick((1, 1, 1, 2, 3))
    inside, outside = draw.between(1, 3), draw.between(1, 2)
    image = [draw.between(1, 4) for _ in range(sides)]
    added = [draw.below(max(stride, dilation)) if draw.chance(0.4) else 0 for stride, dilation in zip(strides, dilations)]
    attributes = {"output_padding": sometimes(draw, added, 0)}
    full = [(side - 1) * stride + (tap - 1) * dilation + 1 + more
            for side, stride, tap, dilation, more in zip(image, strides, taps, dilations, added)]
    way = draw.below(8)
    if way == 0:
        attributes["auto_pad"] = draw.pick(("SAME_UPPER", "SAME_LOWER"))
        attributes["output_padding"] = None
    elif way in (1, 2):
        attributes["output_shape"] = [max(1, side - draw.below(3)) for side in full]
        attributes["auto_pad"] = draw.pick((None, "SAME_UPPER", "SAME_LOWER", "NOTSET"))
    elif way == 3:
        attributes["auto_pad"] = "VALID"
    elif way > 4:
        pads = [0] * (2 * sides)
        for side in range(sides):
            room = full[side] - 1
            pads[side] = min(draw.below(3), room)
            pads[sides + side] = min(draw.below(3), room - pads[side])
        attributes["pads"] = pads
    weights = draw.reals([groups * inside, outside] + taps, 1, plain=True)
    bias = draw.reals([groups * outside], plain=True) if draw.chance(0.5) else None
    case.single(operation, [draw.reals([draw.between(1, 2), groups * inside] + image), weights, bias],
                group=None if groups == 1 and draw.chance(0.5) else groups, strides=sometimes(draw, strides, 1),
                dilations=sometimes(draw, dilations, 1), kernel_shape=taps if draw.chance(0.7) else None, **attributes)


def pool(case, operation):
    draw = case.draw
    sides = draw.pick((1, 2, 2, 2, 3))
    taps, strides, dilations = window(draw, sides, operation == "MaxPool" and case.opset >= 10)
    shape = [draw.between(1, 2), draw.between(1, 3)] + image_for(draw, taps, dilations)
    attributes = ways(draw, sides, taps, [1] * sides if operation == "AveragePool" else dilations, strides)
    if "pads" in attributes:  # smaller than the window, which then holds a pixel
        attributes["pads"] = [min(pad, tap - 1) for pad, tap in zip(attributes["pads"], taps * 2)]
    if case.opset >= 10:
        attributes["ceil_mode"] = draw.pick((None, 0, 1))
    outputs = 1
    if operation == "MaxPool":
        if case.opset >= 10:
            attributes["dilations"] = sometimes(draw, dilations, 1)
        if case.opset >= 8 and draw.chance(0.3):
            outputs = 2
            attributes["storage_order"] = draw.pick((None, 0, 1))
    else:
        attributes["count_include_pad"] = draw.pick((None, 0, 1))
    case.single(operation, [draw.reals(shape)], outputs, kernel_shape=taps, strides=sometimes(draw, strides, 1), **attributes)


def global_pool(case, operation):
    draw = case.draw
    shape = [draw.between(1, 2), draw.between(1, 4)] + [draw.between(1, 5) for _ in range(draw.between(1, 3))]
    case.single(operation, [draw.reals(shape)])


SCALES = (0.5, 0.6, 0.75, 1.0, 1.0, 1.5, 1.7, 2.0, 2.0, 2.5, 3.0)


def upsampling_scales(draw, shape):
    return [1.0, 1.0] + [draw.pick([scale for scale in SCALES if scale >= 1]) for _ in shape[2:]]


def upsample(case, operation):
    """Upsample of sets 7 to 9, whose scales are constants and at least 1."""
    draw = case.draw
    shape = [draw.between(1, 2), draw.between(1, 3), draw.between(1, 5), draw.between(1, 5)]
    scales = upsampling_scales(draw, shape)
    mode = draw.pick((None, "nearest", "linear"))
    if case.opset < 9:
        case.single(operation, [draw.reals(shape)], scales=scales, mode=mode)
    else:
        case.single(operation, [draw.reals(shape), case.constant(np.array(scales, np.float32))], mode=mode)


def scales_for(draw, shape):
    """Such that no side becomes zero."""
    return [1.0, 1.0] + [draw.pick([scale for scale in SCALES if int(np.float32(scale) * np.float32(side)) > 0]) for side in shape[2:]]


def resize(case, operation):
    draw = case.draw
    shape = [draw.between(1, 2), draw.between(1, 3), draw.between(1, 6), draw.between(1, 6)]
    scales = scales_for(draw, shape)
    if case.opset == 10:
        case.single(operation, [draw.reals(shape), case.constant(np.array(scales, np.float32))], mode=draw.pick((None, "nearest", "linear")))
        return
    mode = draw.pick((None, "nearest", "linear", "cubic"))
    attributes = {"mode": mode}
    coordinates = draw.pick((None, "half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize"))
    if case.opset < 13 and draw.chance(0.1) and mode in (None, "nearest"):
        coordinates = "tf_half_pixel_for_nn"
    attributes["coordinate_transformation_mode"] = coordinates
    region = None
    if coordinates == "tf_crop_and_resize":
        region = case.constant(np.array([0, 0, draw.real(0, 0.3), draw.real(0, 0.3), 1, 1, draw.real(0.7, 1.2), draw.real(0.7, 1.2)], np.float32))
        attributes["extrapolation_value"] = draw.pick((None, 7.0))
    elif case.opset < 13:
        region = case.constant(np.zeros(0, np.float32))
    if mode in (None, "nearest"):
        attributes["nearest_mode"] = draw.pick((None, "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"))
    if mode == "cubic":
        attributes["cubic_coeff_a"] = draw.pick((None, -0.5))
        attributes["exclude_outside"] = draw.pick((None, 0, 1))
    if draw.chance(0.5):
        operands = [region, case.constant(np.array(scales, np.float32))]
    else:
        sizes = shape[:2] + [draw.between(1, 9), draw.between(1, 9)]
        empty = case.constant(np.zeros(0, np.float32)) if case.opset < 13 else None
        operands = [region, empty, case.whole(sizes)]
    case.single(operation, [draw.reals(shape), *operands], **attributes)


def table():
    """Operator, first set, weight, what draws a case, and its last set if there is one."""
    return [("Conv", 7, 8, convolution), ("ConvTranspose", 7, 8, transposed_convolution), ("MaxPool", 7, 6, pool),
            ("AveragePool", 7, 6, pool), ("GlobalAveragePool", 7, 1, global_pool), ("GlobalMaxPool", 7, 1, global_pool),
            ("Upsample", 7, 6, upsample, 9), ("Resize", 10, 6, resize)]
