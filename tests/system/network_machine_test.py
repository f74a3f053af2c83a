#!/usr/bin/python3
"""tessera network MODEL MACHINE: whole small networks, layer by layer, with all values checked, and refused in one line."""

import json
import os
import resource
import signal
import subprocess
import sys
import unittest

import numpy
import onnx
from onnx import helper, numpy_helper

import small_run
from network_case import MACHINE, VALUES, NetworkCase
from small_run import tessera



class Machine(NetworkCase):
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

    def test_settings_of_the_machine_act_on_all_layers(self):
        model = self.everything()
        variants = ["sm.operations.fp32.latency_cycles=40", "duplo_staged,duplo.lhb.entries=256"]
        self.network(model, MACHINE, *variants, "--dim", "batch=1")
        rows = self.rows()
        names = list(dict.fromkeys(row["variant"] for row in rows))
        cycles = {(row["node"], row["variant"]): float(row["cycles"]) for row in rows}
        others = [row["node"] for row in rows if row["variant"] == names[0] and row["operator"].startswith(("Mul", "Softmax"))]
        self.assertGreater(len(others), 0)
        for node in others:
            self.assertGreater(cycles[node, names[1]], cycles[node, names[0]], node)
        own = {row["node"] for row in rows if row["variant"] == names[2] and row["own"] == "true"}
        self.assertTrue(own.isdisjoint(others), own)

    def test_transposed_convolutions(self):
        """A transposed convolution runs as an input gradient: library kernels allow any stride, direct ones only 1."""
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
        self.refused_network([network, MACHINE, "gan.C1"], "'gan.C1': got a layer, expected a machine, a mechanism or")
        self.refused_network([network, MACHINE, "gpu.core_clock_mhz=765"],
                             "got gpu.core_clock_mhz 765, expected ", "machines are compared by their cycles")
        self.refused_network([self.file("none.yaml", "layers: {}\n"), MACHINE], "layers: got none")
        self.refused_network([network, MACHINE, "--set", "duplo.lhb.entries=256"], "got a key that nothing reads")
        self.refused_network([network, MACHINE, "--seed", "-3"], "got '-3', expected an integer from 0")
        nothing = self.save("nothing", [helper.make_node("Identity", ["x"], ["y"])], [("x", [4])], "y")
        self.refused_network([nothing, MACHINE], "nothing: got no node that a kernel here computes")
        model = self.everything()
        self.refused_network([model, MACHINE, "--dim", "batch=1", "--dim", "batch=2"], "--dim: got batch twice")
        self.refused_network([model, MACHINE, "--dim", "batch=1", "--set", "workload.layer.batch=7"],
                             "got workload.layer.batch=7, expected no shapes of layers")
        note = "duplo_paper runs none of the 1 convolutions and products (of net.one: "
        self.assertIn(note, self.network(network, MACHINE, "duplo_paper").stdout)
        process = self.network(network, MACHINE + ",workload.kernel=fragments", "duplo_paper", out="fragments")
        self.assertNotIn("runs none", process.stdout)

    def test_keys_that_no_layer_reads_are_refused(self):
        model = self.everything()
        arguments = ["network", model, MACHINE, "--dim", "batch=1", "--set", "noc.mesh.width=5", "--out", self.out()]
        for _ in ("run", "with the results there"):
            process = tessera(*arguments)
            self.assertEqual(process.returncode, 2, process.stderr)
            self.assertEqual(process.stderr.splitlines()[-1], "tessera: --set noc.mesh.width=5: got a key that has no effect in any of the runs: "
                                                              "it acts with noc.kind mesh")
            self.assertFalse(os.path.exists(os.path.join(self.out(), "network.csv")))
        self.network(model, MACHINE, "--dim", "batch=1", "--set", "workload.split_k=1", out="some")  # read by products

    def test_keys_beside_a_layer_have_to_act(self):
        model = self.everything()
        small = ("--set", "gpu.sms=2", "--dim", "batch=1")
        idle = ("--set", "noc.mesh.width=5")
        mine = self.file("mine.yaml", "noc: {mesh: {width: 5}}\n")
        for unread in (idle, (mine,)):
            self.assert_refused(tessera("run", "v100", model + ":conv", *small, *unread), "which has no effect in this run")
        for more in ((), (*idle, "--allow-unused")):
            process = tessera("run", "v100", model + ":conv", *small, *more, "-q")
            self.assertEqual(process.returncode, 0, process.stderr)
        experiment = self.file("idle.yaml", f"name: idle\ntitle: t\nbase: [v100]\nlayers: ['{model}:conv']\nvariants: {{v: {{}}}}\n")
        for code, more in ((2, ()), (0, ("--allow-unused",))):
            process = tessera("sweep", experiment, *small, *idle, *more, "--out", self.path(f"sweep{code}"))
            self.assertEqual(process.returncode, code, process.stderr)
            self.assertEqual("no effect in any of the runs" in process.stderr, code == 2)

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
                 helper.make_node("Reshape", ["a", self.integers(1, 1, 16, 16)], ["b"]),
                 helper.make_node("MaxPool", ["b"], ["largest", "y"], name="places", kernel_shape=[2, 2])]
        model = self.save("places", nodes, [("x", [16, 16])], "y")
        process = tessera("network", model, MACHINE, "--out", self.out())
        self.assert_refused(process, "1 of the nodes, ", " % of the network's FLOP and ", " % of its bytes, cannot be simulated",
                            "node 'places' (MaxPool)", "--skip-unsupported")
        self.assertFalse(os.path.exists(os.path.join(self.out(), "runs")))
        process = self.network(model, MACHINE, "--skip-unsupported")
        self.assertIn("not simulated: node 'places' (MaxPool)", process.stderr)
        self.assertEqual([row["node"] for row in self.rows()], ["dense"])
        with open(self.path("out", "network.json"), encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["not_simulated"]), 1)

    def test_unknown_operators_are_left_out_with_their_share(self):
        nodes = [helper.make_node("MatMul", ["x", self.weights(16, 16)], ["a"], name="dense"),
                 helper.make_node("Magic", ["a"], ["b"], name="magic", domain="com.example"),
                 helper.make_node("Relu", ["b"], ["y"], name="last")]
        model = self.save("unknown", nodes, [("x", [16, 16])], "y")
        self.assert_refused(tessera("network", model, MACHINE, "--out", self.out()), "'com.example.Magic' (1 node)",
                            "--skip-unsupported")
        process = tessera("network", model, MACHINE, "--skip-unsupported", "--out", self.out())
        self.assert_refused(process, "node 'magic' (com.example.Magic): output 'b': ", "expected it in value_info")
        loaded = onnx.load(model)
        loaded.graph.value_info.append(helper.make_tensor_value_info("b", onnx.TensorProto.FLOAT, [16, 16]))
        onnx.save(loaded, model)
        process = self.network(model, MACHINE, "--skip-unsupported")
        self.assertIn("not simulated: node 'magic' ", process.stderr)
        # Halves: the product has 1536 bytes, the activation 1024, and so has the unknown operator.
        self.assertIn("1 of the nodes, 0.00 % of the network's FLOP and 28.57 % of its bytes, cannot be simulated; "
                      "the FLOP of 1 of them are unknown and not counted", process.stderr)
        self.assertEqual([row["node"] for row in self.rows()], ["dense", "last"])
        process = tessera("network", model, MACHINE, *VALUES, "--skip-unsupported", "--out", self.path("values"))
        self.assert_refused(process, "operator 'com.example.Magic' is not supported, so that no value behind it is known")

    def kernels(self):
        """A network with a layer of each kind of launch: offsets and product, product, batch of products, rows."""
        node = helper.make_node
        nodes = [node("Conv", ["x", self.weights(8, 8, 3, 3)], ["a"], name="gathered", pads=[1, 1, 1, 1]),
                 node("Conv", ["a", self.weights(8, 8, 1, 1)], ["b"], name="plain"),
                 node("Conv", ["b", self.weights(8, 8, 1, 1)], ["c"], name="strided", strides=[2, 2]),
                 node("Transpose", ["c"], ["d"], name="turn", perm=[0, 1, 3, 2]),
                 node("MatMul", ["c", "d"], ["e"], name="batch"),
                 node("Mul", ["e", self.weights(1)], ["f"], name="scale"),
                 node("Softmax", ["f"], ["y"], name="rows", axis=-1)]
        return self.save("kernels", nodes, [("x", [1, 8, 16, 16])], "y")

    def test_launches_are_charged_by_the_kernel(self):
        model = self.kernels()
        cycles, launches = {}, {}
        for short in (100, 3400, 7000):
            out = f"short{short}"
            self.network(model, MACHINE, "--set", f"gpu.short_launch_cycles={short}", out=out)
            rows = {row["node"]: row for row in self.rows(out)}
            cycles[short] = {node: float(row["cycles"]) for node, row in rows.items()}
            launches[short] = {node: float(row["launch_cycles"]) for node, row in rows.items()}
        for node in ("gathered", "strided"):
            self.assertEqual({short: of[node] for short, of in launches.items()}, {100: 7100, 3400: 10400, 7000: 14000}, node)
            self.assertEqual(cycles[7000][node] - cycles[100][node], 6900, node)
        for node in ("plain", "batch", "rows", "turn"):  # one kernel each, whose code is long
            self.assertEqual({of[node] for of in launches.values()}, {7000}, node)
            self.assertEqual(cycles[7000][node], cycles[100][node], node)
        self.network(model, MACHINE, "--set", "workload.repeat=2", out="warm")
        warm = {row["node"]: float(row["launch_cycles"]) for row in self.rows("warm")}
        self.assertEqual(warm, launches[3400])

    def test_speedups_with_the_same_launches(self):
        self.network(self.kernels(), MACHINE, "dual_implicit_ideal")
        result = self.json()
        sums = [0, 0, 0]
        fewer = 0
        for layer in result["layers"]:
            alone, with_it = layer["times"]
            same = with_it["cycles"] - with_it["launch_cycles"] + alone["launch_cycles"]
            self.assertAlmostEqual(with_it["speedup_same_launches"], alone["cycles"] / same)
            sums = [sums[0] + alone["cycles"], sums[1] + same, sums[2] + min(same, alone["cycles"])]
            fewer += with_it["launch_cycles"] < alone["launch_cycles"]
        self.assertGreater(fewer, 0)
        self.assertAlmostEqual(result["variants"][1]["speedup_same_launches"], sums[0] / sums[1])
        self.assertAlmostEqual(result["variants"][1]["speedup_with_faster_kernels_same_launches"], sums[0] / sums[2])
        launches = sum(layer["times"][1]["launch_cycles"] for layer in result["layers"])
        self.assertAlmostEqual(result["variants"][1]["launch_percent"], 100 * launches / result["variants"][1]["cycles"])
        self.assertIn("same launches [x]", self.path_text("network.txt"))

    def path_text(self, name):
        with open(self.path("out", name), encoding="utf-8") as file:
            return file.read()

    def test_what_limits_a_layer_is_not_said_of_its_offsets(self):
        self.network(self.kernels(), MACHINE, "--set", "gpu.short_launch_cycles=20000")
        by_node = {row["node"]: row for row in self.rows()}
        for node in ("gathered", "plain", "strided", "batch"):
            self.assertIn(".forward.", by_node[node]["kernel"])
        self.assertRegex(by_node["gathered"]["bound_by"], "^launch: launches of 2 kernels take ")
        self.network(self.kernels(), MACHINE, "--set", "gpu.queued_launch_cycles=0", "--set", "gpu.short_launch_cycles=0", "--set",
                     "gpu.sms=40", out="none")
        by_node = {row["node"]: row for row in self.rows("none")}
        self.assertRegex(by_node["gathered"]["bound_by"], r"^few CTAs \(\d on 40 SMs\): ")

    def test_a_convolution_runs_as_it_does_alone(self):
        network = self.file("net.yaml", "layers:\n  one: {batch: 1, height: 14, width: 14, channels: 64, filters: 64, "
                            "filter_height: 3, filter_width: 3, pad: 1, stride: 1}\n  two: {m: 64, n: 64, k: 64}\n")
        self.network(network, MACHINE, "--set", "workload.repeat=2")
        rows = self.rows()
        machine = MACHINE.split(",")
        process = tessera("run", "-q", machine[0], "cudnn", f"{network}:one", "--set", machine[1], "--out", self.path("one"))
        self.assertEqual(process.returncode, 0, process.stderr)
        with open(self.path("one", "result.json"), encoding="utf-8") as file:
            result = json.load(file)
        self.assertEqual(float(rows[0]["cycles"]), result["metrics"]["warm_cycles"])
        self.assertEqual(rows[0]["kernel"], result["kernels"][1]["name"])
        self.network(network, MACHINE, "--set", "workload.repeat=2", "--set", "workload.kernel=64x64", out="tile")
        self.assertIn(".forward.64x64", self.rows("tile")[0]["kernel"])

    def test_a_file_that_cannot_be_written_is_no_missing_kernel(self):
        model = self.twins()

        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        for more in ((), ("--skip-unsupported",)):
            process = subprocess.run([small_run.TESSERA, "network", model, MACHINE, *VALUES, *more, "--out", self.path("out")], check=False,
                                     capture_output=True, text=True, stdin=subprocess.DEVNULL, preexec_fn=small_files)
            self.assertEqual(process.returncode, 2, process.stderr)
            self.assertRegex(process.stderr, r"cannot write .*layers/\S+: File too large")
            self.assertNotIn("--skip-unsupported", process.stderr)
            self.assertNotIn("cannot be simulated", process.stderr)
        os.makedirs(self.path("folder", "layers", "001_second.yaml"))
        process = tessera("network", model, MACHINE, "--skip-unsupported", "--out", self.path("folder"))
        self.assertEqual(process.returncode, 2, process.stderr)
        self.assertIn("layers/001_second.yaml", process.stderr)

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
