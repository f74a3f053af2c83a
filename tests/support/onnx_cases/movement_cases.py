"""Split, Pad, Resize, scatters and pools of sets 18 to 20: after split.py, pad.py, resize.py, scatterelements.py, scatternd.py,
averagepool.py and gridsample.py of ONNX's node cases."""

import numpy as np

from case_files import drawn, integers


def add_splits(cases):
    x = np.arange(1, 8, dtype=np.float32)
    cases.one("split_1d_uneven_split_opset18", 18, "Split", {"input": x},
              {"a": x[:2], "b": x[2:4], "c": x[4:6], "d": x[6:]}, num_outputs=4)
    x = drawn(2, 8)
    cases.one("split_2d_uneven_split_opset18", 18, "Split", {"input": x}, {"a": x[:, :3], "b": x[:, 3:6], "c": x[:, 6:]},
              num_outputs=3, axis=1)
    cases.one("split_equal_parts_1d_opset18", 18, "Split", {"input": x[0]}, {"a": x[0, :4], "b": x[0, 4:]}, num_outputs=2)
    cases.one("split_variable_parts_2d_opset18", 18, "Split", {"input": x, "split": integers(2, 6)},
              {"a": x[:, :2], "b": x[:, 2:]}, axis=1)


def add_pads(cases):
    x = drawn(1, 3, 4, 5)
    for name, axes in (("constant_pad_axes", (1, 3)), ("constant_pad_negative_axes", (-3, -1))):
        cases.one(name, 18, "Pad", {"x": x, "pads": integers(0, 3, 0, 4), "value": np.float32(1.2), "axes": integers(*axes)},
                  {"y": np.pad(x, ((0, 0), (0, 0), (0, 0), (3, 4)), constant_values=np.float32(1.2))})
    cases.one("wrap_pad", 19, "Pad", {"x": x, "pads": integers(0, 0, 1, 1, 0, 0, 1, 1)},
              {"y": np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), mode="wrap")}, mode="wrap")
    cases.one("reflect_pad_18", 18, "Pad", {"x": x, "pads": integers(0, 0, 1, 1, 0, 0, 1, 1)},
              {"y": np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), mode="reflect")}, mode="reflect")


def linear(x, axis, positions):
    """Elements of an axis at positions between its indices, the ends repeated."""
    last = x.shape[axis] - 1
    low = np.clip(np.floor(positions), 0, last).astype(int)
    high = np.clip(np.floor(positions) + 1, 0, last).astype(int)
    shape = [1] * x.ndim
    shape[axis] = -1
    share = (positions - np.floor(positions)).reshape(shape)
    return np.take(x, low, axis) * (1 - share) + np.take(x, high, axis) * share


def half_pixel(after, scale):
    return (np.arange(after) + 0.5) / scale - 0.5


def nearest(x, axis, after, scale):
    """round_prefer_floor of half-pixel positions."""
    at = np.ceil(half_pixel(after, scale) - 0.5)
    return np.take(x, np.clip(at, 0, x.shape[axis] - 1).astype(int), axis)


def add_resizes(cases):
    x = drawn(1, 1, 4, 6)
    wide = x.astype(np.float64)
    result = linear(linear(wide, 2, half_pixel(7, 7 / 4)), 3, half_pixel(9, 9 / 6)).astype(np.float32)
    cases.one("resize_upsample_sizes_linear_axes_2_3", 18, "Resize", {"X": x, "roi": None, "scales": None, "sizes": integers(7, 9)},
              {"Y": result}, mode="linear", axes=[2, 3])
    cases.one("resize_upsample_sizes_linear_axes_3_2", 18, "Resize", {"X": x, "roi": None, "scales": None, "sizes": integers(9, 7)},
              {"Y": result}, mode="linear", axes=[3, 2])
    scales = np.array([2, 1.5], dtype=np.float32)
    result = nearest(nearest(x, 2, 8, 2), 3, 9, 1.5)
    cases.one("resize_upsample_scales_nearest_axes_2_3", 18, "Resize", {"X": x, "roi": None, "scales": scales}, {"Y": result},
              mode="nearest", axes=[2, 3])
    # Sizes 7 x 8 of 4 x 6: both sides get the smaller scale, or the larger one.
    for policy, height, width, scale in (("not_larger", 5, 8, 8 / 6), ("not_smaller", 7, 11, 7 / 4)):
        cases.one(f"resize_upsample_sizes_nearest_{policy}", 18, "Resize",
                  {"X": x, "roi": None, "scales": None, "sizes": integers(7, 8)},
                  {"Y": nearest(nearest(x, 2, height, scale), 3, width, scale)}, mode="nearest", axes=[2, 3],
                  keep_aspect_ratio_policy=policy)
    for name, scale, after in (("downsample", 0.6, 2), ("upsample", 2.3, 9)):
        row = drawn(1, 1, 1, 4, seed=3)
        # half_pixel_symmetric: the centre stays in the centre although the side is rounded down.
        adjustment = after / (scale * 4)
        positions = 2 * (1 - adjustment) + (np.arange(after) + 0.5) / scale - 0.5
        cases.one(f"resize_{name}_scales_linear_half_pixel_symmetric", 19, "Resize",
                  {"X": row, "roi": None, "scales": np.array([1, 1, 1, scale], dtype=np.float32)},
                  {"Y": linear(row.astype(np.float64), 3, positions).astype(np.float32)}, mode="linear",
                  coordinate_transformation_mode="half_pixel_symmetric")


