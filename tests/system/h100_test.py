#!/usr/bin/python3
"""The machine h100 and the products of warpgroups: values, cycles, microbenchmarks, and what is refused."""

import json
import os
import sys
import unittest

import small_run
from small_run import Cli, tessera

# Sizes that divide no tile and no step.
SIZES = ("--set", "workload.gemm.m=200", "--set", "workload.gemm.n=264", "--set", "workload.gemm.k=208", "--set", "workload.repeat=1")
LINEAR = ("--set", "workload.gemm.transpose_a=t", "--set", "workload.gemm.transpose_b=n")
KERNELS = ("128x256x64_4", "256x128x64_4", "256x64x64_5", "64x256x64_5", "64x64x64_6", "128x32x64_5", "64x16x64_9")


class H100(Cli):
    def refused(self, *arguments):
        done = tessera("run", "-q", *arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def result(self, *arguments):
        out = self.out()
        done = tessera("run", "h100", "wgmma", *SIZES, *arguments, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertNotIn("made for another machine: ", done.stdout)
        with open(os.path.join(out, "result.json"), encoding="utf-8") as file:
            return done.stdout, json.load(file)

    def test_values_at_both_levels(self):
        for timing in ("lt", "at"):
            for transposes in (LINEAR, ("--set", "workload.gemm.transpose_a=n", "--set", "workload.gemm.transpose_b=t")):
                text, result = self.result(*transposes, "--set", f"timing={timing}", "--set", "values=on")
                self.assertIn("output equals the golden model: 0 of 52800 values differ", text)
                self.assertGreater(result["kernels"][0]["statistics"]["sm"]["sub_core"]["warpgroup_mmas"], 0)

    def test_values_of_bf16(self):
        for timing in ("lt", "at"):
            for output in ("bf16", "fp32"):
                text, _ = self.result(*LINEAR, "--set", "workload.gemm.operands=bf16", "--set", f"workload.gemm.output={output}",
                                      "--set", f"timing={timing}", "--set", "values=on", "--set", "workload.split_k=2")
                self.assertIn("output equals the golden model: 0 of 52800 values differ", text)
                self.assertIn("oneDNN: 0 of 52800 values outside", text)
                self.assertIn(".bf16.", text)

    def test_values_of_fp8(self):
        """Half the bytes: as long as FP16 of half the k. An odd k ends with half a unit of two bytes."""
        cycles = {}
        for timing in ("lt", "at"):
            for operands, k in (("fp8", 416), ("fp16", 208), ("fp8", 207)):
                text, result = self.result(*LINEAR, "--set", f"workload.gemm.operands={operands}", "--set", f"workload.gemm.k={k}",
                                           "--set", f"timing={timing}", "--set", "values=on", "--set", "workload.split_k=1",
                                           "--set", "workload.wgmma=64x64x64_6")
                self.assertIn("output equals the golden model: 0 of 52800 values differ", text)
                self.assertIn("oneDNN: 0 of 52800 values outside", text)
                cycles[timing, operands, k] = result["metrics"]["cycles"]
            self.assertAlmostEqual(cycles[timing, "fp8", 416] / cycles[timing, "fp16", 208], 1, delta=0.001)
        for kernel in KERNELS:
            text, _ = self.result(*LINEAR, "--set", f"workload.wgmma={kernel}", "--set", "workload.split_k=1", "--set", "values=on",
                                  "--set", "workload.gemm.operands=fp8", "--set", "workload.gemm.output=fp32")
            self.assertIn(f".fp8.{kernel}.tn", text)
            self.assertIn("output equals the golden model: 0 of 52800 values differ", text)

    def test_fp8_that_no_kernel_has(self):
        fp8 = ("--set", "workload.gemm.operands=fp8")
        for line, message in ((("a100", "multistage", *fp8), "workload.kernel wgmma"),
                              (("h100", "wgmma", *fp8, "--set", "workload.gemm.output=bf16"), "or fp16 if they are fp8"),
                              (("h100", "wgmma", *fp8, "--set", "workload.gemm.transpose_a=n"), "transpose_a t and transpose_b n"),
                              (("h100", "wgmma", *LINEAR, *fp8, "--set", "sm.tensor_rates.qgmma_32.products_per_cycle=0"),
                               "no rate for its QGMMA.64xNx32.F32.E4M3.E4M3"),
                              (("h100", "resnet.C2", "--set", "workload.kernel=multistage", "--set", "workload.layer.operands=fp8"),
                               "workload.kernel wgmma and workload.kind gemm with workload.layer.operands fp8 (resnet.C2)")):
            self.assertIn(message, self.refused(*line))

    def test_values_of_each_form_of_kernel(self):
        for kernel in KERNELS:
            text, _ = self.result(*LINEAR, "--set", f"workload.wgmma={kernel}", "--set", "workload.split_k=1", "--set", "values=on")
            self.assertIn(f".{kernel}.tn", text)
            self.assertIn("output equals the golden model: 0 of 52800 values differ", text)

    def test_values_where_buffers_are_used_again(self):
        """15 steps in four buffers: the producer has to wait for the consumers."""
        for timing in ("lt", "at"):
            text, _ = self.result(*LINEAR, "--set", "workload.wgmma=128x256x64_4", "--set", "workload.gemm.k=952", "--set", "workload.split_k=1",
                                  "--set", "values=on", "--set", f"timing={timing}")
            self.assertIn("output equals the golden model: 0 of 52800 values differ", text)

    def test_values_with_k_divided_and_floats(self):
        text, result = self.result(*LINEAR, "--set", "workload.split_k=2", "--set", "values=on")
        self.assertIn("output equals the golden model: 0 of 52800 values differ", text)
        self.assertEqual(len(result["kernels"]), 2)
        text, _ = self.result(*LINEAR, "--set", "workload.gemm.output=fp32", "--set", "values=on")
        self.assertIn("output equals the golden model: 0 of 52800 values differ", text)

    def test_bytes_and_products_are_those_of_the_tiles(self):
        """4 x 5 tiles of 64 x 64, of which the last of a line have 8 lines; each warp's product counts its 16 x 64 x 16."""
        _, result = self.result(*LINEAR, "--set", "workload.wgmma=64x64x64_6", "--set", "workload.split_k=1")
        sm = result["kernels"][0]["statistics"]["sm"]
        self.assertEqual(sm["bulk_copies"]["bytes"], (5 * 200 + 4 * 264) * 208 * 2)
        self.assertEqual(sm["sub_core"]["warpgroup_products"], 4 * 5 * 13 * 64 * 64 * 16)
        self.assertEqual(sm["sub_core"]["loads"], 0)

    def test_multicast_spares_the_output_of_the_l2(self):
        """Four tiles in two clusters need the same 64 lines of 512 k; the partner fetches half of them."""
        sizes = ("--set", "workload.gemm.m=256", "--set", "workload.gemm.n=64", "--set", "workload.gemm.k=512",
                 "--set", "workload.wgmma=64x64x64_6", "--set", "workload.split_k=1", "--set", "noc.slice_bytes_per_cycle=1")
        for timing in ("lt", "at"):
            cycles = {}
            for multicast, of_partner in (("on", 4 * 32 * 512 * 2), ("off", 0)):
                _, result = self.result(*LINEAR, *sizes, "--set", f"timing={timing}", "--set", f"workload.multicast={multicast}")
                statistics = result["kernels"][0]["statistics"]["memory"]["crossbar"]
                self.assertEqual(statistics["multicast_bytes"], of_partner)
                cycles[multicast] = result["metrics"]["cycles"]
            self.assertLess(cycles["on"], 0.9 * cycles["off"], timing)

    def test_the_same_cycles_with_threads(self):
        alone = self.result(*LINEAR)[1]["metrics"]["cycles"]
        self.assertEqual(self.result(*LINEAR, "--set", "host.threads=2")[1]["metrics"]["cycles"], alone)

    def test_what_cannot_be(self):
        run = ("h100", "wgmma", *SIZES, "--set")
        self.assertIn("expected one of {auto, 128x256x64_4, ", self.refused(*run, "workload.wgmma=128x128"))
        self.assertIn("the machine has no bulk copies", self.refused(*run, "sm.bulk_copy_latency_cycles=0"))
        self.assertIn("its kernels do not read C", self.refused(*run, "workload.gemm.read_c=on"))
        for machine in ("v100", "a100"):
            self.assertIn("the machine has no rate for its HGMMA.64xNx16", self.refused(machine, "wgmma", *SIZES))

    def test_the_benchmarks_of_the_card(self):
        done = tessera("microbench", "h100", "--within", "10")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("0 rows further than 10 % from the h100", done.stdout)


if __name__ == "__main__":
    small_run.TESSERA = sys.argv.pop(1)
    unittest.main()
