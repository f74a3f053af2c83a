"""Differences from ONNX Runtime 1.30 that are its own, each with what ONNX says instead."""

import collections

import numpy as np
from onnx import helper

# `matches` gets the node and its case, and says whether the reason may explain a difference there.
Known = collections.namedtuple("Known", "operators matches reason")


def attributes_of(node):
    return {given.name: helper.get_attribute_value(given) for given in node.attribute}


def array_of(case, name):
    """Values of an input or an initializer, or None for what a node makes."""
    return case.inputs.get(name, case.constants.get(name))


def has_values_beyond_numbers(_, case):
    arrays = [*case.inputs.values(), *case.constants.values()]
    return any(array.dtype.kind == "f" and not np.isfinite(array).all() for array in arrays)


def weighs_values_beyond_numbers(node, case):
    """Whether a neighbour of weight 0 may be NaN or infinite."""
    return attributes_of(node).get("mode", b"nearest") != b"nearest" and has_values_beyond_numbers(node, case)


def pads_below_zero(node, case):
    """Whether a transposed convolution's output is larger than its windows reach."""
    given = attributes_of(node)
    image, filters = array_of(case, node.input[0]), array_of(case, node.input[1])
    if image is None or filters is None:
        return False
    sides = image.ndim - 2
    ones = [1] * sides
    strides, dilations = given.get("strides", ones), given.get("dilations", ones)
    added = given.get("output_padding", [0] * sides)
    same = given.get("auto_pad", b"").startswith(b"SAME")
    wanted = given.get("output_shape") or ([side * stride for side, stride in zip(image.shape[2:], strides)] if same else None)
    if wanted is None:
        return False
    full = [(image.shape[2 + i] - 1) * strides[i] + (filters.shape[2 + i] - 1) * dilations[i] + 1 + added[i] for i in range(sides)]
    return any(side > most for side, most in zip(wanted, full))


def slices_back_to_most(node, case):
    ends = array_of(case, node.input[2]) if len(node.input) > 2 else None
    steps = array_of(case, node.input[4]) if len(node.input) > 4 else None
    if ends is None or steps is None:
        return False
    return any(step < 0 and end in (2**31 - 1, 2**63 - 1) for end, step in zip(ends, steps))


def aligns_corners_of_fractions(node, case):
    scales = array_of(case, node.input[2]) if len(node.input) > 2 else None
    image = array_of(case, node.input[0])
    if attributes_of(node).get("coordinate_transformation_mode") != b"align_corners" or scales is None or not scales.size or image is None:
        return False
    sides = np.float32(image.shape) * scales
    return bool((sides != np.floor(sides)).any())


def moves_a_side_that_stays(node, case):
    image = array_of(case, node.input[0])
    if attributes_of(node).get("coordinate_transformation_mode") not in (b"tf_crop_and_resize", b"tf_half_pixel_for_nn") or image is None:
        return False
    given = [array_of(case, name) for name in node.input[2:] if name]
    return any(array is not None and array.size and
               (array == (1 if array.dtype.kind == "f" else image.shape)).any() for array in given)


def scales_to_the_same_sides(node, case):
    scales = array_of(case, node.input[-1])
    image = array_of(case, node.input[0])
    if scales is None or image is None or scales.dtype.kind != "f" or scales.size != image.ndim:
        return False
    return bool((scales != 1).any() and (np.floor(np.float32(image.shape) * scales) == image.shape).all())


def has_nan(_, case):
    return any(np.isnan(array).any() for array in case.inputs.values() if array.dtype.kind == "f")


def has_infinity(_, case):
    return any(np.isinf(array).any() for array in case.inputs.values() if array.dtype.kind == "f")


def has_negative_infinity(_, case):
    return any(np.isneginf(array).any() for array in case.inputs.values() if array.dtype.kind == "f")


KNOWN = (
    Known(("ConvTranspose",), pads_below_zero,
          "ConvTranspose: SAME_UPPER and SAME_LOWER make output_shape = input_shape x strides, and total_padding of a given "
          "output_shape may be negative (ONNX's text, and its case convtranspose_output_shape); ONNX Runtime takes 0 for it"),
    Known(("LRN",), has_values_beyond_numbers,
          "LRN: the sum is over the channels around; ONNX Runtime adds and subtracts while it goes on, so that a NaN stays"),
    Known(("Slice",), slices_back_to_most,
          "Slice: ends are clamped to [-1, side - 1] for negative steps; ONNX Runtime takes the largest integer for the first element"),
    Known(("Resize",), aligns_corners_of_fractions,
          "Resize: align_corners with scales divides by scale x side - 1, not rounded (ONNX's case "
          "resize_downsample_scales_cubic_align_corners); ONNX Runtime rounds the side down"),
    Known(("Resize",), moves_a_side_that_stays,
          "Resize: tf_crop_and_resize and tf_half_pixel_for_nn are formulas for the indices of every side; ONNX Runtime copies "
          "sides that stay as long as they were"),
    Known(("Resize", "Upsample"), scales_to_the_same_sides,
          "Resize: elements are taken by the scale; ONNX Runtime copies an image whose sides stay as long as they were"),
    Known(("MaxPool", "GlobalMaxPool", "ReduceMax", "ReduceMin"), has_nan,
          "maxima and minima of NaN are NaN, as numpy has them (docs/onnx_operators.md); ONNX Runtime's depend on the order"),
    Known(("ReduceLogSumExp",), lambda node, case: has_nan(node, case) and has_infinity(node, case),
          "ReduceLogSumExp: a sum with NaN is NaN (numpy); ONNX Runtime's result is its largest element where that is infinite"),
    Known(("MaxPool",), has_negative_infinity,
          "MaxPool: the maximum of -infinity alone is -infinity; ONNX Runtime begins with the lowest finite number"),
    Known(("Resize", "Upsample"), weighs_values_beyond_numbers,
          "Resize: sides that stay are not interpolated, and elements beyond an edge equal the edge; ONNX Runtime multiplies the next "
          "pixel by 0 there, too, so that NaN and infinities spread"),
)


def known_reason(case):
    """Why a case may differ, or None."""
    for node in case.nodes:
        for known in KNOWN:
            if node.op_type in known.operators and known.matches(node, case):
                return known.reason
    return None
