"""A case of ONNX's test data: a model, its inputs and its outputs, as files that ONNX's runner has."""

import os

import numpy as np
import onnx
from onnx import helper, numpy_helper

TYPES = {np.dtype(np.float32): onnx.TensorProto.FLOAT, np.dtype(np.float16): onnx.TensorProto.FLOAT16,
         np.dtype(np.int64): onnx.TensorProto.INT64, np.dtype(np.int32): onnx.TensorProto.INT32,
         np.dtype(np.int8): onnx.TensorProto.INT8, np.dtype(np.uint8): onnx.TensorProto.UINT8,
         np.dtype(np.bool_): onnx.TensorProto.BOOL}
IR_VERSION = 8


def type_info(name, array):
    return helper.make_tensor_value_info(name, TYPES[array.dtype], array.shape)


class Cases:
    """Collects the cases of a family; `folder` is where they go."""

    def __init__(self, folder):
        self.folder = folder
        self.names = []

    def add(self, name, operator_set, nodes, inputs, outputs, functions=(), domains=()):
        """Writes a case. `nodes` is one or several, `inputs` and `outputs` are arrays by name, in order."""
        nodes = nodes if isinstance(nodes, list) else [nodes]
        graph = helper.make_graph(nodes, name, [type_info(*one) for one in inputs.items()],
                                  [type_info(*one) for one in outputs.items()])
        sets = [helper.make_opsetid("", operator_set)] + [helper.make_opsetid(domain, 1) for domain in domains]
        model = helper.make_model(graph, opset_imports=sets, functions=list(functions))
        model.ir_version = IR_VERSION
        data = os.path.join(self.folder, "test_" + name, "test_data_set_0")
        os.makedirs(data, exist_ok=True)
        with open(os.path.join(data, os.pardir, "model.onnx"), "wb") as handle:
            handle.write(model.SerializeToString())
        for side, arrays in (("input", inputs), ("output", outputs)):
            for number, (tensor, array) in enumerate(arrays.items()):
                with open(os.path.join(data, f"{side}_{number}.pb"), "wb") as handle:
                    handle.write(numpy_helper.from_array(np.asarray(array), tensor).SerializeToString())
        self.names.append(name)

    def one(self, name, operator_set, operation, inputs, outputs, **attributes):
        """Writes a case of one node. An input that is None is omitted."""
        names = ["" if array is None else key for key, array in inputs.items()]
        node = helper.make_node(operation, names, list(outputs), **attributes)
        self.add(name, operator_set, node, {key: array for key, array in inputs.items() if array is not None}, outputs)


def drawn(*shape, seed=0, dtype=np.float32):
    """Normally distributed numbers."""
    return np.random.RandomState(seed).randn(*shape).astype(dtype)


def integers(*values):
    return np.array(values, dtype=np.int64)
