"""Does tessera run --record write stimulus files that the testbenches play?

Usage: record_test.py TESSERA FOLDER_OF_TESTBENCHES
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

MACHINE = "duplo_titan_v"
LAYER = [MACHINE, "baseline", "gan.C1", "--set", "gpu.sms=4", "--set", "workload.tiling.cta_limit=8"]
MODULES = ["ldst_unit", "l1", "l2", "dram"]


class RecordTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def run_layer(self, *options):
        return subprocess.run([PROGRAM, "run", *LAYER, *options], capture_output=True, text=True, check=False)

    def record(self, timing, *options):
        process = self.run_layer("--set", "timing=" + timing, *options,
                                 *(word for module in MODULES for word in ("--record", f"{module}={self.path(module)}")))
        self.assertEqual(0, process.returncode, process.stderr)
        return process.stdout

    def test_a_testbench_plays_what_was_recorded(self):
        for timing in ("lt", "at"):
            printed = self.record(timing)
            for module in MODULES:
                with self.subTest(module, timing=timing):
                    rows = int(re.search(rf"^stimulus: \S+/{module} \((\d+) of", printed, re.M)[1])
                    self.assertGreater(rows, 50)
                    played = subprocess.run([os.path.join(TESTBENCHES, module + "_testbench"), "--machine", MACHINE,
                                             "--timing", timing, "--stimulus", self.path(module)],
                                            capture_output=True, text=True, check=False)
                    self.assertEqual(0, played.returncode, played.stdout + played.stderr)
                    self.assertRegex(played.stdout, rf"\b{rows} [^\n]* from ")

    def test_all_accesses_of_the_l1_are_recorded(self):
        printed = self.record("lt", "--out", self.path("out"))
        with open(self.path("out/result.json"), encoding="utf-8") as file:
            self.assertIn("gan.C1", file.read())
        rows = self.read("l1").splitlines()[2:]
        self.assertEqual(len(rows), int(re.search(r"/l1 \((\d+) of \1 transactions;", printed)[1]))
        cycles = [int(row.split(",")[0]) for row in rows]
        self.assertEqual(sorted(cycles), cycles)
        self.assertEqual({"read", "write"}, {row.split(",")[1] for row in rows})

    def test_recording_changes_no_result(self):
        self.record("lt", "--out", self.path("recorded"))
        self.assertEqual(0, self.run_layer("--out", self.path("plain")).returncode)
        self.assertEqual(self.read("plain/result.json"), self.read("recorded/result.json"))

    def test_the_files_are_the_same_on_any_number_of_threads(self):
        self.record("lt", "--threads", "1")
        files = [self.read(module) for module in MODULES]
        self.record("lt", "--threads", "2")
        self.assertEqual(files, [self.read(module) for module in MODULES])

    def test_mistakes(self):
        file = self.path("s.csv")
        for options, text in ((["--record", "l3=" + file], "expected MODULE=FILE with one of {ldst_unit, l1, l2, dram}"),
                              (["--record", "l1"], "expected MODULE=FILE"),
                              (["--record", "l1="], "expected MODULE=FILE"),
                              (["--record", "l1=" + file, "--record", "l1=" + self.path("t.csv")], "expected other modules"),
                              (["--record", "l1=" + file, "--record", "l2=" + file], "expected other modules"),
                              (["--record", "l1=" + self.path("no/such/s.csv")], "cannot write"),
                              (["--record", "l1=" + file, "--set", "protocol_check=true"], "protocol_check")):
            process = self.run_layer("--quiet", *options)
            self.assertEqual(2, process.returncode, process.stderr)
            self.assertIn(text, process.stderr)
            self.assertEqual(1, len(process.stderr.splitlines()), process.stderr)
        self.assertEqual([], os.listdir(self.folder.name))


if __name__ == "__main__":
    TESTBENCHES = os.path.abspath(sys.argv.pop(2))
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
