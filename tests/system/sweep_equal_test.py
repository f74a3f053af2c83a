#!/usr/bin/python3
"""A sweep executes one of several runs that take the same steps, and all have its results.

Usage: sweep_equal_test.py TESSERA
"""

import csv
import importlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from sweep_case import SweepCase, sweep_main  # noqa: E402
from sweep_trial import TABLES, processes_about, read  # noqa: E402

# The dense product of two points of Figure 21, which takes every element whatever is zero, and a sparse one.
SMALL = "gpu.sms: 2, workload.gemm.m: 256, workload.gemm.n: 256, workload.gemm.k: 64"
EQUAL = """
base: [dual_side_v100]
layers: [fig21.a0000_b0000, fig21.a0999_b0990]
variants:
  cutlass: {configs: [cutlass], set: {SMALL}}
  paper: {configs: [dual_side_paper], set: {SMALL}}
""".replace("SMALL", SMALL)
SHARED = ("fig21.a0999_b0990", "cutlass")


class EqualRuns(SweepCase):
    """One of several runs that take the same steps is executed."""

    def setUp(self):
        super().setUp()
        self.experiment = self.write("equal.yaml", EQUAL)

    def host_rows(self):
        return [(r["layer"], r["variant"]) for r in csv.DictReader(read(self.out, "host.csv").splitlines())]

    def assert_as_by_hand(self, layer, variant, *arguments):
        """The files of a run of the sweep, but what it took on the host, are those of the same run on its own."""
        plan = json.loads(read(self.out, "sweep.json"))
        run = next(run for run in plan["runs"] if (run["layer"], run["variant"]) == (layer, variant))
        alone = os.path.join(self.folder, "alone")
        self.tessera("run", *run["arguments"], "--out", alone, "-q", *arguments)
        shared = os.path.join(self.out, run["folder"])
        self.assertEqual(sorted(os.listdir(shared)), sorted([*os.listdir(alone), "log.txt"]))
        for name in os.listdir(alone):
            if name != "host.json":
                self.assertEqual(read(shared, name), read(alone, name), name)

    def test_they_share_results_and_differ_in_their_configurations(self):
        self.assertIn("\n4 runs (1 of them equal to others)\n", self.sweep("--list").stdout)
        process = self.sweep("-j", "2")
        self.assertIn("1 of the 4 that are missing take the same steps as others", process.stderr)
        self.assertEqual(len(self.rows()), 4)
        self.assertEqual(self.host_rows(), [("fig21.a0000_b0000", "cutlass"), ("fig21.a0000_b0000", "paper"),
                                            ("fig21.a0999_b0990", "paper")])
        self.assertIn("fig21.a0000_b0000/cutlass", read(self.run_folder(*SHARED), "log.txt"))
        self.assert_as_by_hand(*SHARED)
        tables = {name: read(self.out, name) for name in TABLES}
        self.out += "2"
        self.sweep("-j", "1")
        self.assertEqual(tables, {name: read(self.out, name) for name in TABLES})

    def test_a_result_that_is_there_is_shared(self):
        self.sweep()
        shutil.rmtree(self.run_folder("fig21.a0000_b0000", "cutlass"))
        self.assertIn("3 of them skipped", self.sweep().stderr)
        self.assertEqual(len(self.host_rows()), 2)
        self.assert_as_by_hand("fig21.a0000_b0000", "cutlass")

    def test_keys_of_what_is_off_make_no_other_run(self):
        """All of them, each changed, of the mechanisms that the shape lacks."""
        sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
        parameters = importlib.import_module("parameters").PARAMETERS
        off = ("duplo.enabled", "opportunistic.scheme", "opportunistic.characterise", "opportunistic.fault", "tensor_core.kind")
        changed = {key: parameter[0] for key, parameter in parameters.items()
                   if key.startswith(("duplo.", "opportunistic.", "tensor_core.")) and key not in off}
        del changed["duplo.pipe"]  # `built` is refused with the other values of these keys
        changed.update({"duplo.lifetime": "until_reused",  # which spare units and keeping want
                        "workload.sparse.a.pattern": "clustered", "workload.sparse.b.sparsity": 0.5})
        self.assertGreater(len(changed), 45)
        shapes = [("dual_side_v100", "fig21.a0000_b0000", "cutlass", SMALL, ""),
                  ("duplo_titan_v", "resnet.C8", "baseline", "gpu.sms: 2, workload.layer.batch: 1, workload.tiling.cta_limit: 2",
                   ("tensor_core.", "workload."))]
        for machine, layer, preset, small, without in shapes:
            lines = ", ".join(f"{key}: {value}" for key, value in changed.items() if not without or not key.startswith(without))
            self.experiment = self.write("equal.yaml", f"base: [{machine}]\nlayers: [{layer}]\nvariants:\n"
                                         f"  plain: {{configs: [{preset}], set: {{{small}}}}}\n"
                                         f"  other: {{configs: [{preset}], set: {{{small}, {lines}}}}}\n")
            self.out = os.path.join(self.folder, preset)
            self.sweep("--allow-unused")
            self.assertEqual(self.host_rows(), [(layer, "plain")])
            self.assert_as_by_hand(layer, "other", "--allow-unused")

    def test_a_key_that_is_refused_is_not_hidden_by_another_run(self):
        self.experiment = self.write("equal.yaml", EQUAL + "  late: {configs: [cutlass], set: {" + SMALL + ", duplo.latency_cycles: 9}}\n")
        process = self.sweep(code=2)
        self.assertEqual(len(re.findall(r"late FAILED: .*duplo.latency_cycles", process.stderr)), 2, process.stderr)
        self.assertEqual(len(self.rows()), 4)

    def test_a_run_that_failed_and_got_the_results_of_its_equal_has_not_failed(self):
        small = "workload.gemm.m: 1024, workload.gemm.n: 1024, workload.gemm.k: 1024"  # a second or so
        self.experiment = self.write("equal.yaml", EQUAL.split("  paper:")[0].replace(SMALL, small))
        process = subprocess.Popen([self.program, "sweep", self.experiment, "--out", self.out, "-j", "1", "--progress",
                                    "json"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        first, deadline = [], time.time() + 60
        while not first and time.time() < deadline:
            first = processes_about(self.run_folder("fig21.a0000_b0000", "cutlass"))
        os.kill(first[0], signal.SIGKILL)
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(len(self.rows()), 2)
        steps = [json.loads(line) for line in errors.splitlines() if line.startswith("{")]
        self.assertEqual(["failed" in step for step in steps], [True, False, False], errors)
        self.assertEqual(steps[-1]["done"], 2, errors)


if __name__ == "__main__":
    sweep_main()
