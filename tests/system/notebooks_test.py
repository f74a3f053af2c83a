#!/usr/bin/python3
"""Notebooks of docs/notebooks: they run cell by cell, and their outputs are of this program.

Usage: notebooks_test.py TESSERA [--write]

With --write the notebooks get the outputs of this program.
"""

import copy
import json
import os
import re
import sys
import unittest

import python_case
from python_case import ROOT, InFolder

WRITES = "--write" in sys.argv
if __name__ == "__main__":
    if WRITES:
        sys.argv.remove("--write")
    python_case.find_package()
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
import notebook as notebooks  # noqa: E402

FOLDER = os.path.join(ROOT, "docs", "notebooks")
# Outputs are the same on every machine: they have no path of one, no address of an object, no revision, and no hash
# of a configuration, which a new key changes.
OF_A_MACHINE = re.compile(r"/(?:tmp|home|root|usr)/|\bat 0x[0-9a-f]{6}|\b[0-9a-f]{12}\b|\b[0-9a-f]{16}\b")


def texts(data):
    return "".join("".join(value) for name, value in sorted(data.items()) if not name.startswith("image/"))


class Notebooks(InFolder):
    maxDiff = None

    def check(self, name):
        path = os.path.join(FOLDER, name)
        stored = notebooks.read(path)
        fresh = copy.deepcopy(stored)
        names = notebooks.execute(fresh, name)
        if WRITES:
            notebooks.write(fresh, path)
        self.assertEqual(4, stored["nbformat"])
        for was, now in zip(stored["cells"], fresh["cells"]):
            if was["cell_type"] != "code":
                continue
            with self.subTest(notebook=name, cell=was["id"]):
                self.assert_equal(was["outputs"], now["outputs"])
        self.assertGreater(sum("image/png" in output.get("data", {}) for cell in stored["cells"] for output in cell.get("outputs", [])), 0)
        return names

    def assert_equal(self, was, now):
        self.assertEqual([output["output_type"] for output in now], [output["output_type"] for output in was])
        for one, other in zip(was, now):
            self.assertEqual("".join(other.get("text", [])), "".join(one.get("text", [])))
            self.assertEqual(texts(other.get("data", {})), texts(one.get("data", {})))
            self.assertEqual(other.get("data", {}).get("image/png"), one.get("data", {}).get("image/png"))
        self.assertEqual([], OF_A_MACHINE.findall(json.dumps([{key: value for key, value in output.items() if key != "data"} for output in was])
                                                  + "".join(texts(output.get("data", {})) for output in was)))

    def test_each_has_a_test(self):
        tested = {name[len("test_"):] + ".ipynb" for name in dir(self) if name.startswith("test_")}
        self.assertEqual(set(), {name for name in os.listdir(FOLDER) if name.endswith(".ipynb")} - tested)

    def test_duplo_in_ten_minutes(self):
        names = self.check("duplo_in_ten_minutes.ipynb")
        self.assertLess(names["duplo"].cycles, names["baseline"].cycles)
        self.assertEqual(5, len(names["sweep"].runs))

    def test_my_own_mechanism(self):
        names = self.check("my_own_mechanism.ipynb")
        self.assertEqual(["mine", "paper"], sorted(names["gains"].index))
        self.assertTrue(os.path.exists("mine.fst"))

    def test_my_pytorch_model(self):
        names = self.check("my_pytorch_model.ipynb")
        self.assertEqual(["v100", "duplo_staged", "dual_implicit_paper"], list(names["network"].variants.index))


if __name__ == "__main__":
    unittest.main()
