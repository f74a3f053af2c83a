#!/usr/bin/python3
"""Checks that the commands of docs/getting-started.md print the output that the page shows.

Runs every tessera command of the page's console blocks in a folder of its own, one after the other, and looks for the
lines that the page shows below it: one behind the other, and other lines only where the page has a line `...`. A line
that ends with `...` stands for every line that begins so.

Usage: getting_started_test.py TESSERA_PROGRAM
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = None


def examples(text):
    """(command, lines below it) for each command of the console blocks."""
    for block in re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for example in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *lines = example.splitlines()
            yield command, lines


def missing_line(shown, printed):
    """The first line of `shown` that is not where it should be in `printed`; None if all are."""
    at, may_skip = 0, False
    for line in shown:
        if line == "...":
            may_skip = True
            continue
        places = range(at, len(printed) if may_skip else min(at + 1, len(printed)))
        found = next((place for place in places if matches(line, printed[place])), None)
        if found is None:
            return line
        at, may_skip = found + 1, False
    return None if at == len(printed) or may_skip else "(end of the output)"


def matches(line, printed):
    return printed.startswith(line[:-3]) if line.endswith("...") else printed == line


class GettingStarted(unittest.TestCase):
    def test_every_command_prints_what_the_page_shows(self):
        with open(os.path.join(ROOT, "docs", "getting-started.md"), encoding="utf-8") as handle:
            commands = list(examples(handle.read()))
        self.assertGreater(len(commands), 8)
        has_rtl = "no blocks:" not in subprocess.run([PROGRAM, "cosim", "--list"], capture_output=True, text=True,
                                                     check=True).stdout
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "waveforms"))
            for command, shown in commands:
                words = command.split()
                self.assertEqual(words[0], "tessera")
                if not has_rtl and (words[1] == "cosim" or "impl." in command):
                    continue
                with self.subTest(command):
                    process = subprocess.run([PROGRAM, *words[1:]], capture_output=True, text=True, check=False,
                                             cwd=folder)
                    self.assertEqual(process.returncode, 1 if "--fault" in words else 0, process.stderr)
                    printed = (process.stdout + process.stderr * ("--fault" in words)).splitlines()
                    self.assertIsNone(missing_line(shown, printed), "\n".join(printed))


class CheckerFindsMistakes(unittest.TestCase):
    def test_lines(self):
        printed = ["a", "b", "c", "d"]
        self.assertIsNone(missing_line(["a", "...", "c", "d"], printed))
        self.assertIsNone(missing_line(["...", "b", "..."], printed))
        self.assertIsNone(missing_line(["one t..."], ["one two"]))
        self.assertEqual(missing_line(["one t..."], ["one one"]), "one t...")
        self.assertEqual(missing_line(["a", "c", "..."], printed), "c")
        self.assertEqual(missing_line(["...", "c", "...", "b", "..."], printed), "b")
        self.assertEqual(missing_line(["a", "b"], printed), "(end of the output)")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
