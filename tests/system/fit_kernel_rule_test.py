#!/usr/bin/python3
"""Does tools/fit_kernel_rule find the numbers that times were made with, and see when its rule is not the program's?"""

import csv
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "tools", "fit_kernel_rule")
PRODUCTS = os.path.join(ROOT, "configs", "reference", "results", "fit_products.csv")
TESSERA = None
# Parameters of a machine whose kernels wait less and reach more than those of v100.
TRUTH = (250, 0.9, 1.3, 0.75, 0.8, 5, 200, 1500)


def load_tool():
    loader = importlib.machinery.SourceFileLoader("fit_kernel_rule", TOOL)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("fit_kernel_rule", loader))
    loader.exec_module(module)
    return module


class FitKernelRule(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, data):
        path = os.path.join(self.folder.name, "tune.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(data if isinstance(data, str) else json.dumps(data))
        return path

    def run_tool(self, path):
        return subprocess.run([TOOL, "--tessera", TESSERA, path], capture_output=True, text=True, check=False)

    def made_times(self, truth):
        tool = load_tool()
        machine = tool.Machine.of(TESSERA, ["v100", "library"])
        numbers = tool.numbers_in_source()
        rows = []
        with open(PRODUCTS, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                shape = [row[key] for key in ("m", "n", "k", "transpose_a", "transpose_b")]
                product = (*map(int, shape[:3]), *shape[3:])
                timed = []
                for name, tile in tool.kernels().items():
                    for parts in (1, 2, 8):
                        case = tool.Case(machine, product, tile, parts)
                        timed.append({"name": name if parts == 1 else f"{name}.split{parts}", "cycles": case.expected(truth),
                                      "expected_cycles": case.expected(numbers)})
                rows.append({"name": " ".join(shape), "kernels": timed})
        return {"configurations": ["v100", "library"], "rows": rows}

    def test_finds_what_times_were_made_with(self):
        done = self.run_tool(self.write(self.made_times(TRUTH)))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        found = [float(line.split()[2]) for line in lines[1:9]]
        for number, truth in zip(found, TRUTH):
            self.assertLess(abs(number / truth - 1), 0.02, done.stdout)
        before, after = (line for line in lines if "residual" in line)
        self.assertIn("found: residual 0.0 %", after)
        self.assertNotIn("residual 0.0 %", before)
        self.assertIn("the choice takes 0.0 % more", lines[-1])

    def test_the_rule_is_that_of_the_program(self):
        """The tool accepts the stored tables of tessera tune, whose cycles are the program's, and reports a changed
        one."""
        path = os.path.join(ROOT, "configs", "reference", "results", "tune_products_tune.json")
        self.assertEqual(self.run_tool(path).returncode, 0)
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        data["rows"][3]["kernels"][0]["expected_cycles"] *= 1.01
        done = self.run_tool(self.write(data))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("tune.json: 1 of the rule's cycles differ: ", done.stderr)

    def test_mistakes(self):
        for text, message in (("{}", "expected the tune.json of products"), ("no json", "expected the tune.json of products"),
                              ('{"configurations": ["v101"], "rows": []}', "unknown configuration 'v101'")):
            done = self.run_tool(self.write(text))
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn(message, done.stderr)
        self.assertIn("No such file", self.run_tool("none.json").stderr)


if __name__ == "__main__":
    TESSERA = os.path.abspath(sys.argv.pop(1))
    unittest.main()
