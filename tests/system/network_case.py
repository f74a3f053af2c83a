"""Small networks in ONNX files, and what `tessera network` leaves of them, for its tests."""

import csv
import json
import os

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

from small_run import Cli, tessera

MACHINE = "v100,gpu.sms=2"
VALUES = ["--set", "values=on"]
RESULTS = ("network.csv", "network.json", "network.txt")


class NetworkCase(Cli):
    def setUp(self):
        super().setUp()
        self.random = numpy.random.default_rng(7)
        self.constants = []

    def weights(self, *shape, scale=0.25):
        name = f"w{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(
            (self.random.standard_normal(shape) * scale).astype(numpy.float32), name))
        return name

    def integers(self, *values):
        name = f"w{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(numpy.array(values, dtype=numpy.int64), name))
        return name

    def save(self, name, nodes, inputs, output, version=13, real=TensorProto.FLOAT):
        graph = helper.make_graph(
            nodes, name, [helper.make_tensor_value_info(key, real, shape) for key, shape in inputs],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)], self.constants)
        path = self.path(name + ".onnx")
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)]), path)
        self.constants = []
        return path

    def everything(self, side=10):
        """A network with what the tests of single operators have one by one, and an open batch; images of side x side."""
        node = helper.make_node
        w = self.weights
        variance = numpy_helper.from_array(numpy.linspace(0.5, 2, 8, dtype=numpy.float32), "variance")
        self.constants.append(variance)
        nodes = [
            node("Conv", ["x", w(8, 8, 3, 3)], ["c1"], name="conv", pads=[1, 1, 1, 1]),
            node("BatchNormalization", ["c1", w(8), w(8), w(8), "variance"], ["n1"], name="norm"),
            node("Relu", ["n1"], ["r1"], name="relu"),
            node("Conv", ["r1", w(8, 8, 3, 3), w(8)], ["c2"], name="asymmetric", pads=[0, 0, 1, 1], strides=[2, 2]),
            node("Conv", ["r1", w(8, 1, 3, 3)], ["c3"], name="depthwise", pads=[1, 1, 1, 1], group=8),
            node("Add", ["c3", "r1"], ["sum"], name="residual"),
            node("MaxPool", ["sum"], ["pool"], name="pool", kernel_shape=[2, 2], strides=[2, 2]),
            node("Concat", ["c2", "pool"], ["both"], name="concat", axis=1),
            node("Reshape", ["both", self.integers(0, 4, 4, side * side // 4)], ["rows"], name="reshape"),
            node("Transpose", ["rows"], ["columns"], name="transpose", perm=[0, 1, 3, 2]),
            node("MatMul", ["rows", "columns"], ["batch_product"], name="matmul"),
            node("Flatten", ["batch_product"], ["flat"], name="flatten"),
            node("Gemm", ["flat", w(10, 64), w(10)], ["scores"], name="gemm", transB=1),
            node("Softmax", ["scores"], ["y"], name="softmax", axis=-1)]
        return self.save("everything", nodes, [("x", ["batch", 8, side, side])], "y")

    def quantised(self):
        """A convolution and a product in INT8 by QuantizeLinear and DequantizeLinear, and a QLinearMatMul, with odd sizes."""
        node = helper.make_node

        def constant(values, dtype=numpy.float32):
            name = f"w{len(self.constants)}"
            self.constants.append(numpy_helper.from_array(numpy.array(values, dtype=dtype), name))
            return name

        def integers(*shape):
            return constant(self.random.integers(-127, 128, shape), numpy.int8)

        step, zero, wide = constant(0.03), constant(7, numpy.uint8), constant(0.2)
        scales = constant([0.002, 0.004, 0.003, 0.001, 0.005])
        product = [integers(5 * 49, 9), constant(0.002), constant(0, numpy.int8)]
        nodes = [
            node("QuantizeLinear", ["x", step, zero], ["xq"], name="quantise"),
            node("DequantizeLinear", ["xq", step, zero], ["xd"], name="dequantise"),
            node("DequantizeLinear", [integers(5, 3, 3, 3), scales], ["wd"], name="weights", axis=0),
            node("Conv", ["xd", "wd"], ["c"], name="conv", pads=[1, 1, 1, 1]), node("Relu", ["c"], ["r"], name="relu"),
            node("QuantizeLinear", ["r", wide], ["rq"], name="requantise"),
            node("DequantizeLinear", ["rq", wide], ["rd"], name="widen"),
            node("Flatten", ["rd"], ["flat"], name="flatten"),
            node("QuantizeLinear", ["flat", wide, zero], ["a"], name="rows"),
            node("QLinearMatMul", ["a", wide, zero, *product, wide, zero], ["m"], name="product"),
            node("DequantizeLinear", ["m", wide, zero], ["y"], name="out")]
        return self.save("quantised", nodes, [("x", [2, 3, 7, 7])], "y")

    def in_bf16(self):
        """A block of a decoder without its attention, in BFLOAT16, with a softmax in FLOAT."""
        node = helper.make_node

        def weights(*shape):
            name = f"w{len(self.constants)}"
            values = self.random.standard_normal(shape) * 0.25
            self.constants.append(helper.make_tensor(name, TensorProto.BFLOAT16, shape, values.flatten().tolist()))
            return name

        nodes = [
            node("LayerNormalization", ["x", weights(64), weights(64)], ["n"], name="norm"),
            node("MatMul", ["n", weights(64, 96)], ["up"], name="up"), node("Relu", ["up"], ["r"], name="relu"),
            node("MatMul", ["r", weights(96, 64)], ["down"], name="down"),
            node("Add", ["down", "x"], ["sum"], name="residual"),
            node("Cast", ["sum"], ["wide"], name="cast", to=TensorProto.FLOAT),
            node("Softmax", ["wide"], ["y"], name="softmax", axis=-1)]
        return self.save("in_bf16", nodes, [("x", [2, 9, 64])], "y", version=17, real=TensorProto.BFLOAT16)

    def twins(self):
        """Two layers that differ in nothing but their weights."""
        nodes = [helper.make_node("Conv", ["x", self.weights(8, 8, 3, 3)], ["a"], name="first", pads=[1, 1, 1, 1]),
                 helper.make_node("Conv", ["a", self.weights(8, 8, 3, 3)], ["y"], name="second", pads=[1, 1, 1, 1])]
        return self.save("twins", nodes, [("x", [1, 8, 6, 6])], "y")

    def network(self, *arguments, out="out"):
        process = tessera("network", *arguments, "--out", self.path(out))
        self.assertEqual(process.returncode, 0, process.stderr)
        return process

    def refused_network(self, arguments, *expected):
        """One line, exit code 2, and no folder."""
        before = sorted(os.listdir(self.folder))
        self.assert_refused(tessera("network", *arguments, "--out", self.out()), *expected)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def rows(self, out="out"):
        with open(self.path(out, "network.csv"), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def results(self, out="out"):
        contents = []
        for name in RESULTS:
            with open(self.path(out, name), "rb") as file:
                contents.append(file.read())
        return contents

    def ran(self, out="out"):
        """When each run was done, by its folder."""
        root = self.path(out, "runs")
        return {os.path.relpath(where, root): os.stat(os.path.join(where, "result.json")).st_mtime_ns
                for where, _, files in os.walk(root) if "result.json" in files}

    def json(self, out="out"):
        with open(self.path(out, "network.json"), encoding="utf-8") as file:
            return json.load(file)
