#!/usr/bin/python3
"""tools/plot_duplo.py draws a made-up sweep, and says in one line what is wrong with a bad one."""

import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEADER = "layer,variant,cycles,speedup_percent,hit_rate_percent\n"
GOOD = HEADER + "resnet.C1,baseline,100,0,\nresnet.C1,lhb_1024,80,25,60\nresnet.C1,oracle,78,28.2,70\n"


def plot(summary, *options):
    """Runs the tool on a results folder that holds `summary`: (process, size of the image or None)."""
    with tempfile.TemporaryDirectory() as results:
        if summary is not None:
            with open(os.path.join(results, "summary.csv"), "w", encoding="utf-8") as handle:
                handle.write(summary)
        image = os.path.join(results, "figures.png")
        process = subprocess.run(
            [sys.executable, os.path.join(ROOT, "tools", "plot_duplo.py"), results, *options],
            capture_output=True, text=True, check=False)
        return process, os.path.getsize(image) if os.path.exists(image) else None


class PlotDuplo(unittest.TestCase):
    def test_draws(self):
        process, size = plot(GOOD)
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertGreater(size, 10_000)

    def assert_user_error(self, summary, expected, *options):
        process, size = plot(summary, *options)
        self.assertEqual(process.returncode, 2, process.stderr)
        self.assertEqual(process.stderr.count("\n"), 1, process.stderr)
        self.assertIn(expected, process.stderr)
        self.assertIsNone(size)

    def test_missing_file(self):
        self.assert_user_error(None, "summary.csv: No such file")

    def test_missing_column(self):
        self.assert_user_error(GOOD.replace("hit_rate_percent", "other"), "no column hit_rate_percent")

    def test_not_a_number(self):
        self.assert_user_error(GOOD.replace("28.2", "fast"), "summary.csv:4: ")

    def test_nothing_to_draw(self):
        self.assert_user_error(HEADER, "no row has a hit rate")

    def test_unknown_variant(self):
        self.assert_user_error(GOOD, "no variant 'lhb_1'", "--variants", "oracle,lhb_1")


if __name__ == "__main__":
    unittest.main()
