#!/usr/bin/python3
"""tessera network MODEL MACHINE: the types in which networks run, INT8, FP16 and BF16, with all values checked."""

import os
import subprocess
import sys
import unittest

import numpy
from onnx import helper, numpy_helper

import small_run
from network_case import MACHINE, VALUES, NetworkCase
from small_run import tessera

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools")


class Types(NetworkCase):
    def test_quantised_networks_say_the_type_of_each_layer(self):
        model = self.quantised()
        for out, timing in (("at", "at"), ("lt", "lt")):
            process = self.network(model, MACHINE, *VALUES, "--set", f"timing={timing}", out=out)
            self.assertRegex(process.stdout + process.stderr, "file's graph: 11 nodes executed one by one, [0-9]+ tensors equal")
            rows = self.rows(out)
            self.assertEqual({row["checked"] for row in rows}, {"true"})
            types = {(row["node"], row["operator"]): row["type"] for row in rows}
            self.assertEqual(types["quantise", "QuantizeLinear"], "fp16 to uint8")
            self.assertEqual(types["dequantise", "DequantizeLinear"], "uint8 to fp16")
            self.assertEqual(types["conv", "Conv+Relu"], "fp16")
            self.assertEqual(types["product.MatMul2", "MatMul"], "fp16")
            self.assertNotIn("int8", types.values())  # no kernel multiplies INT8
            # Weights are real numbers before the network runs.
            self.assertFalse([row for row in rows if row["node"] == "weights"])
            self.assertEqual([layer["type"] for layer in self.json(out)["layers"]], [row["type"] for row in rows])
            row = next(row for row in rows if row["node"] == "quantise")
            self.assertEqual(int(row["bytes"]), 2 * 3 * 49 * (2 + 1) + 4 + 1)

    def test_quantised_products_run_on_integers(self):
        """Where the machine has IMMA.16832, and all machines of the line have it; a padded convolution of a zero point stays real."""
        model = self.quantised()
        for timing in ("at", "lt"):
            self.network(model, "a100,gpu.sms=2", *VALUES, "--set", f"timing={timing}", out=timing)
            rows = self.rows(timing)
            self.assertEqual({row["checked"] for row in rows}, {"true"})
            types = {(row["node"], row["operator"]): row["type"] for row in rows}
            self.assertEqual(types["product", "QLinearMatMul"], "uint8 x int8")
            self.assertEqual(types["conv", "Conv+Relu"], "fp16")
        # Products of integers have no price.
        self.network(model, "a100,gpu.sms=2", "multistage,gpu.energy_table=volta_12nm", out="both")
        self.assertNotIn("uint8 x int8", {row["type"] for row in self.rows("both")})

    def test_networks_run_in_bf16(self):
        """The option or the file asks for it, and all machines of the line have to multiply it."""
        model = self.everything(side=12)  # multistage kernels want even sizes
        for timing in ("at", "lt"):
            self.network(model, "a100,gpu.sms=2", *VALUES, "--dim", "batch=2", "--type", "bf16", "--set", f"timing={timing}", out=timing)
            rows = self.rows(timing)
            self.assertEqual({row["checked"] for row in rows}, {"true"})
            self.assertEqual({row["type"] for row in rows}, {"bf16"})
        for arguments, expected in (([model, MACHINE, "--dim", "batch=2", "--type", "bf16"], "--type: got bf16, expected fp16 or auto"),
                                    ([model, MACHINE, "--dim", "batch=2", "--type", "fp32"], "--type"),
                                    ([model, "--list", "--dim", "batch=2", "--type", "bf16"], "--type: got bf16, expected a machine"),
                                    (["llama2_7b", "a100", "--type", "bf16"], "--type: got")):
            self.refused_network(arguments, expected)
        file = self.in_bf16()
        for machine, type_of_layers in (("a100,gpu.sms=2", "bf16"), (MACHINE, "fp16")):
            process = self.network(file, machine, *VALUES, out=type_of_layers)
            self.assertRegex(process.stdout + process.stderr, "file's graph: 7 nodes executed one by one")
            rows = self.rows(type_of_layers)
            self.assertEqual({row["checked"] for row in rows}, {"true"})
            self.assertEqual({row["type"] for row in rows}, {type_of_layers})
        self.network(file, "a100,gpu.sms=2", "--type", "fp16", out="other")
        self.assertEqual({row["type"] for row in self.rows("other")}, {"fp16"})

    def test_a_network_is_quantised(self):
        """Networks of tools/quantize_network run on integers, and come near the original."""
        node, w = helper.make_node, self.weights
        self.constants += [numpy_helper.from_array(numpy.linspace(0.5, 2, 12, dtype=numpy.float32), "variance")]
        nodes = [node("Conv", ["x", w(12, 3, 3, 3)], ["c"], name="c", pads=[1, 1, 1, 1], strides=[2, 2]),
                 node("BatchNormalization", ["c", w(12, scale=1), w(12), w(12), "variance"], ["n"], name="n"),
                 node("Relu", ["n"], ["r"], name="r"),
                 node("MaxPool", ["r"], ["p"], name="p", kernel_shape=[2, 2], strides=[2, 2]),
                 node("Conv", ["p", w(12, 12, 3, 3), w(12)], ["d"], name="d", pads=[1, 1, 1, 1]),
                 node("Add", ["d", "p"], ["s"], name="s"), node("Relu", ["s"], ["t"], name="t"),
                 node("GlobalAveragePool", ["t"], ["g"], name="g"), node("Flatten", ["g"], ["f"], name="f"),
                 node("Gemm", ["f", w(10, 12), w(10)], ["y"], name="y", transB=1)]
        model = self.save("small", nodes, [("x", ["batch", 3, 16, 16])], "y")
        tool = os.path.join(TOOLS, "quantize_network")
        made = self.path("int8.onnx")
        line = [tool, model, made, "--dim", "batch=2", "--program", small_run.TESSERA]
        process = subprocess.run(line, check=False, capture_output=True, text=True, timeout=300)
        self.assertEqual(process.returncode, 0, process.stderr)
        self.network(made, "a100,gpu.sms=2", "--dim", "batch=2", *VALUES)
        rows = self.rows()
        self.assertEqual({row["checked"] for row in rows}, {"true"})
        types = {row["node"]: row["type"] for row in rows if row["operator"].startswith("QLinear")}
        self.assertEqual(types, {"c": "int8", "d": "uint8 x int8", "s": "int8 to uint8", "y": "uint8 x int8"})
        self.assertEqual({row["type"] for row in rows if row["node"] == "p"}, {"uint8"})
        outputs = []
        for path, out in ((model, "real"), (made, "int8")):
            process = tessera("network", path, "--list", "--values", "--dim", "batch=2", "--outputs", self.path(out))
            self.assertEqual(process.returncode, 0, process.stderr)
            outputs.append(numpy.load(self.path(out, "y.npy")))
        largest = numpy.abs(outputs[0]).max()
        self.assertLess(numpy.abs(outputs[0] - outputs[1]).max(), 0.05 * largest)
        self.assertGreater(numpy.abs(outputs[0] - outputs[1]).max(), 0)
        plain = self.save("plain", [node("Relu", ["x"], ["y"])], [("x", [1, 4])], "y")
        process = subprocess.run([tool, plain, made, "--program", small_run.TESSERA], check=False, capture_output=True, text=True, timeout=300)
        self.assertEqual((process.returncode, process.stderr.count("\n")), (2, 1), process.stderr)
        self.assertIn("without a Conv or Gemm", process.stderr)


if __name__ == "__main__":
    small_run.TESSERA = os.path.abspath(sys.argv.pop(1))
    unittest.main()
