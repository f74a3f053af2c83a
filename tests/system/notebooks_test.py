#!/usr/bin/python3
"""Notebooks of docs/notebooks, run cell by cell.

Usage: notebooks_test.py TESSERA
"""

import json
import os
import unittest

import python_case
from python_case import ROOT, InFolder

if __name__ == "__main__":
    python_case.find_package()


class Notebooks(InFolder):
    def run_notebook(self, name):
        with open(os.path.join(ROOT, "docs", "notebooks", name), encoding="utf-8") as file:
            notebook = json.load(file)
        names = {"__name__": "__main__"}
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                text = "".join(cell["source"])
                try:
                    exec(compile(text, f"{name} {cell['id']}", "exec"), names)  # pylint: disable=exec-used
                except Exception as error:
                    raise AssertionError(f"{name}, cell {cell['id']}: {error!r}\n{text}") from error
        return names

    def test_duplo_in_ten_minutes(self):
        names = self.run_notebook("duplo_in_ten_minutes.ipynb")
        self.assertLess(names["duplo"].cycles, names["baseline"].cycles)
        self.assertEqual(5, len(names["sweep"].runs))

    def test_my_own_mechanism(self):
        names = self.run_notebook("my_own_mechanism.ipynb")
        self.assertEqual(["mine", "paper"], sorted(names["gains"].index))
        self.assertTrue(os.path.exists("mine.fst"))


if __name__ == "__main__":
    unittest.main()
