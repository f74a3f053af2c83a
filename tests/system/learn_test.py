#!/usr/bin/python3
"""Pages of docs/learn and docs/testbenches.md show what the testbenches print. Each `text` block behind a command
`tools/testbench NAME ...` is a part of its output; a line `...` stands for any lines. A `csv` block is the file of the next
--stimulus. Each row of the table of planted errors is what the report of that error states.

Usage: learn_test.py FOLDER_OF_PROGRAMS
"""

import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = None  # folder of the testbenches
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GUIDE = os.path.join(ROOT, "docs", "testbenches.md")


def blocks_of(page):
    """Pairs of the language and the text of the fenced blocks."""
    with open(page, encoding="utf-8") as file:
        return re.findall(r"^```(\w+)\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)


class Pages(unittest.TestCase):
    def output_of(self, command, folder):
        name, *options = shlex.split(command)[1:]
        program = os.path.join(PROGRAMS, name + "_testbench")
        process = subprocess.run([program, *options], capture_output=True, text=True, check=False, cwd=folder)
        self.assertIn(process.returncode, (0, 1), process.stderr)
        return process.stdout

    def write_stimulus(self, command, text, folder):
        file = re.search(r"--stimulus (\S+)", command)
        if file:
            with open(os.path.join(folder, file[1]), "w", encoding="utf-8") as handle:
                handle.write(text)

    def check(self, page, folder):
        """Returns the number of compared blocks."""
        output, stimulus, compared = None, None, 0
        for language, text in blocks_of(page):
            if language == "csv":
                stimulus, output = text, None
            elif language == "sh":
                output = None
                for line in text.splitlines():
                    command = line.split("#")[0].strip()
                    if command.startswith("tools/testbench "):
                        self.write_stimulus(command, stimulus, folder)
                        output = self.output_of(command, folder)
            elif language == "text" and output is not None:
                for part in re.split(r"^ *\.\.\.\n", text, flags=re.MULTILINE):
                    self.assertIn(part, output)
                compared += 1
        return compared

    def test_output(self):
        pages = sorted(glob.glob(os.path.join(ROOT, "docs", "learn", "*.md"))) + [GUIDE]
        self.assertTrue(pages)
        for page in pages:
            with self.subTest(page=os.path.basename(page)), tempfile.TemporaryDirectory(prefix="learn_") as folder:
                self.assertGreater(self.check(page, folder), 0)

    def test_table_of_planted_errors(self):
        with open(GUIDE, encoding="utf-8") as file:
            rows = re.findall(r"^\| `(\w+)` \| .* \(`(\w+)`\) \| (.*) \|$", file.read(), re.MULTILINE)
        programs = glob.glob(os.path.join(PROGRAMS, "*_testbench"))
        self.assertEqual(sorted(os.path.basename(p)[:-len("_testbench")] for p in programs), [name for name, _, _ in rows])
        for name, error, words in rows:
            with self.subTest(testbench=name, error=error):
                output = self.output_of(f"tools/testbench {name} --plant {error}", None)
                found = re.search(r"first divergence in cycle (\d+): (.*)\n  expected (.*)\n  got      (.*)", output)
                self.assertTrue(found, output)
                self.assertEqual(words, f"{found[2]}: expected {found[3]}, got {found[4]} (cycle {found[1]})")


if __name__ == "__main__":
    PROGRAMS = os.path.abspath(sys.argv.pop(1))
    unittest.main()
