#!/usr/bin/python3
"""Layers in groups through the program: computed and checked at both timing levels with Duplo on, with the products of
one group each; where a command cannot compute them it refuses in one line."""

import json
import os
import sys
import unittest

import small_run
from small_run import SMALL, tessera


def layer(channels, filters, groups, **more):
    keys = {"channels": channels, "filters": filters, "groups": groups, **more}
    return [word for key, value in keys.items() for word in ("--set", f"workload.layer.{key}={value}")]


class Groups(small_run.InFolder):
    def setUp(self):
        super().setUp()
        self.small = self.file("small.yaml", SMALL)

    def run_layer(self, *arguments):
        """The result of a run whose every check passed, with oneDNN's line if that is built in."""
        out = self.path("out")
        process = tessera("run", self.small, "--allow-unused", "--set", "values=on", *arguments, "--out", out)
        self.assertEqual((process.returncode, process.stderr), (0, ""), process.stdout)
        if "oneDNN check skipped" not in process.stdout:
            self.assertIn("oneDNN: 0 of ", process.stdout)
        with open(os.path.join(out, "result.json"), encoding="utf-8") as handle:
            result = json.load(handle)
        self.assertEqual(result["violations"], [])
        self.assertEqual(result["verification"]["mismatches"], 0)
        return result

    def refused(self, arguments, *expected):
        self.assert_refused(tessera(*arguments), *expected)

    def test_depthwise_layer_with_duplo(self):
        duplo = ["--set", "duplo.enabled=on"]
        for timing in ("lt", "at"):
            for rule in ("pad16", "pad8_filter_row", "dense"):
                how = ["--set", f"timing={timing}", "--set", f"workload.channel_rule={rule}"]
                for stride in (1, 2):
                    depthwise = layer(24, 24, 24, stride=stride)
                    plain = self.run_layer(*depthwise, *how)
                    result = self.run_layer(*depthwise, *how, *duplo)
                    outputs = 81 if stride == 1 else 25
                    self.assertEqual(result["verification"]["outputs"], outputs * 24)
                    # 16 outputs and 16 filters a product, of which two make the width of a CTA.
                    steps = {"pad16": 9, "pad8_filter_row": 6, "dense": 1}[rule]
                    self.assertEqual(result["metrics"]["mmas"], 24 * -(-outputs // 16) * 2 * steps)
                    self.assertEqual(plain["metrics"]["mmas"], result["metrics"]["mmas"])
                    if rule == "dense":
                        continue  # no chunk of a filter row of three halves is all of one filter row
                    # Every hit was compared with memory: more than the octets' own second loads.
                    lowering = sum(result["metrics"][f"hits_lowering_{who}_warp_percent"] for who in ("same", "other"))
                    self.assertGreater(lowering, 1)
                    detection = result["kernels"][-1]["statistics"]["sm"]["ldst"]
                    hits = sum(count for name, count in detection["detection"].items() if name.startswith("hits_"))
                    self.assertEqual(detection["checked_hits"], hits)

    def test_products_of_groups(self):
        mmas = {}
        cycles = {}
        for groups in (1, 2, 4):
            metrics = self.run_layer(*layer(64, 128, groups))["metrics"]
            mmas[groups], cycles[groups] = metrics["mmas"], metrics["cycles"]
        self.assertEqual(mmas, {1: mmas[1], 2: mmas[1] // 2, 4: mmas[1] // 4})
        self.assertGreater(cycles[1], 1.5 * cycles[4])

    def test_transposed_and_direct_layers(self):
        transposed = self.run_layer(*layer(12, 8, 4, transposed="on", stride=2), "--set", "duplo.enabled=on")
        self.assertEqual(transposed["verification"]["outputs"], 18 * 18 * 8)
        direct = ["--set", "workload.kind=direct_convolution"]
        operations = [self.run_layer(*layer(12, 8, groups), *direct)["metrics"]["vector_operations"]
                      for groups in (1, 4)]
        self.assertEqual(operations[0], 4 * operations[1])

    def test_the_words_of_a_program(self):
        """A tile of another group: the CTAs of all groups are there, each with its own addresses."""
        text = tessera("program", self.small, *layer(48, 96, 3), "--cta", "2").stdout
        self.assertTrue(text.startswith("// kernel small.gemm: 3 CTAs of 2 warps, "), text[:60])
        self.assertEqual(sum("wmma.mma" in line for line in text.splitlines()), 2 * 9)
        self.refused(["program", self.small, *layer(48, 96, 3), "--cta", "3"], "--cta: got '3', expected 0..2")

    def test_traces(self):
        """Our own kernels are traced as they run; the one product of a compiler is of one group."""
        busy = {}
        for groups in (1, 2):
            trace, replay = self.path(f"trace{groups}"), self.path(f"replay{groups}")
            written = tessera("trace", "write", self.small, *layer(32, 64, groups), "--out", trace)
            self.assertEqual(written.returncode, 0, written.stderr)
            replayed = tessera("run", "--set", "gpu.sms=1", "--set", "workload.kind=trace", "--set",
                               f"workload.trace={trace}/kernelslist.g", "--out", replay)
            self.assertEqual(replayed.returncode, 0, replayed.stderr)
            with open(os.path.join(replay, "result.json"), encoding="utf-8") as handle:
                busy[groups] = json.load(handle)["kernels"][-1]["statistics"]["sm"]["sub_core"]["hmma_cycles"]
        self.assertGreater(busy[2], 0)
        self.assertEqual(busy[1], 2 * busy[2])
        self.refused(["trace", "write", self.small, *layer(32, 64, 2), "--sass-gemm", "--out", self.path("s")],
                     "workload.layer.groups", "got '2', expected 1 with --sass-gemm, which is one matrix product")

    def test_refusals(self):
        divisor = "expected a divisor of workload.layer.channels (16) and workload.layer.filters (32)"
        for command in ("run", "config", "program"):
            for kind in ("convolution", "direct_convolution"):
                self.refused([command, self.small, "--set", f"workload.kind={kind}", *layer(16, 32, 3)],
                             "workload.layer.groups=3: got '3', " + divisor)
        for kind in ("sparse_convolution", "composition"):
            for groups in (2, 3):
                self.refused(["run", self.small, "--set", f"workload.kind={kind}", "--set", "workload.tiling.warp_n=32",
                              "--set", "tensor_core.kind=outer_product", *layer(16, 32, groups)],
                             f"workload.layer.groups={groups}: got ",
                             "expected a divisor of workload.layer.channels"
                             if (kind, groups) == ("composition", 3)
                             else "expected 1 with workload.kind sparse_convolution (of which a composition has one)")
        many = layer(400, 400, 400, batch=3)
        self.refused(["run", self.small, *many, "--set", "duplo.enabled=on"], "workload.layer.groups x "
                     "workload.layer.batch (1200) of at most 1024 with duplo.enabled on")
        self.assertEqual(tessera("config", self.small, *many).returncode, 0)


if __name__ == "__main__":
    small_run.TESSERA = os.path.abspath(sys.argv.pop(1))
    unittest.main()
