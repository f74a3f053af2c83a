"""Base class of the tests of `tessera sweep` and of the tools that use its results."""

import csv
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from sweep_trial import TRIAL, read


# Tests that were started to ignore Ctrl-C, by a script in the background say, send it all the same.
signal.signal(signal.SIGINT, signal.default_int_handler)


class SweepCase(unittest.TestCase):
    """A folder of its own with the trial in it; the program is given by the command line (sweep_main)."""

    program = ""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tessera_sweep_")
        self.addCleanup(shutil.rmtree, self.folder)
        self.experiment = self.write("trial.yaml", TRIAL)
        self.out = os.path.join(self.folder, "out")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as handle:
            handle.write(text)
        return path

    def tessera(self, *arguments, code=0, **more):
        process = subprocess.run([self.program, *arguments], capture_output=True, text=True, check=False,
                                 timeout=240, **more)
        self.assertEqual(process.returncode, code, f"{arguments}\n{process.stdout}\n{process.stderr}")
        return process

    def sweep(self, *arguments, code=0, **more):
        return self.tessera("sweep", self.experiment, "--out", self.out, *arguments, code=code, **more)

    def run_folder(self, layer, variant):
        return os.path.join(self.out, "runs", layer, variant)

    def rows(self):
        return list(csv.DictReader(read(self.out, "summary.csv").splitlines()))

    def assert_user_error(self, process, expected):
        self.assertEqual(process.stderr.count("\n"), 1, process.stderr)
        self.assertIn(expected, process.stderr)


def sweep_main():
    """Runs the tests of a script with the program that is its first argument."""
    SweepCase.program = sys.argv.pop(1)
    unittest.main()
