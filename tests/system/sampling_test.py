#!/usr/bin/python3
"""Do sampled runs say what they ran, count what all CTAs would, check what ran, and come close to full runs?"""

import json
import os
import sys
import unittest

import small_run
from small_run import tessera

SMALL = ["--set", "gpu.sms=2", "--set", "l2.slices=4", "--set", "dram.channels=2", "--set", "gpu.energy_table=none",
         "--set", "logging.level=error"]
LAYER = ["duplo_titan_v", "--set", "workload.layer.batch=16", "--set", "workload.layer.height=16",
         "--set", "workload.layer.width=16", "--set", "workload.layer.channels=16", "--set", "workload.layer.filters=64",
         "--set", "workload.tiling.cta_m=64", "--set", "workload.tiling.cta_n=32", "--set", "workload.tiling.warp_n=16",
         "--set", "workload.tiling.ctas_per_sm=1", "--set", "workload.im2col=functional"]
# 128 CTAs of 64 x 32, 64 waves of two.
CTAS, TILE = 128, 64 * 32
PRODUCT = ["v100", "library", "--set", "workload.gemm.m=1024", "--set", "workload.gemm.n=1000", "--set",
           "workload.gemm.k=64", "--set", "workload.kernel=64x64", "--set", "workload.repeat=1"]


class Sampling(small_run.InFolder):
    def result(self, *arguments, code=0):
        folder = os.path.join(self.folder, f"run{len(os.listdir(self.folder))}")
        process = tessera("run", "-q", *SMALL, *arguments, "--out", folder)
        self.assertEqual(process.returncode, code, process.stderr)
        with open(os.path.join(folder, "result.json"), encoding="utf-8") as file:
            return json.load(file), folder

    def page(self, folder):
        with open(os.path.join(folder, "summary.txt"), encoding="utf-8") as file:
            return file.read()

    def close(self, *arguments):
        """Full and sampled result, the sampled time within the interval, or within a hundredth where that is less."""
        full, _ = self.result(*arguments)
        sampled, folder = self.result(*arguments, "--sample")
        self.assertNotIn("sampled", full)
        self.assertTrue(sampled["sampled"])
        kernel, sample = sampled["kernels"][-1], sampled["kernels"][-1]["sample"]
        self.assertEqual(kernel["cycles"], sampled["metrics"]["cycles"])
        self.assertLess(sample["simulated_cycles"], full["metrics"]["cycles"])
        self.assertEqual(sample["ctas"] + sample["skipped_waves"] * sample["ctas_of_a_wave"], kernel["ctas"])
        self.assertEqual(sample["ctas"], sampled["metrics"]["sampled_ctas"])
        error = abs(kernel["cycles"] - full["metrics"]["cycles"])
        self.assertLessEqual(error, max(sample["half_width_cycles"], full["metrics"]["cycles"] / 100), arguments)
        self.assertIn(f"SAMPLED: {sample['ctas']} of {kernel['ctas']} CTAs ran", self.page(folder))
        return full, sampled

    def test_counts_are_those_of_all_ctas(self):
        full, sampled = self.close(*LAYER)
        self.assertEqual(sampled["kernels"][-1]["ctas"], CTAS)
        for metric in ("mmas", "warp_instructions"):  # CTAs are alike
            self.assertEqual(sampled["metrics"][metric], full["metrics"][metric])
        self.assertEqual(sampled["kernels"][-1]["statistics"]["sm"]["ctas"], CTAS)
        busy = [result["metrics"]["tensor_utilisation_percent"] * result["metrics"]["cycles"] for result in (full, sampled)]
        self.assertAlmostEqual(busy[1] / busy[0], 1, delta=1e-3)

    def test_mechanisms_and_levels_of_timing(self):
        for arguments in (["duplo_paper", "--set", "workload.tiling.ctas_per_sm=1"], ["--set", "timing=at"]):
            with self.subTest(arguments=arguments):
                self.close(*LAYER, *arguments)

    def test_results_of_ctas_that_ran_are_checked(self):
        for arguments, tile in (([*LAYER, "--set", "values=on"], TILE), ([*PRODUCT, "--set", "values=on"], 64 * 64)):
            with self.subTest(arguments=arguments):
                full, sampled = self.close(*arguments)
                ctas = sampled["metrics"]["sampled_ctas"]
                outputs = sampled["verification"]["outputs"]
                self.assertLess(outputs, full["verification"]["outputs"])
                self.assertLessEqual(outputs, ctas * tile)
                self.assertGreater(outputs, 0.9 * ctas * tile)  # some at the edge are smaller

    def test_wrong_results_are_found(self):
        wrong = [*LAYER, "duplo_paper", "--set", "workload.tiling.ctas_per_sm=1", "--set", "duplo.id_formula=paper",
                 "--set", "workload.layer.stride=2", "--set", "workload.layer.batch=64", "--set", "values=on"]
        result, _ = self.result(*wrong, "--sample", code=1)
        self.assertTrue(result["sampled"])
        self.assertGreater(result["verification"]["mismatches"], 0)

    def test_kernels_that_others_read_run_in_full_with_values(self):
        result, folder = self.result(*LAYER, "--set", "workload.im2col=timed", "--set", "values=on", "--sample")
        self.assertNotIn("sample", result["kernels"][0])
        self.assertIn("not sampled: the next kernel reads its values", self.page(folder))

    def test_few_waves_run_in_full(self):
        result, folder = self.result(*LAYER, "--set", "workload.tiling.cta_limit=39", "--sample")
        self.assertFalse(result["sampled"])
        self.assertEqual(result["kernels"][0]["sample"]["ctas"], 39)
        self.assertIn("not sampled, all CTAs ran: 19 waves of 2 CTAs", self.page(folder))

    def test_the_same_sample_gives_the_same_bytes(self):
        folders = [self.result(*LAYER, "--sample")[1] for _ in range(2)]
        self.assertEqual(tessera("compare", *folders, "--expect-equal").returncode, 0)

    def test_a_smaller_error_takes_more_ctas(self):
        asked = [self.result(*LAYER, "--sample", "--set", f"sample.error_percent={percent}")[0] for percent in (20, 0.05)]
        self.assertLess(*(one["metrics"].get("sampled_ctas", CTAS) for one in asked))

    def test_opportunistic_computing_keeps_its_laws(self):
        result, _ = self.result("gtx480_56sm", "opportunistic", "--set", "gpu.sms=7", "--set", "dram.channels=8", "--set",
                                "l2.slices=8", "--set", "workload.layer.batch=64", "--set", "workload.layer.height=16",
                                "--set", "workload.layer.width=16", "--set", "workload.layer.channels=2", "--set",
                                "workload.layer.filters=8", "--set", "sm.max_ctas=2", "--sample")
        self.assertTrue(result["sampled"])
        self.assertEqual(result["violations"], [])


if __name__ == "__main__":
    small_run.TESSERA = os.path.abspath(sys.argv.pop(1))
    unittest.main()
