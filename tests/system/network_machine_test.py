#!/usr/bin/python3
"""tessera network MODEL MACHINE: a whole network layer by layer, every value checked; resumed, interrupted, refused."""

import json
import os
import signal
import subprocess
import sys
import time
import unittest

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

import small_run
from small_run import Cli, tessera

FLOAT = TensorProto.FLOAT


class Machine(Cli):
    def save(self, nodes, inputs, outputs, constants, name="net"):
        graph = helper.make_graph(
            nodes, name, [helper.make_tensor_value_info(n, FLOAT, shape) for n, shape in inputs],
            [helper.make_tensor_value_info(n, FLOAT, None) for n in outputs],
            [numpy_helper.from_array(values, n) for n, values in constants.items()])
        path = os.path.join(self.folder, name + ".onnx")
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), path)
        return path

    def network(self):
        """Something of everything: padding on one side, a step, groups, a residual, pools, batches of products."""
        random = numpy.random.Generator(numpy.random.PCG64(1))

        def weights(*shape):
            return (random.standard_normal(shape) / 4).astype(numpy.float32)

        constants = {
            "w0": weights(16, 3, 3, 3), "scale": weights(16) + 1, "shift": weights(16), "mean": weights(16),
            "variance": numpy.abs(weights(16)) + 1, "w1": weights(16, 1, 3, 3), "w2": weights(16, 16, 1, 1),
            "b2": weights(16), "w3": weights(8, 16, 2, 2), "t0": weights(8, 4, 2, 2), "w4": weights(20, 10),
            "b4": weights(10), "rows": numpy.array([2, 2, 8, 4], dtype=numpy.int64),
            "flat": numpy.array([2, -1], dtype=numpy.int64), "w5": weights(64, 20)}
        make = helper.make_node
        nodes = [
            make("Conv", ["x", "w0"], ["c0"], name="first", strides=[2, 2], pads=[0, 0, 1, 1]),
            make("BatchNormalization", ["c0", "scale", "shift", "mean", "variance"], ["n0"], name="norm"),
            make("Relu", ["n0"], ["r0"], name="act"),
            make("Conv", ["r0", "w1"], ["c1"], name="depthwise", group=16, pads=[1, 1, 1, 1]),
            make("LeakyRelu", ["c1"], ["r1"], name="leak"),
            make("Conv", ["r1", "w2", "b2"], ["c2"], name="point"),
            make("Add", ["c2", "r0"], ["a2"], name="residual"),
            make("MaxPool", ["a2"], ["p2"], name="pool", kernel_shape=[2, 2], strides=[2, 2]),
            make("Conv", ["p2", "w3"], ["c3"], name="narrow", strides=[2, 2]),
            make("ConvTranspose", ["c3", "t0"], ["u3"], name="up", strides=[2, 2]),
            make("Sigmoid", ["u3"], ["s3"], name="gate"),
            make("Reshape", ["s3", "rows"], ["m3"], name="heads"),
            make("Transpose", ["m3"], ["m3t"], name="turned", perm=[0, 1, 3, 2]),
            make("MatMul", ["m3t", "m3"], ["scores"], name="batch"),
            make("Softmax", ["scores"], ["soft"], name="softmax", axis=-1),
            make("Reshape", ["s3", "flat"], ["f3"], name="flatten"),
            make("Slice", ["f3", "from", "to", "axis"], ["cut"], name="slice"),
            make("MatMul", ["cut", "w5"], ["h"], name="hidden"),
            make("Gemm", ["h", "w4", "b4"], ["y"], name="last")]
        constants.update({"from": numpy.array([0], dtype=numpy.int64), "to": numpy.array([64], dtype=numpy.int64),
                          "axis": numpy.array([1], dtype=numpy.int64)})
        return self.save(nodes, [("x", ["batch", 3, 16, 16])], ["y", "soft"], constants)

    def run_network(self, model, out, *arguments, machine="v100"):
        return tessera("network", model, machine, *arguments, "--dim", "batch=2", "--out", os.path.join(self.folder, out))

    def result(self, out):
        with open(os.path.join(self.folder, out, "network.json"), encoding="utf-8") as file:
            return json.load(file)

    def bytes_of(self, out, name):
        with open(os.path.join(self.folder, out, name), "rb") as file:
            return file.read()

    def test_every_value_of_every_layer_is_checked(self):
        model = self.network()
        for machine, out in (("v100", "staged"), ("v100,baseline,workload.kernel=fragments", "fragments")):
            process = self.run_network(model, out, "--set", "values=on", "--skip-unsupported", machine=machine)
            self.assertEqual(process.returncode, 0, process.stderr)
            layers = self.result(out)["layers"]
            checked = [layer["name"] for layer in layers if layer["times"][0]["checked"]]
            self.assertGreater(len(checked), 12)
            self.assertEqual(len(checked), len(layers))
        # The first kernel has its activation; fragments leave it to one of its own.
        names = [layer["operator"] for layer in self.result("staged")["layers"]]
        self.assertIn("Conv+Relu", names)
        self.assertIn("Pad", names)
        self.assertNotIn("Conv+Relu", [layer["operator"] for layer in self.result("fragments")["layers"]])

    def test_mechanisms_run_what_they_can(self):
        model = self.network()
        process = self.run_network(model, "out", "duplo_staged", "dual_implicit_ideal", "--prune", "0.5", "-j", "1")
        self.assertEqual(process.returncode, 0, process.stderr)
        result = self.result("out")
        self.assertEqual([v["name"] for v in result["variants"]], ["v100", "duplo_staged", "dual_implicit_ideal"])
        by_name = {layer["node"]: layer for layer in result["layers"] if "zeros_b" in layer}
        self.assertEqual([time["own"] for time in by_name["depthwise"]["times"]], [True, True, False])
        self.assertEqual([time["own"] for time in by_name["point"]["times"]], [True, True, True])
        self.assertEqual([time["own"] for time in by_name["hidden"]["times"]], [True, False, True])
        self.assertAlmostEqual(by_name["point"]["zeros_b"], 0.5, delta=0.01)
        for v, variant in enumerate(result["variants"]):
            self.assertAlmostEqual(variant["cycles"], sum(layer["times"][v]["cycles"] for layer in result["layers"]))
            self.assertLessEqual(variant["cycles_with_faster_kernels"], variant["cycles"])
        # The same once more, two at a time: nothing but the order differs.
        again = self.run_network(model, "again", "duplo_staged", "dual_implicit_ideal", "--prune", "0.5", "-j", "2")
        self.assertEqual(again.returncode, 0, again.stderr)
        for name in ("network.csv", "network.txt", "network.json"):
            self.assertEqual(self.bytes_of("out", name), self.bytes_of("again", name))

    def test_what_is_there_is_not_run_again(self):
        model = self.network()
        self.assertEqual(self.run_network(model, "out").returncode, 0)
        first = self.bytes_of("out", "network.csv")
        folder = os.path.join(self.folder, "out", "runs")
        runs = {os.path.join(f, name): os.stat(os.path.join(f, name)).st_mtime_ns
                for f, _, names in os.walk(folder) for name in names if name == "result.json"}
        self.assertEqual(self.run_network(model, "out").returncode, 0)
        self.assertEqual(first, self.bytes_of("out", "network.csv"))
        for path, changed in runs.items():
            self.assertEqual(os.stat(path).st_mtime_ns, changed, path)

    def test_an_interrupted_network_goes_on(self):
        model = self.network()
        out = os.path.join(self.folder, "out")
        command = [small_run.TESSERA, "network", model, "v100", "duplo_staged", "--dim", "batch=2", "--out", out, "-j", "1"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(400):
            if any(name == "result.json" for _, _, names in os.walk(out) for name in names):
                break
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        stderr = process.communicate()[1]
        if process.returncode != 0:
            self.assertEqual(process.returncode, 130, stderr)
            self.assertFalse(os.path.exists(os.path.join(out, "network.csv")))
        self.assertEqual(self.run_network(model, "out", "duplo_staged").returncode, 0)
        self.assertEqual(self.run_network(model, "whole", "duplo_staged").returncode, 0)
        self.assertEqual(self.bytes_of("out", "network.csv"), self.bytes_of("whole", "network.csv"))

    def test_equal_layers_run_once(self):
        weights = numpy.ones((8, 8, 1, 1), dtype=numpy.float32)
        nodes = [helper.make_node("Conv", ["x" if i == 0 else f"c{i - 1}", "w"], [f"c{i}"], name=f"conv{i}")
                 for i in range(3)]
        model = self.save(nodes, [("x", [2, 8, 6, 6])], ["c2"], {"w": weights})
        process = tessera("network", model, "v100", "--out", self.path("out"))
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn("3 layers, 1 runs", process.stderr)

    def test_a_network_in_yaml(self):
        path = os.path.join(self.folder, "own.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write("layers:\n"
                       "  conv: {batch: 1, height: 8, width: 8, channels: 16, filters: 16, filter_height: 3,\n"
                       "         filter_width: 3, pad: 1, stride: 1}\n"
                       "  product: {m: 32, n: 64, k: 48}\n")
        process = tessera("network", path, "v100", "duplo_staged", "--out", self.path("out"))
        self.assertEqual(process.returncode, 0, process.stderr)
        layers = self.result("out")["layers"]
        self.assertEqual([layer["name"] for layer in layers], ["own.conv", "own.product"])
        self.assertEqual([layer["times"][1]["own"] for layer in layers], [True, False])

    def test_wrong_input(self):
        model = self.network()
        dim = ["--dim", "batch=2"]
        unknown = self.save([helper.make_node("LRN", ["x"], ["y"], name="lrn", size=3)], [("x", [1, 8, 4, 4])], ["y"],
                            {}, "lrn")
        for arguments, expected in (
                (["network", model, *dim], "got no machine, expected one (v100), or --list"),
                (["network", model, "v100", "--list", *dim], "--list: got a machine, expected none"),
                (["network", model, "v1000", *dim], "unknown configuration 'v1000'"),
                (["network", model, "v100", "duplo_stagd", *dim], "unknown configuration 'duplo_stagd'"),
                (["network", model, "v100", "duplo_staged", "duplo_staged", *dim], "got 'duplo_staged' twice"),
                (["network", model, "v100", "--prune", "2", *dim], "--prune: got '2', expected none, a fraction"),
                (["network", model, "v100", "--prune", "4:2", *dim], "--prune: got '4:2'"),
                (["network", model, "v100"], "dimension 0 is open, expected --dim batch=SIZE"),
                (["network", model + "x", "v100"], "net.onnxx"),
                (["network", unknown, "v100"], "node 'lrn' (LRN): there is no kernel for this operator"),
                (["network", model, "v100", *dim, "--set", "sm.warps=1"], "sm.warps")):
            self.refused([*arguments, "--out", self.path("refused")], expected, out=False)
        process = tessera("network", unknown, "v100", "--out", self.path("skipped"), "--skip-unsupported")
        self.assertIn("100.00 % of the network's FLOP, cannot be simulated", process.stderr)


if __name__ == "__main__":
    small_run.TESSERA = os.path.abspath(sys.argv.pop(1))
    unittest.main()
