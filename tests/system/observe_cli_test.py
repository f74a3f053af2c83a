#!/usr/bin/python3
"""Watching a run changes nothing about it, and what cannot be watched is one clear line.

Usage: observe_cli_test.py TESSERA_PROGRAM
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None  # path of the tessera program
RUN = ["run", "duplo_titan_v", "duplo_paper", "resnet.C2", "--quiet", "--set", "gpu.sms=2",
       "--set", "workload.tiling.cta_limit=4"]


def tessera(*arguments):
    """The finished process of one small run."""
    return subprocess.run([PROGRAM, *RUN, *arguments], capture_output=True, text=True, check=False)


class Watching(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="observe_cli_")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), "rb") as handle:
            return handle.read()

    def assert_refused(self, expected, *arguments):
        """Exit code 2 and one line; no file is left."""
        process = tessera(*arguments)
        self.assertEqual(2, process.returncode, process.stderr)
        lines = [line for line in process.stderr.splitlines() if line.startswith("tessera:")]
        self.assertEqual(1, len(lines), process.stderr)
        self.assertIn(expected, lines[0])
        self.assertEqual([], os.listdir(self.folder))

    def test_results_are_the_same_bytes(self):
        plain = tessera("--out", self.path("plain"))
        self.assertEqual(0, plain.returncode, plain.stderr)
        watched = tessera("--out", self.path("watched"), "--wave", self.path("w.vcd"),
                          "--timeline", self.path("t.json"), "--wave-scope", "*")
        self.assertEqual(0, watched.returncode, watched.stderr)
        compared = [name for name in sorted(os.listdir(self.path("plain"))) if name != "host.json"]
        self.assertIn("result.json", compared)
        for name in compared:
            self.assertEqual(self.read(f"plain/{name}"), self.read(f"watched/{name}"), name)
        self.assertIn(b"$enddefinitions", self.read("w.vcd"))
        self.assertTrue(json.loads(self.read("t.json"))["traceEvents"])
        self.assertEqual(["plain", "t.json", "w.vcd", "watched"], sorted(os.listdir(self.folder)))

    def test_windows_change_no_results_either(self):
        self.assertEqual(0, tessera("--out", self.path("plain")).returncode)
        watched = tessera("--out", self.path("watched"), "--wave", self.path("w.vcd"),
                          "--wave-window", "500:900")
        self.assertEqual(0, watched.returncode, watched.stderr)
        self.assertEqual(self.read("plain/result.json"), self.read("watched/result.json"))

    def test_mistakes(self):
        wave = ["--wave", self.path("w.vcd")]
        self.assert_refused("expected two core cycles A:B", *wave, "--wave-window", "5")
        self.assert_refused("without --wave or --timeline", "--wave-window", "5:6")
        self.assert_refused("without --wave or --timeline", "--wave-scope", "sm0")
        self.assert_refused("'sm7' matches nothing; there are memory.", *wave, "--wave-scope", "sm7")
        self.assert_refused("cannot write", "--wave", self.path("no/such/folder/w.vcd"))
        self.assert_refused("cannot write", "--timeline", self.path("no/such/folder/t.json"))
        self.assert_refused("which is the file of --wave", *wave, "--timeline", self.path("w.vcd"))
        self.assert_refused("but the run ended at cycle", *wave, "--wave-window", "900000000:")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
