#!/usr/bin/python3
"""tessera network MODEL MACHINE: whole small networks, layer by layer, with all values checked; resumed, on several
processes, and refused in one line."""

import csv
import fcntl
import json
import os
import shutil
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

MACHINE = "v100,gpu.sms=2"
VALUES = ["--set", "values=on"]
RESULTS = ("network.csv", "network.json", "network.txt")


class Machine(Cli):
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

    def save(self, name, nodes, inputs, output, version=13):
        real = TensorProto.FLOAT
        graph = helper.make_graph(
            nodes, name, [helper.make_tensor_value_info(key, real, shape) for key, shape in inputs],
            [helper.make_tensor_value_info(output, real, None)], self.constants)
        path = self.path(name + ".onnx")
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)]), path)
        self.constants = []
        return path

    def everything(self):
        """A network with what the tests of single operators have one by one, and an open batch."""
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
            node("Reshape", ["both", self.integers(0, 4, 4, 25)], ["rows"], name="reshape"),
            node("Transpose", ["rows"], ["columns"], name="transpose", perm=[0, 1, 3, 2]),
            node("MatMul", ["rows", "columns"], ["batch_product"], name="matmul"),
            node("Flatten", ["batch_product"], ["flat"], name="flatten"),
            node("Gemm", ["flat", w(10, 64), w(10)], ["scores"], name="gemm", transB=1),
            node("Softmax", ["scores"], ["y"], name="softmax", axis=-1)]
        return self.save("everything", nodes, [("x", ["batch", 8, 10, 10])], "y")

    def twins(self):
        """Two layers that differ in nothing but their weights."""
        nodes = [helper.make_node("Conv", ["x", self.weights(8, 8, 3, 3)], ["a"], name="first", pads=[1, 1, 1, 1]),
                 helper.make_node("Conv", ["a", self.weights(8, 8, 3, 3)], ["y"], name="second", pads=[1, 1, 1, 1])]
        return self.save("twins", nodes, [("x", [1, 8, 6, 6])], "y")

    def network(self, *arguments, out="out"):
        process = tessera("network", *arguments, "--out", self.path(out))
        self.assertEqual(process.returncode, 0, process.stderr)
        return process

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

    def test_all_values_of_all_layers_are_checked(self):
        self.network(self.everything(), MACHINE, *VALUES, "--dim", "batch=2")
        rows = self.rows()
        by_node = {}
        for row in rows:
            by_node.setdefault(row["node"], []).append(row)
        self.assertEqual({row["checked"] for row in rows}, {"true"})
        self.assertTrue(all(float(row["cycles"]) > 0 for row in rows))
        # Nodes that are fused have no rows of their own.
        self.assertEqual(set(by_node), {"conv", "asymmetric", "depthwise", "pool", "concat", "reshape", "transpose",
                                        "matmul", "gemm", "softmax"})
        operators = {node: [row["operator"] for row in of_node] for node, of_node in by_node.items()}
        self.assertEqual(operators["conv"], ["Conv+Relu"])
        self.assertEqual(operators["asymmetric"], ["Pad", "Conv"])
        self.assertEqual(operators["depthwise"], ["Conv+Add"])
        self.assertEqual(operators["reshape"], ["to NCHW"])
        self.assertEqual([row["shape"] for row in by_node["matmul"]], ["8 of 4x4x25"])
        # 2 x 2 images of 10 x 10 x 8 x 8 x 9, and what the activation and the bias add.
        self.assertEqual(float(by_node["conv"][0]["flop"]), 2 * 2 * 100 * 8 * 8 * 9 + 2 * 2 * 800)
        with open(self.path("out", "network.json"), encoding="utf-8") as file:
            result = json.load(file)
        self.assertEqual(len(result["layers"]), len(rows))
        self.assertAlmostEqual(result["variants"][0]["cycles"], sum(float(row["cycles"]) for row in rows))
        self.assertNotIn("not_simulated", result)

    def test_mechanisms_see_the_same_values(self):
        """Lowered with fragments, where nothing is fused, and sparse."""
        model = self.everything()
        for out, mechanisms in (("duplo", ["duplo_staged"]), ("dual", ["dual_implicit_paper"])):
            self.network(model, MACHINE, *mechanisms, *VALUES, "--dim", "batch=1", "--prune", "0.5", out=out)
            rows = self.rows(out)
            self.assertEqual({row["checked"] for row in rows}, {"true"})
            own = [row["node"] for row in rows if row["variant"] == mechanisms[0] and row["own"] == "true"]
            self.assertIn("conv", own)
            zeros = [float(row["zeros_b"]) for row in rows if row["node"] == "conv" and row["operator"][:4] == "Conv"]
            self.assertAlmostEqual(zeros[0], 0.5, delta=0.01)

    def test_transposed_convolutions(self):
        """As gradients of inputs, which libraries' kernels compute with any stride and direct ones with 1."""
        for stride in (1, 2):
            nodes = [helper.make_node("ConvTranspose", ["x", self.weights(3, 5, 3, 3), self.weights(5)], ["y"],
                                      name="up", strides=[stride, stride], pads=[1, 1, 1, 1])]
            model = self.save("up", nodes, [("x", [2, 3, 4, 6])], "y")
            direct = "workload.kind=direct_convolution"
            self.network(model, MACHINE, direct, *VALUES, out=f"up{stride}")
            rows = [row for row in self.rows(f"up{stride}") if row["operator"][:4] == "Conv"]
            self.assertEqual({row["checked"] for row in rows}, {"true"})
            own = {row["variant"]: row["own"] for row in rows}
            self.assertEqual(own[direct], "true" if stride == 1 else "false")

    def test_nothing_runs_twice(self):
        arguments = [self.everything(), MACHINE, "--dim", "batch=1"]
        self.network(*arguments, "-j", "1")
        results, ran = self.results(), self.ran()
        self.network(*arguments, "-j", "2")
        self.assertEqual(self.ran(), ran)
        self.assertEqual(self.results(), results)
        self.network(*arguments, "-j", "2", out="two")
        self.assertEqual(self.results("two"), results)
        # A run that is lost is done again, and no other.
        lost = sorted(ran)[0]
        shutil.rmtree(self.path("out", "runs", lost))
        self.network(*arguments)
        again = self.ran()
        self.assertNotEqual(again.pop(lost), ran.pop(lost))
        self.assertEqual(again, ran)
        self.assertEqual(self.results(), results)

    def test_an_interrupted_study_goes_on(self):
        model = self.everything()
        arguments = ["network", model, MACHINE, *VALUES, "--dim", "batch=1", "-j", "1", "--out", self.path("out")]
        with subprocess.Popen([small_run.TESSERA, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, text=True) as process:
            deadline = time.monotonic() + 60
            while not self.ran() and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            _, messages = process.communicate(timeout=60)
        ran = self.ran()
        self.assertGreater(len(ran), 0)
        if process.returncode != 0:  # it may have been done
            self.assertEqual(process.returncode, 130, messages)
            self.assertFalse(os.path.exists(self.path("out", "network.csv")))
        self.network(*arguments[1:-2])
        self.assertEqual({name: when for name, when in self.ran().items() if name in ran}, ran)
        self.network(*arguments[1:-2], out="whole")
        self.assertEqual(self.results(), self.results("whole"))

    def test_equal_layers_run_once_without_values(self):
        model = self.twins()
        self.network(model, MACHINE)
        convolutions = [row for row in self.rows() if row["operator"] == "Conv"]
        self.assertEqual([row["node"] for row in convolutions], ["first", "second"])
        self.assertEqual(convolutions[0]["cycles"], convolutions[1]["cycles"])
        self.assertEqual(len([name for name in self.ran() if "_first/" in name or "_second/" in name]), 1)
        self.network(model, MACHINE, *VALUES, out="values")
        self.assertEqual(len([name for name in self.ran("values") if "_first/" in name or "_second/" in name]), 2)

    def test_a_network_in_yaml(self):
        layer = "  {}: {{batch: 1, height: 6, width: 6, channels: 16, filters: 16, filter_height: 3, " \
                "filter_width: 3, pad: 1, stride: 1}}\n"
        network = self.file("net.yaml", "layers:\n" + layer.format("one") + layer.format("two"))
        self.network(network, MACHINE, "duplo_staged")
        rows = self.rows()
        self.assertEqual(len(rows), 4)
        self.assertEqual({row["variant"] for row in rows}, {"v100+gpu.sms=2", "duplo_staged"})
        self.refused_network([network, MACHINE, "--dim", "batch=1"], "--dim: got a network in YAML")
        listed = tessera("network", network, "--list")
        self.assertEqual((listed.returncode, listed.stderr), (0, ""))
        self.assertRegex(listed.stdout, r"(?m)^net\.one +convolution +1x6x6x16, 16 of 3x3 +0\.166 ")
        self.assertIn("2 layers", listed.stdout)
        self.assertEqual(tessera("network", "resnet18", "--list").returncode, 0)

    def test_a_network_in_yaml_with_zeros(self):
        shape = "{batch: 1, height: 6, width: 6, channels: 16, filters: 16, filter_height: 3, filter_width: 3, pad: 1, " \
                "stride: 1, sparse: {b: {sparsity: 0.75}}}"
        network = self.file("zeros.yaml", f"layers:\n  one: {shape}\n  two: {{m: 64, n: 32, k: 64, sparse: {{a: {{sparsity: 0.5}}}}}}\n")
        self.network(network, MACHINE, "dual_implicit_paper", "duplo_staged")
        rows = [(row["node"], row["variant"], float(row["cycles"]) > 0) for row in self.rows()]
        self.assertEqual(rows, [(f"zeros.{layer}", variant, True) for layer in ("one", "two")
                                for variant in ("v100+gpu.sms=2", "dual_implicit_paper", "duplo_staged")])

    def test_what_does_not_fit_a_network(self):
        layer = "  one: {batch: 1, height: 6, width: 6, channels: 16, filters: 16, filter_height: 3, filter_width: 3, pad: 1, " \
                "stride: 1}\n"
        network = self.file("net.yaml", "layers:\n" + layer)
        self.refused_network([network, "duplo_staged"], "got machine 'duplo_staged', expected the description of one")
        self.refused_network([network, "gan.C1"], "got machine 'gan.C1', expected the description of one")
        self.refused_network([self.file("none.yaml", "layers: {}\n"), MACHINE], "layers: got none")
        self.refused_network([network, MACHINE, "--set", "duplo.lhb.entries=256"], "got a key that nothing reads")
        self.refused_network([network, MACHINE, "--seed", "-3"], "got '-3', expected an integer from 0")
        model = self.everything()
        self.refused_network([model, MACHINE, "--dim", "batch=1", "--dim", "batch=2"], "--dim: got batch twice")
        self.refused_network([model, MACHINE, "--dim", "batch=1", "--set", "workload.layer.batch=7"],
                             "got workload.layer.batch=7, expected no shapes of layers")
        note = "duplo_paper runs none of the 1 convolutions and products (of net.one: "
        self.assertIn(note, self.network(network, MACHINE, "duplo_paper").stdout)
        process = self.network(network, MACHINE + ",workload.kernel=fragments", "duplo_paper", out="fragments")
        self.assertNotIn("runs none", process.stdout)

    def refused_network(self, arguments, *expected):
        """One line, exit code 2, and no folder."""
        before = sorted(os.listdir(self.folder))
        self.assert_refused(tessera("network", *arguments, "--out", self.out()), *expected)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_wrong_input(self):
        model = self.everything()
        dim = ["--dim", "batch=1"]
        broken = self.file("broken.onnx", "no model")
        image = self.path("x.npy")
        numpy.save(image, numpy.zeros((1, 8, 10, 9), dtype=numpy.float32))
        for arguments, expected in (
                ([model, *dim], "got no machine"),
                ([model, MACHINE, *dim, "--list"], "--list: got a machine"),
                ([model, "v1000", *dim], "v1000"),
                ([model, MACHINE, "duplo_stagd", *dim], "duplo_stagd"),
                ([model, MACHINE, "gpu.smss=3", *dim], "gpu.smss"),
                ([model, MACHINE, "duplo_staged", "duplo_staged", *dim], "got 'duplo_staged' twice"),
                ([model, ",", *dim], "got ',', expected a configuration"),
                ([broken, MACHINE], "broken.onnx: is no model of ONNX"),
                ([model + "x.onnx", MACHINE], "No such file"),
                ([self.path("none.yaml"), MACHINE], "none.yaml"),
                ([model, MACHINE], "dimension 0 is open, expected --dim batch=SIZE"),
                ([model, MACHINE, *dim, "--dim", "bach=1"], "got dimension 'bach'"),
                ([model, MACHINE, *dim, "--prune", "2"], "--prune: got '2'"),
                ([model, MACHINE, *dim, "--prune", "4:2"], "--prune: got '4:2'"),
                ([model, MACHINE, *dim, "--prune", "0.5x"], "--prune: got '0.5x'"),
                ([model, MACHINE, *dim, "--set", "values"], "values"),
                ([model, MACHINE, *dim, "--input", f"x={image}"], "--input x: got FLOAT 1x8x10x9"),
                ([model, MACHINE, *dim, *VALUES, "--input", f"x={image}"], "--input x: got FLOAT 1x8x10x9"),
                ([model, MACHINE, *dim, *VALUES, "--input", f"z={image}"], "--input: got 'z', expected one of {x}")):
            with self.subTest(arguments=arguments):
                self.refused_network(arguments, expected)

    def json(self, out="out"):
        with open(self.path(out, "network.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_the_page_is_of_the_stored_results(self):
        self.network(self.twins(), MACHINE, "duplo_staged")
        with open(self.path("out", "network.html"), encoding="utf-8") as file:
            page = file.read()
        process = tessera("report", self.path("out"), "-o", self.path("again.html"))
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn("duplo_staged", process.stdout)
        with open(self.path("again.html"), encoding="utf-8") as file:
            self.assertEqual(file.read(), page)
        for text in ("Time by layer", "Zeros by layer", "Roofline", "_first</td>", "_second</td>"):
            self.assertIn(text, page)
        self.assertNotIn("http", page)
        # No layer is above the roof.
        result = self.json()
        peaks = result["peaks"]
        for layer in result["layers"]:
            for taken in layer["times"]:
                cycles = taken["cycles"]
                self.assertLessEqual(layer["flop"], 1.0001 * peaks["flop_per_cycle"] * cycles)
                for memory in ("dram", "l2"):
                    moved = taken[memory + "_bytes"]
                    self.assertGreater(moved, 0)
                    self.assertLessEqual(moved, 1.0001 * peaks[memory + "_bytes_per_cycle"] * cycles)

    def test_seeds_give_intervals(self):
        self.network(self.twins(), MACHINE, "duplo_staged", "--seeds", "3", "--set", "gpu.cta_launch_jitter_cycles=64")
        result = self.json()
        self.assertEqual(result["seeds"], [1, 2, 3])
        runs = self.ran()
        self.assertEqual(len(runs) % 3, 0)
        by_seed = {}
        for name in runs:
            with open(self.path("out", "runs", name, "result.json"), encoding="utf-8") as file:
                run = json.load(file)
            self.assertEqual(name[-1], str(run["seed"]))
            self.assertIn("cta_launch_jitter_cycles: 64", run["config"])
            by_seed.setdefault(os.path.dirname(name), []).append(run["metrics"]["cycles"])
        self.assertTrue(any(len(set(cycles)) > 1 for cycles in by_seed.values()), by_seed)
        total = result["variants"][0]
        self.assertGreater(total["cycles_half_width"], 0)
        self.assertIn("speedup_half_width", result["variants"][1])
        self.assertAlmostEqual(total["cycles"], sum(layer["times"][0]["cycles"] for layer in result["layers"]))
        for file in ("network.txt", "network.html"):
            with open(self.path("out", file), encoding="utf-8") as handle:
                self.assertIn("+-" if file == "network.txt" else "±", handle.read())
        self.assertGreater(max(float(row["half_width"]) for row in self.rows()), 0)
        self.refused_network([self.twins(), MACHINE, "--seeds", "3", "--set", "seed=4"], "--seeds: got --set seed=4 too")

    def test_a_layer_alone_runs_as_in_its_network(self):
        model = self.everything()
        dim = ["--dim", "batch=1"]
        self.network(model, MACHINE, *dim)
        cycles = {row["node"]: float(row["cycles"]) for row in self.rows()}
        machine = MACHINE.split(",")
        for layer in ("conv", "gemm", "softmax"):
            process = tessera("run", "-q", machine[0], "--set", machine[1], f"{model}:{layer}", *dim, "--out", self.path(layer))
            self.assertEqual(process.returncode, 0, process.stderr)
            with open(self.path(layer, "result.json"), encoding="utf-8") as file:
                metrics = json.load(file)["metrics"]
            alone = metrics.get("cycles_of_all_kernels", metrics["cycles"])
            # In a network a kernel is launched behind another one.
            self.assertLess(abs(cycles[layer] - alone), 10000, layer)
            with open(self.path("out", "network.json"), encoding="utf-8") as file:
                names = [one["name"] for one in json.load(file)["layers"] if one["node"] == layer]
            self.assertTrue(os.path.exists(self.path(layer, "layers", names[-1] + ".yaml")))
        for arguments, *expected in (
                ([f"{model}:conf", *dim], "got layer 'conf'", "near it: 'conv'"),
                ([f"{model}:reshape3", *dim], "got layer 'reshape3'"),
                ([model, *dim], "got no layer", ":LAYER"),
                ([f"{model}:conv"], "dimension 0 is open"),
                ([f"{model}:conv", f"{model}:gemm", *dim], "expected one layer"),
                (["duplo_staged", f"{model}:softmax", *dim], "got duplo_staged for layer 'softmax'"),
                (["resnet.C2", *dim], "--dim: got no ONNX model")):
            with self.subTest(arguments=arguments):
                self.assert_refused(tessera("run", "v100", *arguments), *expected)
        self.assert_refused(tessera("config", f"{model}:conv"), "a model in ONNX")

    def test_experiments_take_models(self):
        model = self.everything()
        experiment = self.file("trial.yaml", "base: [v100]\n" f"layers: ['{os.path.basename(model)}:conv']\n"
                               "variants:\n  alone: {set: {gpu.sms: 2}}\n"
                               "  staged: {configs: [duplo_staged], set: {gpu.sms: 2}}\n")
        process = tessera("sweep", experiment, "--dim", "batch=1", "--out", self.path("sweep"))
        self.assertEqual(process.returncode, 0, process.stderr)
        with open(self.path("sweep", "summary.csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["variant"] for row in rows], ["alone", "staged"])
        self.assertTrue(all(row["layer"].startswith("everything.") and row["layer"].endswith("_conv") for row in rows))
        self.network(model, MACHINE, "--dim", "batch=1")
        cycles = [float(row["cycles"]) for row in self.rows() if row["node"] == "conv"]
        self.assertLess(abs(cycles[0] - float(rows[0]["cycles"])), 10000)
        whole = self.file("whole.yaml", f"base: [v100]\nnetworks: ['{os.path.basename(model)}']\n"
                          "variants:\n  alone: {set: {gpu.sms: 2}}\n")
        process = tessera("sweep", whole, "--dim", "batch=1", "--list")
        self.assertIn("5 runs", process.stdout)
        self.assert_refused(tessera("sweep", whole, "--list"), "dimension 0 is open")
        wrong = self.file("wrong.yaml", f"base: [v100]\nlayers: ['{os.path.basename(model)}:softmax']\n"
                          "variants:\n  alone: {}\n")
        self.assert_refused(tessera("sweep", wrong, "--dim", "batch=1", "--out", self.path("none")),
                            "expected a convolution or product")
        self.assertFalse(os.path.exists(self.path("none")))

    def test_models_of_an_experiment_do_not_mix(self):
        node = helper.make_node("MatMul", ["x", self.weights(32, 16)], ["y"], name="mm")
        self.save("narrow", [node], [("x", [64, 32])], "y")
        node = helper.make_node("MatMul", ["x", self.weights(32, 64)], ["y"], name="mm")
        self.save("wide", [node], [("x", [64, 32])], "y")
        text = "base: [v100]\nnetworks: [{}]\nvariants:\n  alone: {{set: {{gpu.sms: 2}}}}\n"
        process = tessera("sweep", self.file("two.yaml", text.format("narrow.onnx, wide.onnx")), "--out", self.path("two"))
        self.assertEqual(process.returncode, 0, process.stderr)
        with open(self.path("two", "summary.csv"), encoding="utf-8", newline="") as file:
            self.assertEqual([row["layer"] for row in csv.DictReader(file)], ["narrow.000_mm", "wide.000_mm"])
        os.mkdir(self.path("other"))
        shutil.copy(self.path("wide.onnx"), self.path("other"))
        same = self.file("same.yaml", text.format("wide.onnx, other/wide.onnx"))
        self.assert_refused(tessera("sweep", same, "--out", self.path("same")), "expected names that differ")
        self.assertFalse(os.path.exists(self.path("same")))

    def test_a_refused_command_leaves_what_is_there(self):
        model = self.everything()
        arguments = ["network", model, MACHINE, "--dim", "batch=1", "--out", self.path("out")]
        self.assertEqual(tessera(*arguments).returncode, 0)
        layers = {name: os.stat(self.path("out", "layers", name)).st_mtime_ns for name in os.listdir(self.path("out", "layers"))}
        with open(self.path("out", ".lock"), "r+", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assert_refused(tessera(*arguments, "--prune", "0.5"), "another sweep is at work")
        os.mkdir(self.path("moved"))
        shutil.copy(model, self.path("moved"))
        self.assert_refused(tessera("network", os.path.join(self.path("moved"), os.path.basename(model)), *arguments[2:]),
                            "everything.onnx, and this is ", "moved/everything.onnx: give another folder")
        other = self.save("other", [helper.make_node("Relu", ["x"], ["y"], name="relu")], [("x", [64, 32])], "y")
        self.assert_refused(tessera("network", other, MACHINE, "--out", self.path("out")), "other.onnx: give another folder")
        self.assert_refused(tessera("run", "v100", f"{model}:conv", "--dim", "batch=1", "--out", self.path("out")),
                            "holds a sweep")
        self.assertEqual(layers, {name: os.stat(self.path("out", "layers", name)).st_mtime_ns
                                  for name in os.listdir(self.path("out", "layers"))})

    def test_old_results_do_not_outlive_a_failed_study(self):
        node = helper.make_node("MatMul", ["x", self.weights(32, 16)], ["y"], name="mm")
        model = self.save("product", [node], [("x", [64, 32])], "y")
        self.network(model, MACHINE)
        run = os.path.join(self.path("out"), "runs", "000_mm", "v100+gpu.sms=2")
        os.remove(os.path.join(run, "result.json"))
        os.makedirs(os.path.join(run, "result.json", "in_the_way"))
        process = tessera("network", model, MACHINE, "--out", self.path("out"))
        self.assertEqual(process.returncode, 2, process.stderr)
        self.assertIn("1 of 1 runs failed and there are no tables without them", process.stderr)
        for name in RESULTS:
            self.assertFalse(os.path.exists(self.path("out", name)), name)

    def test_results_beyond_halves_agree(self):
        big = numpy_helper.from_array(numpy.full((64, 16), 300, numpy.float32), "big")
        self.constants.append(big)
        scaled = helper.make_node("MatMul", ["x", "big"], ["h"], name="first")
        again = helper.make_node("MatMul", ["h", self.weights(16, 16)], ["y"], name="second")
        model = self.save("overflow", [scaled, again], [("x", [32, 64])], "y")
        numpy.save(self.path("x.npy"), self.random.standard_normal((32, 64)).astype(numpy.float32) * 300)
        process = tessera("network", model, MACHINE, *VALUES, "--input", f"x={self.path('x.npy')}", "--out", self.path("out"))
        self.assertEqual(process.returncode, 0, process.stderr)

    def test_opportunistic_computing_is_compared_with_direct_convolutions(self):
        model = self.twins()
        machine = "gtx480_56sm,gpu.sms=7"
        self.refused_network([model, machine, "opportunistic"], "run on tensor cores, expected ")
        self.network(model, machine + ",opportunistic,opportunistic.scheme=none", "opportunistic", *VALUES)
        rows = [row for row in self.rows() if row["operator"] == "Conv"]
        self.assertEqual({row["checked"] for row in rows}, {"true"})
        self.assertEqual({row["own"] for row in rows}, {"true"})
        self.assertEqual(self.json()["peaks"]["compute"], "FP32 lanes")
        self.assertEqual(self.json()["variants"][1]["sets"][0], "gpu.sms=7")

    def test_what_no_kernel_computes_is_named(self):
        nodes = [helper.make_node("MatMul", ["x", self.weights(16, 16)], ["a"], name="dense"),
                 helper.make_node("Reshape", ["a", self.integers(1, 1, 4, 8, 8)], ["b"]),
                 helper.make_node("Conv", ["b", self.weights(1, 1, 1, 2, 2)], ["y"], name="spread", dilations=[1, 1, 2])]
        model = self.save("spread", nodes, [("x", [16, 16])], "y")
        process = tessera("network", model, MACHINE, "--out", self.out())
        self.assert_refused(process, "1 of the nodes, ", " % of the network's FLOP, cannot be simulated",
                            "node 'spread' (Conv)", "--skip-unsupported")
        self.assertFalse(os.path.exists(os.path.join(self.out(), "runs")))
        process = self.network(model, MACHINE, "--skip-unsupported")
        self.assertIn("not simulated: node 'spread' (Conv)", process.stderr)
        self.assertEqual([row["node"] for row in self.rows()], ["dense"])
        with open(self.path("out", "network.json"), encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["not_simulated"]), 1)

    def test_tensors_that_are_damaged_are_found(self):
        model = self.twins()
        self.network(model, MACHINE, *VALUES)
        name = next(name for name in os.listdir(self.path("out", "layers")) if name.endswith("_second.values.tensors"))
        path = self.path("out", "layers", name)
        layer = path.replace(".tensors", ".yaml")
        good = ["run", "-q", "v100", layer, "--set", "values=on", "--set", "workload.kernel=auto"]
        self.assertEqual(tessera(*good).returncode, 0)
        with open(path, "r+b") as file:
            file.seek(-1, os.SEEK_END)
            last = file.read(1)[0]
            file.seek(-1, os.SEEK_END)
            file.write(bytes([last ^ 1]))
        self.assert_refused(tessera(*good), "workload.given.digest: got ", "it was written anew, or damaged")
        os.remove(path)
        self.assert_refused(tessera(*good), "workload.given.file: cannot read")


if __name__ == "__main__":
    small_run.TESSERA = os.path.abspath(sys.argv.pop(1))
    unittest.main()
