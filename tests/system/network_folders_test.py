#!/usr/bin/python3
"""Folders of `tessera network`, and of runs and sweeps of models: what is in them, and who may write there."""

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

from onnx import helper

import small_run
from network_case import MACHINE, RESULTS, VALUES, NetworkCase
from small_run import tessera


class Folders(NetworkCase):
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
        with open(self.path("out", ".lock"), "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assert_refused(tessera(*arguments, "--prune", "0.5"), "another command is at work")
            self.assert_refused(tessera("run", self.small, "--out", self.path("out")), "another command is at work")
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


if __name__ == "__main__":
    small_run.TESSERA = os.path.abspath(sys.argv.pop(1))
    unittest.main()
