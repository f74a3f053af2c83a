#!/usr/bin/python3
"""Does tools/bench run both programs, compare their cycles and find the interval of a median? Not how long they take.

Usage: bench_test.py TESSERA
"""

import importlib.machinery
import importlib.util
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

import small_run

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "tools", "bench")


def load_tool():
    loader = importlib.machinery.SourceFileLoader("bench", TOOL)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


bench = load_tool()


class Bench(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.layer = os.path.join(self.folder, "small.yaml")
        with open(self.layer, "w", encoding="utf-8") as handle:
            handle.write(small_run.SMALL)
        run = ["run", "duplo_titan_v", self.layer]
        bench.CASES["small"] = ("a small layer", [run, [*run, "--set", "workload.layer.batch=2"]])
        self.addCleanup(bench.CASES.pop, "small")

    def other_program(self, *changes):
        """The program, but every run has these further arguments."""
        path = os.path.join(self.folder, "other")
        with open(path, "w", encoding="utf-8") as handle:
            handle.write(f'#!/bin/sh\nexec {small_run.TESSERA} "$@" {" ".join(changes)}\n')
        os.chmod(path, 0o755)
        return path

    def compare(self, old):
        return bench.compare("small", old, small_run.TESSERA, 2, self.folder)

    def test_a_program_is_as_right_as_itself(self):
        result = self.compare(small_run.TESSERA)
        self.assertTrue(result["cycles_equal"])
        self.assertEqual((len(result["old_seconds"]), len(result["new_seconds"])), (2, 2))
        self.assertGreater(min(result["old_seconds"] + result["new_seconds"]), 0)
        self.assertLessEqual(result["least_ratio"], result["ratio"])
        self.assertIsNone(result["interval"])

    def test_threads_are_those_of_the_new_program(self):
        result = bench.compare("small", small_run.TESSERA, small_run.TESSERA, 1, self.folder, threads=2)
        self.assertTrue(result["cycles_equal"])
        self.assertEqual(result["seconds"], "wall")
        self.assertGreater(result["memory_ratio"], 0)
        with self.assertRaisesRegex(bench.UserError, "host.threads=999: got '999'"):
            bench.compare("small", small_run.TESSERA, small_run.TESSERA, 1, self.folder, threads=999)

    def test_other_cycles_are_noticed(self):
        self.assertFalse(self.compare(self.other_program("--set", "dram.t_cl_cycles=40"))["cycles_equal"])

    def test_a_run_that_fails_is_named(self):
        with self.assertRaisesRegex(bench.UserError, "ended with 2: .*no_such_key"):
            self.compare(self.other_program("--set", "no_such_key=1"))

    def test_the_interval_of_a_median_holds_it_at_95_percent(self):
        self.assertIsNone(bench.interval_of_median([1, 2, 3, 4, 5]))
        for n in range(6, 40):
            low, high = bench.interval_of_median(list(range(1, n + 1)))
            self.assertEqual(high, n + 1 - low)
            outside = [2 * sum(math.comb(n, i) for i in range(k)) / 2 ** n for k in (low, low + 1)]
            self.assertLessEqual(outside[0], 0.05)
            self.assertGreater(outside[1], 0.05)

    def test_every_case_is_one_that_the_program_takes(self):
        bench.write_traces(small_run.TESSERA, ["trace_lt"], self.folder)
        for name, (_, commands) in bench.CASES.items():
            for command in commands:
                arguments = [part.format(traces=self.folder) if "{traces}" in part else part for part in command]
                check = ["--list"] if command[0] == "sweep" else ["--dry-run"]
                process = small_run.tessera(*arguments, *check)
                self.assertEqual(process.returncode, 0, f"{name}: {process.stderr}")

    def test_wrong_input_is_one_line(self):
        for arguments, words in (([], "no program to compare with"), (["/bin/true"], "says nothing of tessera"),
                                 (["/no/such"], "No such file"), ([small_run.TESSERA, "nope"], "no case 'nope'"),
                                 ([small_run.TESSERA, "--pairs", "0"], "--pairs: got 0")):
            process = subprocess.run([TOOL, *arguments], capture_output=True, text=True, check=False)
            self.assertEqual((process.returncode, len(process.stderr.splitlines())), (2, 1), process.stderr)
            self.assertIn(words, process.stderr)

    def test_results_are_written_whole(self):
        path = os.path.join(self.folder, "bench.json")
        bench.write(path, {"cases": [self.compare(small_run.TESSERA)]})
        with open(path, encoding="utf-8") as handle:
            self.assertEqual(json.load(handle)["cases"][0]["case"], "small")


if __name__ == "__main__":
    small_run.TESSERA = os.path.abspath(sys.argv.pop(1))
    unittest.main()
