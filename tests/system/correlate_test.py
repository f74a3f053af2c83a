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


class Correlate(Cli):
    def correlate(self, *arguments):
        return tessera("correlate", self.file("table.csv", TABLE), self.small, "--out", self.out(), *arguments)

    def result(self):
        with open(os.path.join(self.out(), "correlation.json"), encoding="utf-8") as file:
            return json.load(file)

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

    def test_list_runs_nothing(self):
        done = self.correlate("--list")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("table.csv:3: second, 20 us\n", done.stdout)
        self.assertIn("2 runs for 3 rows\n", done.stdout)
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
