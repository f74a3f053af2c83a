#!/usr/bin/python3
"""The experiments that ship are those of docs/experiments.md, each valid and with as many runs as it says.

Usage: experiments_test.py TESSERA
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TESSERA = ""


def runs_of(experiment):
    """The number of runs that `tessera sweep --list` prints."""
    listed = subprocess.run([TESSERA, "sweep", experiment, "--list"], capture_output=True, text=True, check=True).stdout
    return int(re.search(r"\n(\d+) runs(?: \(\d+ of them equal to others\))?\n$", listed).group(1))


class Documented(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(ROOT, "docs", "experiments.md"), encoding="utf-8") as handle:
            self.document = handle.read()

    def test_the_example(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8") as example:
            example.write(re.search(r"```yaml\n(.*?)```", self.document, re.S).group(1))
            example.flush()
            self.assertEqual(runs_of(example.name), 20)

    def test_those_that_ship(self):
        listed = re.findall(r"^\| `(\w+)` \|.*\| (\d+) \|$", self.document, re.M)
        shipped = os.listdir(os.path.join(ROOT, "configs", "experiments"))
        self.assertEqual(sorted(name + ".yaml" for name, _ in listed), sorted(shipped))
        for name, runs in listed:
            with self.subTest(name):
                self.assertEqual(runs_of(name), int(runs))


if __name__ == "__main__":
    TESSERA = os.path.abspath(sys.argv.pop())
    unittest.main()
