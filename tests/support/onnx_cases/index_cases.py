"""Indices of extremes and ranks, sums so far, and places, with shapes that ONNX's own cases do not have."""

import numpy as np

from case_files import drawn, integers


def add_to(cases):
    x = drawn(3, 5, 4)
    x[0, 2, 1] = x[0, 4, 1] = 9  # a tie
    for name, find in (("ArgMax", np.argmax), ("ArgMin", np.argmin)):
        for axis in (0, 1, -1):
            cases.one(f"{name.lower()}_axis_{axis}".replace("-", "negative_"), 18, name, {"x": x},
                      {"y": np.expand_dims(find(x, axis=axis), axis)}, axis=axis)
    for largest in (0, 1):
        order = np.argsort(-x if largest else x, axis=1, kind="stable")[:, :3]
        cases.one(f"top_k_of_columns_largest_{largest}", 18, "TopK", {"x": x, "k": integers(3)},
                  {"values": np.take_along_axis(x, order, 1), "indices": order}, axis=1, largest=largest)
    for axis in (0, 2):
        total = x.astype(np.float64).cumsum(axis=axis)
        cases.one(f"cumsum_axis_{axis}", 18, "CumSum", {"x": x, "axis": np.array(axis)}, {"y": total.astype(np.float32)})
    reverse = np.flip(np.flip(x.astype(np.float64), 1).cumsum(axis=1), 1) - x
    cases.one("cumsum_exclusive_reverse", 18, "CumSum", {"x": x, "axis": np.array(1)}, {"y": reverse.astype(np.float32)},
              exclusive=1, reverse=1)
    indices = np.array([[0, -1], [7, 2]])
    on = np.zeros((2, 2, 5), dtype=np.float32)
    for place in np.ndindex(2, 2):
        if -5 <= indices[place] < 5:
            on[place][indices[place]] = 1
    cases.one("onehot_of_reals", 18, "OneHot", {"indices": indices, "depth": np.array(5), "values": np.array([2, 3], dtype=np.float32)},
              {"y": on + 2})
    tuples = integers([0, 1], [2, -1])
    cases.one("gathernd_rows", 18, "GatherND", {"data": x, "indices": tuples}, {"y": x[tuples[:, 0], tuples[:, 1]]})
    cases.one("gathernd_batches", 18, "GatherND", {"data": x, "indices": integers([[4], [0]], [[1], [1]], [[-5], [2]])},
              {"y": np.stack([x[0, [4, 0]], x[1, [1, 1]], x[2, [0, 2]]])}, batch_dims=1)
    updates = drawn(2, 4, seed=9)
    written = x.copy()
    written[tuples[:, 0], tuples[:, 1]] = updates
    cases.one("scatternd_rows", 18, "ScatterND", {"data": x, "indices": tuples, "updates": updates}, {"y": written})
    places = np.random.RandomState(2).randint(-5, 5, (3, 2, 4))
    updates = drawn(3, 2, 4, seed=10)
    for reduction in ("none", "add"):
        written = x.astype(np.float64)
        for at in np.ndindex(*places.shape):
            to = (at[0], places[at], at[2])
            written[to] = updates[at] + (written[to] if reduction == "add" else 0)
        cases.one(f"scatter_elements_of_columns_{reduction}", 18, "ScatterElements",
                  {"data": x, "indices": places, "updates": updates}, {"y": written.astype(np.float32)}, axis=1,
                  reduction=reduction)
    for number, (equation, operands) in enumerate(EQUATIONS.items()):
        arrays = {f"x{i}": drawn(*shape, seed=20 + i) for i, shape in enumerate(operands)}
        result = np.einsum(equation, *(array.astype(np.float64) for array in arrays.values()))
        cases.one(f"einsum_{number}", 18, "Einsum", arrays, {"y": np.asarray(result, dtype=np.float32)}, equation=equation)


# Products of attention, of batches and of more than two operands, sums, diagonals, outer products, an ellipsis.
EQUATIONS = {
    "bhqd,bhkd->bhqk": ((2, 3, 4, 5), (2, 3, 6, 5)),
    "bhqk,bhkd->bqhd": ((2, 3, 4, 6), (2, 3, 6, 5)),
    "bld,hde->bhle": ((2, 4, 6), (3, 6, 5)),
    "ij,jk": ((3, 4), (4, 5)),
    "...ij,...jk->...ik": ((2, 5, 3, 4), (2, 5, 4, 6)),
    "ab,cb,db->acd": ((2, 3), (4, 3), (5, 3)),
    "bii->b": ((2, 3, 3),),
    "bij,bi->j": ((2, 3, 4), (2, 3)),
    "i,j->ij": ((3,), (4,)),
    "ijk->ki": ((2, 3, 4),),
    "ij,ij->": ((3, 4), (3, 4)),
}
