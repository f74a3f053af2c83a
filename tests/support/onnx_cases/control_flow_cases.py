"""Control flow that constants decide, and functions of a model."""

import numpy as np
import onnx
from onnx import TensorProto, helper

from case_files import drawn


def value(name, kind=TensorProto.FLOAT, shape=None):
    return helper.make_tensor_value_info(name, kind, shape)


def constant(name, array):
    return helper.make_node("Constant", [], [name], value=onnx.numpy_helper.from_array(array))


def add_to(cases):
    x = drawn(2, 3)
    branches = {
        "then_branch": helper.make_graph([helper.make_node("Relu", ["x"], ["t"])], "then", [], [value("t")]),
        "else_branch": helper.make_graph([helper.make_node("Neg", ["x"], ["t"])], "else", [], [value("t")])}
    for rows in (2, 4):
        nodes = [helper.make_node("Shape", ["x"], ["sides"], start=0, end=1), constant("wanted", np.array([rows])),
                 helper.make_node("Equal", ["sides", "wanted"], ["same"]),
                 helper.make_node("If", ["same"], ["y"], **branches)]
        cases.add(f"if_of_{rows}_rows", 18, nodes, {"x": x}, {"y": np.maximum(x, 0) if rows == 2 else -x})

    w = drawn(3, 3, seed=1)
    body = helper.make_graph(
        [helper.make_node("MatMul", ["v", "w"], ["product"]), helper.make_node("Tanh", ["product"], ["next"]),
         helper.make_node("Identity", ["go"], ["on"]), helper.make_node("Identity", ["next"], ["row"])],
        "body", [value("i", TensorProto.INT64, []), value("go", TensorProto.BOOL, []), value("v")],
        [value("on", TensorProto.BOOL, []), value("next"), value("row")])
    nodes = [constant("trips", np.array(4)), constant("true", np.array(True)),
             helper.make_node("Loop", ["trips", "true", "x"], ["last", "rows"], body=body)]
    rows, state = [], x.astype(np.float64)
    for _ in range(4):
        state = np.tanh(state @ w)
        rows.append(state)
    cases.add("loop_of_4", 18, nodes, {"x": x, "w": w},
              {"last": state.astype(np.float32), "rows": np.stack(rows).astype(np.float32)})

    function = helper.make_function("own", "Swish", ["a"], ["b"],
                                    [helper.make_node("Sigmoid", ["a"], ["s"]), helper.make_node("Mul", ["a", "s"], ["b"])],
                                    [helper.make_opsetid("", 18)])
    wide = x.astype(np.float64)
    once = wide / (1 + np.exp(-wide))
    cases.add("function_of_the_model", 18, [helper.make_node("Swish", ["x"], ["h"], domain="own"),
                                            helper.make_node("Swish", ["h"], ["y"], domain="own")],
              {"x": x}, {"y": (once / (1 + np.exp(-once))).astype(np.float32)}, functions=[function], domains=["own"])
