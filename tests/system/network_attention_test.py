#!/usr/bin/python3
"""Attention of a network on machines with and without a kernel for it: layers, values, and time.

Usage: network_attention_test.py TESSERA
"""

import sys
import unittest

import numpy
from onnx import helper, numpy_helper

import small_run
from network_case import VALUES, NetworkCase

ROWS, HEADS, DEPTH = 40, 2, 64
WIDTH = HEADS * DEPTH
FUSED = ["MatMul+Add", "Attention", "MatMul+Add+Add"]


class NetworkAttention(NetworkCase):
    def block(self, works_on_heads=False):
        """Attention with masked keys as PyTorch exports it, its projections, and a residual addition."""
        node = helper.make_node
        nodes = []
        self.constants.append(numpy_helper.from_array(numpy.float32(DEPTH ** 0.5), "root"))

        def linear(x, name):
            nodes.append(node("MatMul", [x, self.weights(WIDTH, WIDTH, scale=0.1)], [name + ".p"], name=name))
            nodes.append(node("Add", [self.weights(WIDTH), name + ".p"], [name], name=name + ".bias"))

        for part in ("query", "key", "value"):
            linear("x", part)
            nodes.append(node("Reshape", [part, self.integers(0, 0, HEADS, DEPTH)], [part + ".parted"]))
            nodes.append(node("Transpose", [part + ".parted"], [part + ".heads"], perm=[0, 2, 1, 3]))
        query = "query.heads"
        if works_on_heads:
            nodes.append(node("Neg", [query], ["negated"], name="negated"))
            query = "negated"
        nodes += [node("Transpose", ["key.heads"], ["key.turned"], perm=[0, 1, 3, 2]),
                  node("MatMul", [query, "key.turned"], ["products"], name="scores"),
                  node("Div", ["products", "root"], ["scores"]),
                  node("Add", ["scores", "mask"], ["masked"], name="mask.add"),
                  node("Softmax", ["masked"], ["shares"], name="softmax", axis=-1),
                  node("MatMul", ["shares", "value.heads"], ["context"], name="context"),
                  node("Transpose", ["context"], ["context.turned"], perm=[0, 2, 1, 3]),
                  node("Reshape", ["context.turned", self.integers(0, 0, WIDTH)], ["attended"], name="attention")]
        linear("attended", "output")
        nodes.append(node("Add", ["output", "x"], ["y"], name="residual"))
        return self.save("block", nodes, [("x", [2, ROWS, WIDTH]), ("mask", [2, 1, 1, ROWS])], "y")

    def inputs(self):
        mask = numpy.zeros((2, 1, 1, ROWS), dtype=numpy.float32)
        mask[1, 0, 0, 25:] = -10000  # the second sequence is shorter
        numpy.save(self.path("mask.npy"), mask)
        return ["--input", "mask=" + self.path("mask.npy")]

    def operators(self, out="out"):
        return [row["operator"] for row in self.rows(out)]

    def test_one_kernel_computes_it(self):
        model, inputs = self.block(), self.inputs()
        for out, sets in (("lt", []), ("at", ["--set", "timing=at"])):
            process = self.network(model, "a100,multistage", *VALUES, *sets, *inputs, out=out)
            self.assertRegex(process.stdout + process.stderr, "file's graph: 23 nodes executed one by one, [0-9]+ tensors equal")
            self.assertEqual(self.operators(out), FUSED)
            rows = self.rows(out)
            self.assertEqual({row["checked"] for row in rows}, {"true"})
            self.assertEqual([row["shape"] for row in rows], [f"{2 * ROWS}x{3 * WIDTH}x{WIDTH}", f"2x{ROWS}x{HEADS}x{DEPTH}", f"{2 * ROWS}x{WIDTH}x{WIDTH}"])

    def test_heads_may_stay_apart(self):
        for out, sets in (("lt", []), ("at", ["--set", "timing=at"])):
            self.network(self.block(works_on_heads=True), "a100,multistage", *VALUES, *sets, *self.inputs(), out=out)
            self.assertEqual(self.operators(out), 3 * ["MatMul+Add", "Transpose"] + ["Neg", "Attention", "MatMul+Add+Add"])
            self.assertEqual({row["checked"] for row in self.rows(out)}, {"true"})

    def test_others_compute_it_in_parts(self):
        model = self.block()
        for machine, more in (("v100", []), ("a100,multistage", ["--no-fuse"])):
            self.network(model, machine, *more, out=machine)
            operators = self.operators(machine)
            self.assertNotIn("Attention", operators)
            self.assertIn("Softmax", operators)
            self.assertEqual(operators.count("Transpose"), 5)

    def test_hopper_takes_masks_too(self):
        model, inputs = self.block(), self.inputs()
        for machine in ("h100,multistage", "h100,wgmma"):
            self.network(model, machine, *VALUES, *inputs, out=machine)
            self.assertIn("Attention", self.operators(machine))
            self.assertNotIn("Softmax", self.operators(machine))
            self.assertEqual({row["checked"] for row in self.rows(machine)}, {"true"})


if __name__ == "__main__":
    small_run.TESSERA = sys.argv.pop(1)
    unittest.main()