def add_scatters(cases):
    data = drawn(4, 4, 4)
    places = integers([0], [0], [3])
    updates = drawn(3, 4, 4, seed=1)
    for name, combine in (("max", np.maximum), ("min", np.minimum), ("add", np.add)):
        result = data.copy()
        for place, update in zip(places[:, 0], updates):
            result[place] = combine(result[place], update)
        cases.one(f"scatternd_{name}_18", 18, "ScatterND", {"data": data, "indices": places, "updates": updates},
                  {"y": result}, reduction=name)
    row = np.array([[1, 2, 3, 4, 5]], dtype=np.float32)
    indices, updates = integers([1, 1, -2]), np.array([[1.1, 2.1, 9]], dtype=np.float32)
    for name, values in (("max", [1, 2.1, 3, 9, 5]), ("min", [1, 1.1, 3, 4, 5]), ("mul", [1, 2 * 1.1 * 2.1, 3, 36, 5])):
        cases.one(f"scatter_elements_with_reduction_{name}", 18, "ScatterElements",
                  {"data": row, "indices": indices, "updates": updates}, {"y": np.array([values], dtype=np.float32)}, axis=1,
                  reduction=name)


def add_pools(cases):
    x = np.arange(1, 17, dtype=np.float32).reshape(1, 1, 4, 4)
    result = np.array([[[[6, 7], [10, 11]]]], dtype=np.float32)  # means of four corners of 3 x 3
    cases.one("averagepool_2d_dilations", 19, "AveragePool", {"x": x}, {"y": result}, kernel_shape=[2, 2], strides=[1, 1],
              dilations=[2, 2])


def sampled(x, grid, align_corners):
    """Linear samples of images, zeros outside."""
    images, channels, height, width = x.shape
    result = np.zeros((images, channels, *grid.shape[1:3]))
    for image in range(images):
        for place in np.ndindex(*grid.shape[1:3]):
            ends = np.array([width, height])
            at = grid[(image, *place)].astype(np.float64)
            at = (at + 1) / 2 * (ends - 1) if align_corners else ((at + 1) * ends - 1) / 2
            low = np.floor(at).astype(int)
            for corner in np.ndindex(2, 2):
                column, row = low + corner
                weight = np.prod([1 - abs(a - b) for a, b in zip(at, (column, row))])
                if 0 <= row < height and 0 <= column < width:
                    result[(image, slice(None), *place)] += weight * x[image, :, row, column]
    return result.astype(np.float32)


def add_samples(cases):
    x = drawn(2, 3, 4, 5)
    grid = np.random.RandomState(5).uniform(-1.2, 1.2, (2, 6, 7, 2)).astype(np.float32)
    for aligned in (0, 1):
        cases.one(f"gridsample_linear_20_aligncorners_{aligned}", 20, "GridSample", {"X": x, "Grid": grid},
                  {"Y": sampled(x, grid, bool(aligned))}, mode="linear", align_corners=aligned)
    volume = drawn(1, 2, 3, 3, 3)
    corners = np.array([-1, 0, 1], dtype=np.float32)
    everywhere = np.stack(np.meshgrid(corners, corners, corners, indexing="ij")[::-1], axis=-1)[None]
    cases.one("gridsample_volumetric_nearest_align_corners_1", 20, "GridSample", {"X": volume, "Grid": everywhere},
              {"Y": volume}, mode="nearest", align_corners=1)


def add_to(cases):
    for add in (add_splits, add_pads, add_resizes, add_scatters, add_pools, add_samples):
        add(cases)
