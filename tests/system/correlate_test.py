#!/usr/bin/python3
"""`tessera correlate`: every row of a table is run with its settings, rows with the same ones once; what is there is kept; the
page, the numbers and the exit code say how far the model is from the table."""

import json
import os
import sys
import unittest

import small_run
from small_run import Cli, tessera

TABLE = "name,workload.layer.filters,us\nfirst,32,10\nsecond,64,20\nthird,32,30\nnot measured,96,\n"

# Strides beyond the filter, 1 x N filters, channels that are no multiple of 8, one image, groups to depthwise, pixels that no
# tap meets, filters as large as the input.
LAYERS = ("batch,height,width,channels,filters,filter_height,filter_width,pad_height,pad_width,stride_height,stride_width,"
          "dilation,groups,forward_ms,backward_data_ms,backward_weight_ms\n"
          "1,9,9,8,8,2,2,0,0,3,3,1,1,1,1,1\n"
          "1,1,30,3,5,1,7,0,3,1,2,1,1,1,1,1\n"
          "2,5,6,20,12,3,3,1,1,1,1,2,1,1,1,1\n"
          "1,7,7,48,48,1,1,3,3,2,2,1,1,1,1,1\n"
          "1,6,6,24,24,3,3,1,1,2,2,1,24,1,1,1\n"
          "3,4,5,16,40,4,5,0,0,1,1,1,4,1,1,1\n"
          "1,1,1,8,8,1,1,0,0,1,1,1,1,1,1,1\n")


