#!/usr/bin/python3
"""Does tools/fit_power find the scale that powers were made with, and does its table of docs hold what the program gives?"""

import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "tools", "fit_power")
STORED = os.path.join(ROOT, "configs", "reference", "results", "v100_power.json")
TESSERA = None


def load_tool():
    loader = importlib.machinery.SourceFileLoader("fit_power", TOOL)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("fit_power", loader))
    loader.exec_module(module)
    return module


class FitPower(unittest.TestCase):
    def run_tool(self, *arguments):
        return subprocess.run([TOOL, "--tessera", TESSERA, *arguments], capture_output=True, text=True, check=False)

    def test_finds_the_scale(self):
        rows = [{"use": use, "always_on_w": on, "unscaled_w": of, "power_w": on + scale * of}
                for use, on, of, scale in (("fit", 60, 100, 0.7), ("fit", 80, 210, 0.7), ("check", 70, 150, 3))]
        self.assertAlmostEqual(load_tool().fitted(rows), 0.7)

    def test_the_stored_powers_are_of_this_program(self):
        with open(STORED, encoding="utf-8") as file:
            stored = {row["name"]: row for row in json.load(file)["rows"]}
        done = self.run_tool("--only", "cutlass_k1")
        self.assertEqual(done.returncode, 0, done.stderr)
        line = next(line for line in done.stdout.splitlines() if line.startswith("cutlass_k1"))
        self.assertAlmostEqual(float(line.split()[3]), stored["cutlass_k1"]["model_w"], delta=1)
        self.assertEqual({row["use"] for row in stored.values()}, {"fit", "check"})

    def test_static_power_is_of_the_busy_sms(self):
        tool = load_tool()
        prices = tool.Prices(tool.PRICES)
        self.assertAlmostEqual(prices.always_on(0), 32.325 + 48.949, places=2)  # AccelWattch's of the whole chip
        self.assertAlmostEqual(prices.always_on(80), 32.325 + 80 * 0.28279, places=2)

    def test_what_is_wrong_is_one_line(self):
        for arguments, message in ((("--only", "cutlass_k9"), "no product 'cutlass_k9'"), (("--clock", "0"), "expected 1 to 20000 MHz")):
            done = self.run_tool(*arguments)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn(message, done.stderr)
        done = subprocess.run([TOOL, "--tessera", "/bin/false", "--only", "cutlass_k1"], capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("cutlass_k1", done.stderr)


if __name__ == "__main__":
    TESSERA = sys.argv.pop(1)
    unittest.main()
