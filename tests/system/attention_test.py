#!/usr/bin/python3
"""Attention and rotary embedding on machines: values, cycles, and what is refused.

Usage: attention_test.py TESSERA
"""

import json
import os
import sys
import unittest

import small_run
from small_run import Cli, tessera

# Sizes that divide no tile; queries of four heads share one of keys.
PREFILL = ("operation=prefill", "tokens=150", "context=30", "heads=4", "kv_heads=1")
DECODE = ("operation=decode", "batch=2", "heads=8", "kv_heads=2", "context=700", "page_tokens=16")
ROTARY = ("operation=rotary", "tokens=30", "batch=2", "heads=8", "kv_heads=2", "head_size=80")
OUTPUTS = {PREFILL: 150 * 4 * 128, DECODE: 2 * 8 * 128, ROTARY: 60 * 12 * 80}
# Cycles of a prompt of 256 tokens, and of a cache of 513.
CYCLES = {("prefill", "lt"): 23560, ("prefill", "at"): 23752, ("decode", "lt"): 10908, ("decode", "at"): 10909}
# Cycles of 512 tokens by FlashAttention-3 on two SMs, where each CTA has eight tiles: with a mask, and with keys that two CTAs share.
TURNS = {("on", "lt"): 77582, ("on", "at"): 78380, ("off", "lt"): 108942, ("off", "at"): 110188}
# Cycles of two sequences of 200 tokens, whose keys are masked, by the layout of the operands.
MASKED = {("packed", "lt"): 17436, ("packed", "at"): 17428, ("tokens", "lt"): 17432, ("tokens", "at"): 17426}


def keys(*settings):
    return [text for setting in settings for text in ("--set", f"workload.attention.{setting}")]


class Attention(Cli):
    def run_with(self, *arguments):
        out = self.out()
        done = tessera("run", *arguments, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(out, "result.json"), encoding="utf-8") as file:
            return done, json.load(file)

    def test_values(self):
        for machine in ("a100", "h100"):
            for timing in ("lt", "at"):
                for sizes, outputs in OUTPUTS.items():
                    for operands in ("fp16", "bf16"):
                        done, _ = self.run_with(machine, *keys(*sizes, f"operands={operands}"), "--set", "values=on", "--set", f"timing={timing}")
                        self.assertIn(f"output equals the golden model: 0 of {outputs} values differ", done.stdout)

    def test_cycles(self):
        for (operation, timing), cycles in CYCLES.items():
            sizes = ("tokens=256",) if operation == "prefill" else ("context=512", "page_tokens=16")
            _, result = self.run_with("a100", *keys(f"operation={operation}", "heads=2", "kv_heads=1", *sizes), "--set", f"timing={timing}")
            self.assertEqual(result["metrics"]["cycles"], cycles, (operation, timing))

    def test_masks_and_packed_operands(self):
        for (layout, timing), cycles in MASKED.items():
            for machine in ("a100", "h100"):
                done, result = self.run_with(machine, *keys("tokens=200", "batch=2", "heads=2", "kv_heads=1", "causal=off", "head_size=64", "mask=keys",
                                                            f"layout={layout}"), "--set", "values=on", "--set", f"timing={timing}")
                self.assertIn(f"output equals the golden model: 0 of {2 * 200 * 2 * 64} values differ", done.stdout)
                if machine == "a100":
                    self.assertEqual(result["metrics"]["cycles"], cycles, (layout, timing))

    def test_layouts(self):
        for machine in ("a100", "h100"):
            for layout in ("heads", "heads_to_tokens"):
                done, _ = self.run_with(machine, *keys(*PREFILL, f"layout={layout}"), "--set", "values=on")
                self.assertIn(f"output equals the golden model: 0 of {OUTPUTS[PREFILL]} values differ", done.stdout)

    def test_turns_of_warpgroups(self):
        for (causal, timing), cycles in TURNS.items():
            _, result = self.run_with("h100", *keys("tokens=512", "heads=4", "kv_heads=4", f"causal={causal}"), "--set", "gpu.sms=2",
                                      "--set", f"timing={timing}")
            self.assertEqual(result["metrics"]["cycles"], cycles, (causal, timing))

    def test_parts_of_a_cache(self):
        """Two sequences of two heads of keys are four CTAs without splits, and each of six blocks is a part."""
        _, result = self.run_with("a100", *keys(*DECODE))
        self.assertEqual([kernel["ctas"] for kernel in result["kernels"]], [4 * 6, 4])
        _, result = self.run_with("a100", *keys(*DECODE, "splits=1"))
        self.assertEqual([kernel["ctas"] for kernel in result["kernels"]], [4])

    def test_wrong_input(self):
        for sizes, expected in ((("head_size=80",), "64 or 128 with workload.attention.operation prefill and decode"),
                                (("heads=4", "kv_heads=3"), "a divisor of workload.attention.heads"),
                                (("operation=decode", "page_tokens=6"), "a multiple of 4, the rows of one copy"),
                                (("operation=decode", "heads=128", "kv_heads=1"), "at least heads / 64"),
                                (("operation=rotary", "head_size=31"), "an even number"),
                                (("operation=decode", "tokens=5"), "tokens"), (("page_tokens=16",), "operation decode")):
            self.assert_refused(tessera("run", "a100", *keys(*sizes)), expected)
        self.assert_refused(tessera("run", "v100", *keys("tokens=64")), "the machine has no rate for its HMMA.16816")
        self.assert_refused(tessera("run", "v100", *keys("tokens=64", "operands=bf16")), "the machine has no rate for its HMMA.16816.F32.BF16")
        self.assert_refused(tessera("run", "a100", *keys("tokens=64", "operands=bf16"), "--set", "gpu.energy_table=volta_12nm"), "have no price")
        self.assert_refused(tessera("run", "a100", *keys("tokens=64", "kernel=flash_attention_3")), "the machine has no rate for its HGMMA")
        self.assert_refused(tessera("run", "h100", *keys("tokens=64"), "--set", "sm.bulk_copy_latency_cycles=0", *keys("kernel=flash_attention_3")),
                            "the machine has no bulk copies")
        self.assert_refused(tessera("run", "h100", *keys("tokens=64"), "--set", "workload.multicast=off"), "heads of 128 and causal off")
        self.assert_refused(tessera("run", "h100", *keys("tokens=64", "causal=off"), "--set", "noc.kind=mesh", "--set", "noc.mesh.width=53",
                                    "--set", "noc.mesh.height=4"), "a mesh has no multicast")
        self.assert_refused(tessera("run", "a100", *keys("layout=packed", "context=5")), "another than packed with workload.attention.context above 0")
        self.assert_refused(tessera("run", "a100", *keys("operation=decode", "mask=keys")), "workload.attention.operation prefill")
        self.assert_refused(tessera("run", "h100", *keys("mask=keys", "kernel=flash_attention_3")),
                            "none with workload.attention.kernel flash_attention_3")
        self.assert_refused(tessera("run", "a100", *keys("operation=rotary"), "--set", "values=on", "--set", "workload.repeat=2"),
                            "rotates queries and keys in place")
        self.assert_refused(tessera("run", "a100", *keys("tokens=64"), "--set", "values=on", "--set", "sample.enabled=on"), "attention")


if __name__ == "__main__":
    small_run.TESSERA = sys.argv.pop(1)
    unittest.main()