class Correlate(Cli):
    def correlate(self, *arguments):
        return tessera("correlate", self.file("table.csv", TABLE), self.small, "--out", self.out(), *arguments)

    def result(self):
        with open(os.path.join(self.out(), "correlation.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_a_sample_is_the_first_of_each_n_rows(self):
        done = self.correlate("--every", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = self.result()
        self.assertEqual((result["every"], [row["name"] for row in result["rows"]]), (2, ["first", "third"]))
        wrong = self.correlate("--every", "0")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("--every", wrong.stderr)

    def test_rows_are_run_with_their_settings_and_once(self):
        done = self.correlate("-j", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("correlation: 2 runs", done.stderr)
        result = self.result()
        rows = {row["name"]: row for row in result["rows"]}
        self.assertEqual(list(rows), ["first", "second", "third"])
        self.assertEqual(rows["first"]["model_us"], rows["third"]["model_us"])
        for name, filters in (("first", 32), ("second", 64)):
            out = os.path.join(self.folder, name)
            alone = tessera("run", "-q", self.small, "--set", f"workload.layer.filters={filters}", "--out", out)
            self.assertEqual(alone.returncode, 0, alone.stderr)
            with open(os.path.join(out, "result.json"), encoding="utf-8") as file:
                cycles = json.load(file)["metrics"]["cycles_of_all_kernels"]
            self.assertAlmostEqual(rows[name]["model_us"], cycles / 1200)
            self.assertAlmostEqual(rows[name]["error_percent"], 100 * (rows[name]["model_us"] / rows[name]["card_us"] - 1))
        errors = [abs(row["error_percent"]) for row in result["rows"]]
        self.assertAlmostEqual(result["mean_absolute_error_percent"], sum(errors) / 3)
        self.assertIn(f"mean absolute error {sum(errors) / 3:.1f} %", done.stdout)
        for name in ("correlation.html", "correlation.svg"):
            with open(os.path.join(self.out(), name), encoding="utf-8") as file:
                self.assertEqual(file.read().count("<circle"), 3)
        again = self.correlate("-j", "2")
        self.assertEqual((again.returncode, again.stdout), (0, done.stdout))
        self.assertNotIn("first model (", again.stderr)

    def test_the_bound_decides_the_exit_code(self):
        self.assertEqual(self.correlate("--within", "1000").returncode, 0)
        beyond = self.correlate("--within", "1")
        self.assertEqual(beyond.returncode, 1)
        self.assertIn("check failed: mean absolute error", beyond.stderr)

    def test_keys_that_rows_do_not_read_pass_where_allowed(self):
        table = self.file("keys.csv", "name,workload.layer.filters,duplo.lhb.entries,us\nfirst,32,64,10\n")
        arguments = ("correlate", table, self.small, "--out", self.out())
        refused = tessera(*arguments)
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("which has no effect in this run", refused.stderr)
        allowed = tessera(*arguments, "--allow-unused")
        self.assertEqual(allowed.returncode, 0, allowed.stderr)
        self.assertEqual([row["name"] for row in self.result()["rows"]], ["first"])

    def test_list_runs_nothing(self):
        done = self.correlate("--list")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("table.csv:3: second, 20 us\n", done.stdout)
        self.assertIn("2 runs for 3 rows\n", done.stdout)
        self.assertFalse(os.path.exists(self.out()))

    def test_rows_of_any_shape_run(self):
        """Nobody has seen the rows that a user brings: they are run, or refused with their line."""
        products = self.file("products.csv", "m,n,k,transpose_a,transpose_b,us\n1,1,1,N,N,1\n7,65,13,T,T,1\n33,2,100,T,N,1\n"
                             "130,9,31,N,T,1\n")
        layers = self.file("layers.csv", LAYERS)
        small = ("v100", "--set", "gpu.sms=2")
        done = tessera("correlate", products, *small, "library", "--out", self.path("products"))
        self.assertEqual(done.returncode, 0, done.stderr)
        for config in ("cudnn", "library"):
            for time in ("forward_ms", "backward_data_ms", "backward_weight_ms"):
                out = self.path(f"{config}_{time}")
                done = tessera("correlate", layers, *small, config, "--time", time, "--out", out)
                self.assertEqual(done.returncode, 0, done.stderr)
                with open(os.path.join(out, "correlation.json"), encoding="utf-8") as file:
                    rows = json.load(file)["rows"]
                self.assertEqual(len(rows), LAYERS.count("\n") - 1)
                self.assertTrue(all(row["model_us"] > 0 for row in rows))

    def test_rows_that_lack_something_are_refused(self):
        for table, expected in (
                ("m,n,us\n8,8,1\n", "bad.csv:2: no k, expected all of {workload.gemm.m, workload.gemm.n, workload.gemm.k}"),
                ("m,n,k,us\n8,8,8,1\n8,,8,1\n", "bad.csv:3: no n, expected all of"),
                ("m,n,k,us\n8,8,8\n", "bad.csv:2: got 3 columns, expected 4"),
                ("m,n,k,us\n8,8,8,-1\n", "bad.csv:2: column 'us': got '-1', expected a number above 0"),
                ("m,n,k,us,forward_ms\n8,8,8,1,1\n", "bad.csv:1: 2 columns of times, name one of {us, forward_ms}"),
                ("m,n,k,us\n8,8,0,1\n", "bad.csv:2: --set workload.gemm.k=0: got '0'"),
                ("m,n,k,us\n8,8,x,1\n", "bad.csv:2: --set workload.gemm.k=x: got 'x'"),
                ("m,n,k,workload.kernel,us\n8,8,8,63x64,1\n", "bad.csv:2: --set workload.kernel=63x64: got '63x64', expected one of"),
                ("m,n,k,workload.split_k,us\n8,8,8,4,1\n", "bad.csv:2: --set workload.split_k=4: got 4, expected at most 1")):
            self.assert_refused(tessera("correlate", self.file("bad.csv", table), "v100", "library", "--out", self.out()), expected)
        self.assertFalse(os.path.exists(self.out()))
        layer = "batch,height,width,channels,filters,filter_height,filter_width,groups,us\n"
        for table, expected in (
                ("height,us\n8,1\n", "bad.csv:2: no width, expected all of {workload.layer.height, "),
                (layer + "1,8,8,8,8,3,3,1,1\n1,8,8,12,8,3,3,8,1\n", "bad.csv:3: --set workload.layer.groups=8: got '8', expected a divisor"),
                (layer + "1,2,8,8,8,5,3,1,1\n", "bad.csv:2: --set workload.layer.filter_height=5: got 5, expected a filter that covers")):
            self.assert_refused(tessera("correlate", self.file("bad.csv", table), "v100", "cudnn", "--set", "workload.layer.pad=0",
                                        "--out", self.out()), expected)
        self.assertFalse(os.path.exists(self.out()))

    def test_mistakes_are_one_line(self):
        table = self.file("table.csv", TABLE)
        for arguments, expected in (
                ((self.path("none.csv"), self.small), "none.csv: No such file or directory"),
                ((self.folder, self.small), "Is a directory"),
                ((table, "warp_drive"), "tessera: unknown configuration 'warp_drive'"),
                ((table, self.small, "--column", "name"), "--column: got 'name', expected NAME=KEY"),
                ((table, self.small, "--time", "ms"), "no column 'ms'"),
                ((self.file("speed.csv", "speed,us\n1,2\n"), self.small), "speed.csv:1: column 'speed'"),
                ((self.file("words.csv", "workload.layer.filters,us\n32,2\nmany,2\n"), self.small),
                 "words.csv:3: --set workload.layer.filters=many: got 'many'"),
                ((self.file("key.csv", "workload.layer.filter,us\n1,2\n"), self.small), "key.csv:2: --set "),
                ((self.file("time.csv", "workload.layer.filters,us\n32,fast\n"), self.small), "time.csv:2: column 'us': got 'fast'")):
            self.assert_refused(tessera("correlate", *arguments, "--list"), expected)


if __name__ == "__main__":
    small_run.TESSERA = sys.argv.pop(1)
    unittest.main()
