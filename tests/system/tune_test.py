#!/usr/bin/python3
"""`tessera tune`: every kernel for a product is run, sorted by time, and set beside the one that `auto` picks."""

import json
import os
import sys
import unittest

import small_run
from small_run import Cli, tessera

TABLE = "m,n,k,transpose_a,transpose_b,us\n70,90,128,N,T,10\n200,33,64,T,N,20\n70,90,128,N,T,11\n"
MACHINE = ("duplo_titan_v", "library", "--set", "gpu.sms=2")
PRODUCT = ("--set", "workload.gemm.m=70", "--set", "workload.gemm.n=90", "--set", "workload.gemm.k=128")


class Tune(Cli):
    def tune(self, *arguments):
        return tessera("tune", *MACHINE, "--out", self.out(), *arguments)

    def result(self):
        with open(os.path.join(self.out(), "tune.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_every_kernel_is_timed(self):
        done = self.tune(*PRODUCT)
        self.assertEqual(done.returncode, 0, done.stderr)
        row, = self.result()["rows"]
        cycles = {kernel["name"]: kernel["cycles"] for kernel in row["kernels"]}
        for name in ("256x128", "64x64", "32x64", "64x64.split2", "128x128.split4"):
            self.assertIn(name, cycles)
        self.assertEqual(list(cycles.values()), sorted(cycles.values()))
        self.assertEqual(row["auto_cycles"], cycles[row["auto"]])
        self.assertAlmostEqual(row["loss_percent"], 100 * (row["auto_cycles"] / min(cycles.values()) - 1))
        self.assertIn(f"auto: {row['auto']}, ", done.stdout)
        out = os.path.join(self.folder, "alone")
        alone = tessera("run", "-q", *MACHINE, *PRODUCT, "--set", "workload.kernel=64x64", "--set", "workload.split_k=2",
                        "--out", out)
        self.assertEqual(alone.returncode, 0, alone.stderr)
        with open(os.path.join(out, "result.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["metrics"]["warm_cycles"], cycles["64x64.split2"])

    def test_auto_is_what_a_run_picks(self):
        """Results that lie by rows, and elements of other than two bytes, of which a step has more or fewer."""
        sizes = ("--set", "gpu.sms=4", "--set", "workload.gemm.m=40", "--set", "workload.gemm.n=200", "--set", "workload.gemm.k=256",
                 "--set", "workload.gemm.transpose_a=t", "--set", "workload.gemm.transpose_b=n")
        for machine, mechanism, operands in (("a100", "multistage", "fp16"), ("a100", "multistage", "int8"), ("a100", "multistage", "tf32"),
                                             ("h100", "wgmma", "fp8")):
            types = ("--set", f"workload.gemm.operands={operands}", *(("--set", "workload.gemm.output=fp32") if operands == "tf32" else ()))
            done = tessera("tune", machine, mechanism, *sizes, *types, "--out", self.out())
            self.assertEqual(done.returncode, 0, done.stderr)
            row, = self.result()["rows"]
            cycles = {kernel["name"]: kernel["cycles"] for kernel in row["kernels"]}
            self.assertEqual(row["auto_cycles"], cycles[row["auto"]], operands)
            run = tessera("run", machine, mechanism, *sizes, *types, "--dry-run")
            name, _, split = row["auto"].partition(".")
            self.assertRegex(run.stdout, rf"\.{name}\.tn{'.' + split if split else ''}: ", operands)

    def test_the_rows_of_a_table(self):
        done = self.tune("--table", self.file("table.csv", TABLE))
        self.assertEqual(done.returncode, 0, done.stderr)
        result = self.result()
        first, second, third = result["rows"]
        self.assertEqual((first["name"], second["name"]), ("70 90 128 N T", "200 33 64 T N"))
        self.assertEqual(first["kernels"], third["kernels"])
        self.assertAlmostEqual(result["mean_loss_percent"], sum(row["loss_percent"] for row in result["rows"]) / 3)
        self.assertIn(f"3 rows: auto takes {result['mean_loss_percent']:.1f} % more than the best", done.stdout)

    def test_a_convolution(self):
        layer = ("--set", "workload.layer.batch=1", "--set", "workload.layer.height=6", "--set", "workload.layer.width=6",
                 "--set", "workload.layer.channels=6", "--set", "workload.layer.filters=6", "--set", "workload.layer.groups=2",
                 "--set", "workload.pass=backward_weight")
        done = self.tune(*layer, "--set", "gpu.sms=8")
        self.assertEqual(done.returncode, 0, done.stderr)
        row, = self.result()["rows"]
        names = [kernel["name"] for kernel in row["kernels"]]
        self.assertTrue(any(".split" in name for name in names), names)
        self.assertNotIn("256x128", names, "lanes that load two bytes leave it no registers")
        self.assertIn(row["auto"], names)

    def test_the_bound_decides_the_exit_code(self):
        table = self.file("table.csv", TABLE)
        self.assertEqual(self.tune("--table", table, "--within", "1000").returncode, 0)
        loss = self.result()["mean_loss_percent"]
        self.assertGreater(loss, 0)
        beyond = self.tune("--table", table, "--within", str(loss / 2))
        self.assertEqual(beyond.returncode, 1)
        self.assertIn("check failed: auto takes", beyond.stderr)

    def test_list_runs_nothing(self):
        done = self.tune(*PRODUCT, "--list")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("gemm.70x90x128 auto\n", done.stdout)
        self.assertIn("gemm.70x90x128 64x64.split2\n", done.stdout)
        self.assertFalse(os.path.exists(self.out()))

    def test_mistakes(self):
        for arguments, message in (
                ((*PRODUCT, "--set", "workload.kernel=64x64"), "workload.kernel: expected auto"),
                ((*PRODUCT, "--column", "a=b"), "--column, --ignore, --time: expected --table"),
                ((*PRODUCT, "--set", "workload.kernel=63x64"), "workload.kernel=63x64: got '63x64', expected one of {fragments, auto"),
                (("--table", self.file("bad.csv", "m,n,k,transpose_a,us\n70,90,128,X,10\n")),
                 "workload.gemm.transpose_a=X: got 'X', expected one of {n, t}"),
                (("--table", self.file("none.csv", "m,n,k\n70,90,128\n")), "none.csv:1: no column of times")):
            done = self.tune(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    small_run.TESSERA = sys.argv.pop(1)
    unittest.main()
