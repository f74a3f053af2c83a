#!/usr/bin/python3
"""The help of commands with many runs says how many there are, as --list does."""

import os
import re
import subprocess
import sys
import unittest


class HelpOnRuns(unittest.TestCase):
    @staticmethod
    def tessera(*arguments):
        process = subprocess.run([TESSERA, *arguments], capture_output=True, text=True, check=False, timeout=300)
        assert process.returncode == 0, process.stderr
        return process.stdout

    def counts(self, pattern, *arguments):
        found = re.search(pattern, self.tessera(*arguments), re.MULTILINE)
        self.assertTrue(found, arguments)
        return found.groups()

    def test_reproduce(self):
        for figures in (["O.area"], ["D.fig13"], []):
            runs, numbers, quick = self.counts(r"^Runs: (\d+) for (\d+) numbers, with --quick (\d+)", "reproduce", *figures, "--help")
            self.assertEqual(self.counts(r"^(\d+) runs.* for (\d+) numbers", "reproduce", *figures, "--quick", "--list"), (quick, numbers))
            if figures:  # of all figures --list takes long
                self.assertEqual(self.counts(r"^(\d+) runs.* for (\d+) numbers", "reproduce", *figures, "--list"), (runs, numbers))

    def test_atlas(self):
        figure = "O.fig6.intra.c1.time"
        runs, = self.counts(r"^Runs: (\d+) of 1 studies", "atlas", figure, "--help")
        self.assertEqual(self.counts(r": \d+ points, (\d+) runs", "atlas", figure, "--list"), (runs,))

    def test_sweep(self):
        name = "opportunistic_storage"
        runs, = self.counts(r"^Runs: (\d+);", "sweep", name, "--help")
        self.assertEqual(self.counts(r"^(\d+) runs", "sweep", name, "--list"), (runs,))
        shipped, = self.counts(r"^Runs of the shipped experiments: (.*)\.$", "sweep", "--help")
        self.assertIn(f"{name} {runs}", shipped.split(", "))
        sections = self.tessera("config", "--names").split("experiments:\n")[1].split("layers of networks:")[0]
        self.assertEqual([each.split()[0] for each in shipped.split(", ")], sections.split())

    def test_names_that_there_are_not_leave_the_help(self):
        self.assertIn("Usage: ", self.tessera("reproduce", "D.fig99", "--help"))
        self.assertIn("Usage: ", self.tessera("sweep", "nothing", "--help"))


if __name__ == "__main__":
    TESSERA = os.path.abspath(sys.argv.pop(1))
    unittest.main()
