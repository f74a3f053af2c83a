#!/usr/bin/python3
"""tessera network: tables of whole networks, as tools/make_networks writes them, and wrong input in one line."""

import filecmp
import os
import re
import subprocess
import sys
import unittest

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

import small_run
from small_run import Cli, tessera

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MAKE = os.path.join(ROOT, "tools", "make_networks")


class Networks(Cli):
    def model(self, nodes, inputs, output, constants=()):
        """The path of a model with these nodes; inputs by name and shape."""
        real = TensorProto.FLOAT
        graph = helper.make_graph(
            nodes, "small", [helper.make_tensor_value_info(name, real, shape) for name, shape in inputs],
            [helper.make_tensor_value_info(output, real, None)],
            [numpy_helper.from_array(values, name) for name, values in constants])
        path = os.path.join(self.folder, "small.onnx")
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), path)
        return path

    def product(self):
        """A product and its activation, with an open batch; one weight in four is zero."""
        weights = numpy.array([[1, -1], [0, 2]], dtype=numpy.float32)
        return self.model([helper.make_node("MatMul", ["x", "w"], ["a"], name="dense"),
                           helper.make_node("Relu", ["a"], ["y"], name="act")],
                          [("x", ["batch", 2])], "y", [("w", weights)])

    def rows(self, *arguments):
        process = tessera("network", *arguments)
        self.assertEqual(process.returncode, 0, process.stderr)
        checked = r"file's graph: \d+ nodes executed one by one, \d+ tensors equal.*\n" if "--values" in arguments else ""
        self.assertRegex(process.stderr, f"^{checked}$")
        return [line.split() for line in process.stdout.splitlines() if not line.startswith("-")]

    def test_a_bias_of_each_row_stays_out_of_weights(self):
        """A Gemm's C of shape (m, 1) is no bias of channels, which a BatchNormalization could become part of."""
        rows = numpy.array([[1], [20], [300], [4000]], dtype=numpy.float32)
        ones, zeros = numpy.ones(4, dtype=numpy.float32), numpy.zeros(4, dtype=numpy.float32)
        model = self.model([helper.make_node("Gemm", ["x", "w", "c"], ["t"], name="gemm"),
                            helper.make_node("BatchNormalization", ["t", "s", "b", "m", "v"], ["y"], epsilon=0.0)],
                           [("x", [4, 3])], "y",
                           [("w", numpy.zeros((3, 4), dtype=numpy.float32)), ("c", rows), ("s", ones), ("b", zeros),
                            ("m", zeros), ("v", ones)])
        self.rows(model, "--list", "--values", "--outputs", self.out())
        self.assertEqual(numpy.load(os.path.join(self.out(), "y.npy")).tolist(), (rows * ones).tolist())

    def test_a_table_has_work_and_zeros_of_each_node(self):
        header, dense, total = self.rows(self.product(), "--list", "--dim", "batch=3")
        self.assertEqual(header[:2], ["node", "operator"])
        # 2 x 3 x 2 x 2 for the product and 3 x 2 for the activation; 6 + 4 + 6 floats.
        self.assertEqual(dense, ["dense", "MatMul+Relu", "3x2,", "2x2", "3x2", "0.000", "0.1", "4", "25.0"])
        self.assertEqual(total[:2], ["1", "nodes"])
        rows = self.rows(self.product(), "--list", "--dim", "batch=3", "--no-fuse")
        self.assertEqual([row[0] for row in rows[1:-1]], ["dense", "act"])

    def test_values_come_from_files_and_from_the_seed(self):
        image = os.path.join(self.folder, "x.npy")
        numpy.save(image, numpy.array([[1, 0], [0, 1], [-1, 0]], dtype=numpy.float32))
        arguments = [self.product(), "--list", "--dim", "batch=3", "--values"]
        # Rows 1 -1, 0 2 and -1 1 before the activation.
        self.assertEqual(self.rows(*arguments, "--input", f"x={image}")[1][-1], "50.0")
        self.assertEqual(self.rows(*arguments, "--seed", "2"), self.rows(*arguments, "--seed", "2"))

    def test_inputs_and_outputs_are_written(self):
        out = self.path("made", "tensors")
        arguments = [self.product(), "--list", "--dim", "batch=3", "--values", "--seed", "5"]
        self.assertEqual(self.rows(*arguments, "--outputs", out), self.rows(*arguments))
        self.assertEqual(sorted(os.listdir(out)), ["x.npy", "y.npy"])
        x, y = (numpy.load(os.path.join(out, name)) for name in ("x.npy", "y.npy"))
        self.assertEqual((x.dtype, y.dtype), (numpy.float32, numpy.float32))
        numpy.testing.assert_allclose(y, numpy.maximum(x @ numpy.array([[1, -1], [0, 2]]), 0), rtol=1e-6)
        # The drawn input yields the same output when it is read from a file.
        again = self.path("again")
        self.rows(*arguments[:-2], "--input", f"x={os.path.join(out, 'x.npy')}", "--outputs", again)
        numpy.testing.assert_array_equal(numpy.load(os.path.join(again, "y.npy")), y)

    def test_networks_that_are_made(self):
        """Multiplications and additions of one image, from the layers' shapes; the papers give half as many, in MACs."""
        for name, layers, gflop in (("resnet18", 24, 3.6), ("mobilenetv2", 55, 0.6)):
            for folder in ("a", "b"):
                made = subprocess.run([MAKE, os.path.join(self.folder, folder), name], check=True, capture_output=True)
                self.assertEqual(made.stderr, b"")
            files = [os.path.join(self.folder, folder, name + ".onnx") for folder in ("a", "b")]
            self.assertTrue(filecmp.cmp(*files, shallow=False), name)
            rows = self.rows(files[0], "--list", "--dim", "batch=1")
            self.assertEqual(rows[-1][:2], [str(layers), "nodes"])
            self.assertAlmostEqual(float(rows[-1][2]) / 1000, gflop, delta=0.05 * gflop)

    def test_the_example_of_the_page(self):
        """The first commands of docs/networks.md print the lines that the page shows below them."""
        with open(os.path.join(ROOT, "docs", "networks.md"), encoding="utf-8") as page:
            commands, shown = re.search(r"^```sh\n(.*?)^```\n.*?^```\n(.*?)^```\n", page.read(), re.MULTILINE | re.DOTALL).groups()
        programs = {"tools/make_networks": MAKE, "tessera": small_run.TESSERA}
        for words in map(str.split, commands.splitlines()):
            process = subprocess.run([programs[words[0]], *words[1:]], cwd=self.folder, check=True, capture_output=True, text=True)
        self.assertIn(shown, process.stdout)

    def test_wrong_networks_for_the_maker(self):
        process = subprocess.run([MAKE, self.folder, "resnet19"], check=False, capture_output=True, text=True)
        self.assertEqual((process.returncode, len(process.stderr.splitlines())), (2, 1))
        self.assertIn("got network 'resnet19', expected one of {resnet18,", process.stderr)

    def test_wrong_input(self):
        model = self.product()
        image = os.path.join(self.folder, "x.npy")
        numpy.save(image, numpy.zeros((1, 2), dtype=numpy.float32))
        listed = ["network", model, "--list"]
        known = [*listed, "--dim", "batch=3"]
        for arguments, expected in (
                (["network", model], "got no machine, expected one (v100), or --list"),
                ([*listed, "--dim", "batch=3", "v100"], "--list: got a machine, expected none"),
                (["network", model + "x", "--list"], "No such file"),
                (["network", self.small, "--list"], "unknown key 'gpu', expected one of {description, layers}"),
                (listed, "input 'x': dimension 0 is open, expected --dim batch=SIZE"),
                ([*known, "--dim", "bach=3"], "got dimension 'bach', expected one of {batch, x.0}"),
                ([*listed, "--dim", "batch"], "--dim: got 'batch', expected NAME=VALUE"),
                ([*listed, "--dim", "batch=0"], "--dim batch: got '0', expected an integer from 1"),
                ([*known, "--input", f"x={image}"], "--input: got a file, expected --values with --list"),
                ([*known, "--outputs", self.out()], "--outputs requires --values"),
                ([*known, "--values", "--outputs", self.small], "--outputs: cannot make folder"),
                ([*known, "--values", "--input", f"x={image}", "--outputs", self.out()], "--input x: got FLOAT 1x2"),
                ([*known, "--values", "--input", f"z={image}"], "--input: got 'z', expected one of {x}"),
                ([*known, "--values", "--input", f"x={image}"], "--input x: got FLOAT 1x2, expected FLOAT 3x2")):
            with self.subTest(arguments=arguments[2:]):
                self.refused(arguments, expected, out=False)


if __name__ == "__main__":
    small_run.TESSERA = os.path.abspath(sys.argv.pop(1))
    unittest.main()
