"""Does tessera run --record write stimulus files that the testbenches play?

Usage: record_test.py TESSERA FOLDER_OF_TESTBENCHES
"""
import collections
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

# A test that was started to ignore Ctrl-C, by a script in the background say, sends it all the same.
signal.signal(signal.SIGINT, signal.default_int_handler)

MACHINE = "duplo_titan_v"
LAYER = [MACHINE, "baseline", "gan.C1", "--set", "gpu.sms=4", "--set", "workload.tiling.cta_limit=8"]
MODULES = ["ldst_unit", "l1", "l2", "dram", "crossbar"]
MESH = ["gtx480_56sm", "lenet5.C1.forward", "--set", "opportunistic.scheme=inter", "--set", "workload.layer.batch=1"]


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

    def test_the_testbench_of_the_mesh_plays_accesses_and_messages(self):
        for timing in ("lt", "at"):
            process = subprocess.run([PROGRAM, "run", *MESH, "--set", "timing=" + timing, "--record", "mesh=" + self.path("mesh"),
                                      "--out", self.path(timing)], capture_output=True, text=True, check=False)
            self.assertEqual(0, process.returncode, process.stderr)
            rows, of = map(int, re.search(r"/mesh \((\d+) of (\d+) transactions", process.stdout).groups())
            operations = collections.Counter(line.split(",")[1] for line in self.read("mesh").splitlines()[2:])
            self.assertEqual({"read", "write", "request", "reply"}, set(operations))
            counted = 0
            for kernel in json.loads(self.read(timing + "/result.json"))["kernels"]:
                sm = kernel["statistics"]["sm"]
                counted += sm["l1"]["read_requests_below"] + sm["l1"]["write_requests_below"] + sum(
                    count for name, count in sm["mesh_port"].items() if name.startswith("sent_") and name != "sent_flits")
            self.assertEqual(counted, of)
            played = subprocess.run([os.path.join(TESTBENCHES, "mesh_testbench"), "--machine", MESH[0], "--timing", timing,
                                     "--stimulus", self.path("mesh")], capture_output=True, text=True, check=False)
            self.assertEqual(0, played.returncode, played.stdout + played.stderr)
            self.assertRegex(played.stdout, rf"\b{rows} [^\n]* from ")

    def test_as_many_are_recorded_as_the_statistics_count(self):
        """On a machine with one instance of each module, whose kernels run once."""
        for timing in ("lt", "at"):
            printed = self.record(timing, "--out", self.path(timing), *(
                word for key in ("gpu.sms=1", "l2.slices=1", "dram.channels=1", "workload.repeat=1") for word in ("--set", key)))
            counted = collections.Counter()
            for kernel in json.loads(self.read(timing + "/result.json"))["kernels"]:
                sm, memory = kernel["statistics"]["sm"], kernel["statistics"]["memory"]
                counted.update(ldst_unit=sm["ldst"]["instructions"], l1=sm["ldst"]["requests"],
                               l2=sm["l1"]["read_requests_below"] + sm["l1"]["write_requests_below"],
                               crossbar=sm["l1"]["read_requests_below"] + sm["l1"]["write_requests_below"],
                               dram=memory["dram"]["reads"] + memory["dram"]["writes"])
            for module in MODULES:
                with self.subTest(module, timing=timing):
                    rows, of = map(int, re.search(rf"/{module} \((\d+) of (\d+) transactions", printed).groups())
                    self.assertEqual(counted[module], of)
                    lines = self.read(module).splitlines()[2:]
                    self.assertEqual(rows, len(lines))
                    cycles = [int(line.split(",")[0]) for line in lines]
                    self.assertEqual(sorted(cycles), cycles)

    def test_recording_changes_no_result(self):
        self.record("lt", "--out", self.path("recorded"))
        self.assertEqual(0, self.run_layer("--out", self.path("plain")).returncode)
        self.assertEqual(self.read("plain/result.json"), self.read("recorded/result.json"))

    def test_the_files_are_the_same_on_any_number_of_threads(self):
        self.record("lt", "--threads", "1")
        files = [self.read(module) for module in MODULES]
        self.record("lt", "--threads", "2")
        self.assertEqual(files, [self.read(module) for module in MODULES])

    def test_an_interrupted_run_saves_what_there_is(self):
        file = self.path("s.csv")
        with subprocess.Popen([PROGRAM, "run", MACHINE, "baseline", "resnet.C2", "--quiet", "--record", "l1=" + file],
                              stderr=subprocess.PIPE, text=True) as process:
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        self.assertEqual(130, process.returncode)
        self.assertGreater(len(self.read("s.csv").splitlines()), 10)

    def test_mistakes(self):
        file = self.path("s.csv")
        for options, text in ((["--record", "l3=" + file], "expected MODULE=FILE with one of {ldst_unit, l1, l2, dram, crossbar, mesh}"),
                              (["--record", "rename_table=" + file], "whose operations are no transactions of a link, expected"),
                              (["--record", "sub_core=" + file], "whose testbench plays programs of warps, expected"),
                              (["--record", "mesh=" + file], "for a machine with noc.kind 'crossbar', expected crossbar=FILE"),
                              (["--set", "noc.kind=mesh", "--record", "crossbar=" + file], "noc.kind 'mesh', expected mesh=FILE"),
                              (["--record", "l1"], "expected MODULE=FILE"),
                              (["--record", "l1="], "expected MODULE=FILE"),
                              (["--record", "l1=" + file, "--record", "l1=" + self.path("t.csv")], "expected one file for a module"),
                              (["--record", "l1=" + file, "--record", "l2=" + file], "which is the file of --record"),
                              (["--timeline", file, "--record", "l1=" + file], "which is the file of --timeline"),
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
