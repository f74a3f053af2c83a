#!/usr/bin/python3
"""Tables of a decoder's operators: `tessera table`.

Usage: table_test.py TESSERA
"""

import csv
import json
import os
import sys
import unittest

import small_run
from small_run import Cli, tessera

MACHINE = "v100,library,gpu.sms=2"
SIZES = {"hidden": 64, "heads": 4, "kv_heads": 2, "mlp": 96, "gated": "on", "vocabulary": 256}
OPERATORS = ["emb", "input_layernorm", "attn_pre_proj", "attn_rope", "attn_post_proj", "post_attention_layernorm", "mlp_up_proj",
             "mlp_act", "mlp_down_proj", "add"]


class TableCase(Cli):
    def decoder(self, **changes):
        sizes = {**SIZES, **changes}
        return self.file("tiny.yaml", "".join(f"{key}: {value}\n" for key, value in sizes.items() if value is not None))

    def table(self, *arguments, code=0):
        process = tessera("table", MACHINE, *arguments, "--out", self.out())
        self.assertEqual(process.returncode, code, process.stderr)
        return process

    def rows(self):
        with open(self.path("out", "mlp.csv"), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))


class Tables(TableCase):
    def test_a_row_for_each_number_of_tokens_and_cards(self):
        process = self.table(self.decoder(), "--tokens", "1,48", "--tensor-parallel", "1,2")
        rows = self.rows()
        self.assertEqual([(row["num_tokens"], row["num_tensor_parallel_workers"]) for row in rows],
                         [("1", "1"), ("48", "1"), ("1", "2"), ("48", "2")])
        self.assertEqual(list(rows[0]), ["n_head", "n_kv_head", "n_embd", "n_expanded_embd", "vocab_size", "use_gated_mlp", "num_tokens",
                                         "num_tensor_parallel_workers", *(f"time_stats.{name}.median" for name in OPERATORS)])
        self.assertEqual(list(rows[0].values())[:6], ["4", "2", "64", "96", "256", "True"])
        for row in rows:
            self.assertTrue(all(float(row[f"time_stats.{name}.median"]) > 0 for name in OPERATORS), row)
        self.assertEqual(rows[0]["time_stats.add.median"], rows[2]["time_stats.add.median"])  # not divided
        line = process.stdout.splitlines()[3].split()
        self.assertEqual(line[:2], ["1", "1"])
        self.assertAlmostEqual(float(line[-1]), 1000 * sum(float(rows[0][f"time_stats.{name}.median"]) for name in OPERATORS), delta=0.06)

    def test_times_are_those_of_runs(self):
        self.table(self.decoder(), "--tokens", "48", "--tensor-parallel", "2")
        # Each of two cards has two heads of queries, one of keys and values (16 elements each), and half of the MLP.
        product = ["workload.gemm.m=48", "workload.gemm.transpose_a=t", "workload.gemm.transpose_b=n"]
        runs = {
            "attn_pre_proj": ["library", *product, "workload.gemm.n=64", "workload.gemm.k=64"],
            "attn_post_proj": ["library", *product, "workload.gemm.n=64", "workload.gemm.k=32"],
            "mlp_up_proj": ["library", *product, "workload.gemm.n=96", "workload.gemm.k=64"],
            "mlp_down_proj": ["library", *product, "workload.gemm.n=64", "workload.gemm.k=48"],
            "attn_rope": ["workload.attention.operation=rotary", "workload.attention.tokens=48", "workload.attention.heads=2",
                          "workload.attention.kv_heads=1", "workload.attention.head_size=16"],
            "mlp_act": ["workload.tensor.operation=swiglu", "workload.tensor.shape=48x48"],
            "input_layernorm": ["workload.tensor.operation=rms_normalization", "workload.tensor.shape=48x64"],
            "emb": ["workload.tensor.operation=gather", "workload.tensor.shape=256x64", "workload.tensor.other=48", "workload.tensor.axis=0"]}
        for name, keys in runs.items():
            arguments = [key for key in keys if "=" not in key]
            for key in ["gpu.sms=2", "workload.repeat=auto", *(key for key in keys if "=" in key)]:
                arguments += ["--set", key]
            process = tessera("run", "v100", *arguments, "-q", "--out", self.path("run"))
            self.assertEqual(process.returncode, 0, process.stderr)
            with open(self.path("run", "result.json"), encoding="utf-8") as file:
                metrics = json.load(file)["metrics"]
            cycles = metrics.get("warm_cycles", metrics["cycles"])
            self.assertAlmostEqual(float(self.rows()[0][f"time_stats.{name}.median"]), cycles / 1530 / 1000, delta=1e-6, msg=name)

    def test_kernels_and_repetitions_are_those_asked_for(self):
        product = ("workload.gemm.m=48", "workload.gemm.n=128", "workload.gemm.k=64", "workload.gemm.transpose_a=t", "workload.gemm.transpose_b=n")
        for machine, mechanism in (("a100", "multistage"), ("h100", "wgmma")):
            cycles = {}
            for repeat in ("1", "3"):
                keys = ("gpu.sms=2", f"workload.repeat={repeat}")
                sets = [part for key in keys for part in ("--set", key)]
                process = tessera("table", f"{machine},{mechanism}", self.decoder(), "--tokens", "48", "--tensor-parallel", "1", *sets, "--out", self.out())
                self.assertEqual(process.returncode, 0, process.stderr)
                made = float(self.rows()[0]["time_stats.attn_pre_proj.median"])
                process = tessera("run", machine, mechanism, *sets, *(part for key in product for part in ("--set", key)), "-q", "--out", self.path("run"))
                self.assertEqual(process.returncode, 0, process.stderr)
                with open(self.path("run", "result.json"), encoding="utf-8") as file:
                    result = json.load(file)
                cycles[repeat] = result["metrics"].get("warm_cycles", result["metrics"]["cycles"])
                clock = {"a100": 1410, "h100": 1830}[machine]
                self.assertAlmostEqual(made, cycles[repeat] / clock / 1000, delta=1e-6)
            self.assertNotEqual(cycles["1"], cycles["3"])

    def test_types_of_products_leave_other_operators_alone(self):
        times = {}
        for operands in ("fp16", "fp8"):
            process = tessera("table", "h100,wgmma", self.decoder(hidden=512, mlp=768), "--tokens", "16", "--tensor-parallel", "1",
                              "--set", f"workload.gemm.operands={operands}", "--set", "workload.repeat=1", "--out", self.out())
            self.assertEqual(process.returncode, 0, process.stderr)
            times[operands] = {name: float(self.rows()[0][f"time_stats.{name}.median"]) for name in OPERATORS}
        for name in OPERATORS:
            if name.endswith("_proj"):
                self.assertLess(times["fp8"][name], times["fp16"][name], name)
            else:
                self.assertEqual(times["fp8"][name], times["fp16"][name], name)

    def test_attention(self):
        """The rows are in vidur's columns, and their times those of runs on the card's share of the heads."""
        machine = "a100,multistage,gpu.sms=2"
        decoder = self.decoder(hidden=256)
        process = tessera("table", machine, decoder, "--tokens", "1", "--tensor-parallel", "1,2", "--prefill", "40,24+100",
                          "--decode", "3x200", "--out", self.out())
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn("attention of one layer [us]", process.stdout)
        with open(self.path("out", "attention.csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        sizes = [(row["num_tensor_parallel_workers"], row["batch_size"], row["prefill_chunk_size"], row["kv_cache_size"], row["is_prefill"])
                 for row in rows]
        self.assertEqual(sizes, [(cards, *rest) for cards in "12" for rest in
                                 (("1", "40", "0", "True"), ("1", "24", "100", "True"), ("3", "0", "200", "False"))])
        self.assertEqual(list(rows[0].values())[:4], ["256", "4", "2", "16"])
        runs = {4: ("prefill", "tokens=24", "context=100"), 5: ("decode", "batch=3", "context=200", "page_tokens=16")}
        for number, (operation, *keys) in runs.items():
            arguments = []
            for key in ("gpu.sms=2", "workload.repeat=auto", f"workload.attention.operation={operation}", "workload.attention.heads=2",
                        "workload.attention.kv_heads=1", "workload.attention.head_size=64", *(f"workload.attention.{key}" for key in keys)):
                arguments += ["--set", key]
            done = tessera("run", "a100", *arguments, "-q", "--out", self.path("run"))
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(self.path("run", "result.json"), encoding="utf-8") as file:
                metrics = json.load(file)["metrics"]
            row = rows[number]
            other = "prefill" if operation == "decode" else "decode"
            self.assertAlmostEqual(float(row[f"time_stats.attn_{operation}.median"]),
                                   metrics.get("warm_cycles", metrics["cycles"]) / 1410 / 1000, delta=1e-6)
            self.assertEqual(row[f"time_stats.attn_{other}.median"], "")

    def test_an_mlp_without_a_gate(self):
        process = self.table(self.decoder(gated="off"), "--tokens", "4", "--list")
        self.assertEqual(process.stdout, "9 runs for 1 lines of 10 operators\n")  # both normalizations are one
        self.table(self.decoder(gated="off"), "--tokens", "4")
        self.assertEqual(self.rows()[0]["use_gated_mlp"], "False")

    def test_shipped_decoders(self):
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../configs/decoders")
        for name in sorted(os.listdir(folder)):
            process = self.table(name.removesuffix(".yaml"), "--tokens", "1,4096", "--tensor-parallel", "1,8", "--list")
            self.assertRegex(process.stdout, r"^\d+ runs for 4 lines of 10 operators\n$")


class WrongInput(TableCase):
    def test_one_line(self):
        for changes, expected in (({"heads": 5}, "tiny.yaml:2:8: heads: got '5', expected a divisor of hidden 64"),
                                  ({"kv_heads": 3}, "kv_heads: got '3', expected a divisor of heads 4"),
                                  ({"mlp": None}, "mlp: got nothing, expected a value"),
                                  ({"mlp": 0}, "mlp: got '0'"), ({"depth": 3}, "depth")):
            self.assert_refused(tessera("table", MACHINE, self.decoder(**changes), "--out", self.out()), expected)
        self.assert_refused(tessera("table", MACHINE, "llama2_8b", "--out", self.out()), "got decoder 'llama2_8b', expected a YAML file or one of {", "llama2_7b")
        self.assert_refused(tessera("table", MACHINE, self.decoder(), "--tensor-parallel", "3", "--out", self.out()),
                            "tiny: got heads 4 for 3 cards, expected a multiple of them")
        self.assert_refused(tessera("table", "v1000", self.decoder(), "--out", self.out()), "v1000")
        for option, value in (("--prefill", "0"), ("--prefill", "5+"), ("--prefill", "5x3"), ("--decode", "5"), ("--decode", "0x5")):
            self.assert_refused(tessera("table", MACHINE, self.decoder(), option, value, "--out", self.out()), f"{option}: got '{value}', expected ")
        self.assert_refused(tessera("table", MACHINE, self.decoder(hidden=256), "--prefill", "64", "--out", self.out()),
                            "the machine has no rate for its HMMA.16816")
        for key in ("workload.attention.heads=5", "workload.gemm.m=5", "workload.tensor.shape=5x5"):
            self.assert_refused(tessera("table", MACHINE, self.decoder(), "--set", key, "--out", self.out()),
                                f"{key}: got a key of ", "expected another: the decoder sets it")
            self.assert_refused(tessera("table", f"{MACHINE},{key}", self.decoder(), "--out", self.out()), f"{key}: got a key of ")
        self.assert_refused(tessera("table", MACHINE, self.decoder(), "--tokens", "0", "--out", self.out()), "0")


    def test_a_key_that_no_run_reads(self):
        process = self.table(self.decoder(), "--tokens", "1", "--set", "noc.mesh.width=5", code=2)
        self.assertIn("--set noc.mesh.width=5: got a key that has no effect in any of the runs", process.stderr)
        self.assertFalse(os.path.exists(self.path("out", "mlp.csv")))


if __name__ == "__main__":
    small_run.TESSERA = sys.argv.pop(1)
    unittest.main()
