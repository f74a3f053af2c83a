#!/usr/bin/python3
"""A pass through a decoder: `tessera network DECODER MACHINE`.

Usage: decoder_network_test.py TESSERA
"""

import csv
import os
import re
import sys
import unittest

import small_run
from small_run import Cli, tessera

MACHINE = "a100,multistage,gpu.sms=2"
SIZES = {"hidden": 256, "heads": 4, "kv_heads": 2, "mlp": 96, "gated": "on", "vocabulary": 256, "hidden_layers": 2}
LAYER = ["input_layernorm", "attn_pre_proj", "attn_rope", "attn_prefill", "attn_post_proj", "attn_add", "post_attention_layernorm",
         "mlp_up_proj", "mlp_act", "mlp_down_proj", "mlp_add"]


class DecoderNetwork(Cli):
    def decoder(self, **changes):
        return self.file("tiny.yaml", "".join(f"{key}: {value}\n" for key, value in {**SIZES, **changes}.items()))

    def network(self, *arguments):
        process = tessera("network", self.decoder(), MACHINE, *arguments, "--out", self.out())
        self.assertEqual(process.returncode, 0, process.stderr)
        with open(self.path("out", "network.csv"), encoding="utf-8", newline="") as file:
            return process, list(csv.DictReader(file))

    def test_layers_of_a_prompt(self):
        process, rows = self.network("--dim", "tokens=40")
        layers = [row["layer"] for row in rows]
        self.assertEqual(layers, ["emb", *(f"layer{i}.{name}" for i in range(2) for name in LAYER), "final_layernorm", "lm_head"])
        self.assertIn("25 layers", process.stderr)
        # Equal layers, and both normalizations and additions, run once.
        self.assertEqual(len(os.listdir(self.path("out", "runs"))), 11)
        cycles = [float(row["cycles"]) for row in rows]
        self.assertEqual(cycles[1:12], cycles[12:23])
        total = re.search(r"^a100\S*\s+25\s+(\S+)", process.stdout, re.MULTILINE)
        self.assertIsNotNone(total, process.stdout)
        self.assertAlmostEqual(float(total[1]), sum(cycles) / 1410, delta=0.1)

    def test_values_of_a_layer(self):
        """Every operator computes what its golden model does, and is near its definition."""
        for sizes in (("tokens=40",), ("tokens=1", "context=70", "batch=3")):
            dims = [text for size in sizes for text in ("--dim", size)]
            process, rows = self.network(*dims, "--set", "values=on")
            self.assertRegex(process.stdout, r"25 of 25")
            self.assertEqual("layer1.attn_decode" in [row["layer"] for row in rows], "tokens=1" in sizes)

    def test_the_list(self):
        process = tessera("network", self.decoder(), "--list", "--dim", "tensor_parallel=2")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertRegex(process.stdout, r"attn_pre_proj +product +2048x256x256")
        self.assertRegex(process.stdout, r"attn_prefill +attention +1x2x2048")

    def test_wrong_input(self):
        for dim, expected in (("depth=3", "expected one of {tokens, batch, context, tensor_parallel}"),
                              ("tokens=0", "got '0', expected an integer from 1 to"), ("tokens", "got ''"),
                              ("batch=1000000", "sequences of 2048 tokens, expected at most")):
            self.assert_refused(tessera("network", self.decoder(), MACHINE, "--dim", dim, "--out", self.out()), expected)
        self.assert_refused(tessera("network", self.decoder(), MACHINE, "--no-fuse", "--out", self.out()), "--no-fuse: ")
        self.assert_refused(tessera("network", self.decoder(), "v100,library", "--out", self.out()),
                            "the machine has no rate for its HMMA.16816")
        self.assert_refused(tessera("network", self.decoder(hidden_layers=0), MACHINE, "--out", self.out()), "hidden_layers: got '0'")


if __name__ == "__main__":
    small_run.TESSERA = sys.argv.pop(1)
    unittest.main()
