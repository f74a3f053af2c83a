"""Does --dram-trace write every command of DRAM, and do they keep JEDEC's rules?"""
import collections
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

LAYER = ["resnet.C2", "duplo_titan_v", "duplo_paper", "--set", "gpu.sms=4", "--set", "workload.tiling.cta_limit=64", "--set",
         "workload.layer.batch=1", "--set", "dram.channels=2", "--set", "l2.slices=4", "--set", "l2.sets_per_slice=2"]
HBM2 = ["dram_hbm2", "--set", "dram.t_refi_cycles=2000"]


def read_ids(file):
    """Returns the changes of the signals that hold ids, by full name: lists of (time, id)."""
    scopes, names, changes, now = [], {}, {}, 0
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            words = line.split()
            if not words:
                continue
            if words[0] == "$scope":
                scopes.append(words[2])
            elif words[0] == "$upscope":
                scopes.pop()
            elif words[0] == "$var" and re.fullmatch(r"(sm_\d+_|filter_)?id", words[4]):
                names[words[3]] = ".".join([*scopes, words[4]])
                changes[names[words[3]]] = []
            elif words[0].startswith("#"):
                now = int(words[0][1:])
            elif words[0].startswith("b") and words[1] in names and "x" not in words[0]:
                changes[names[words[1]]].append((now, int(words[0][1:], 2)))
    return changes


class DramTraceTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()

    def tearDown(self):
        shutil.rmtree(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_layer(self, *options, timing="at"):
        return subprocess.run([PROGRAM, "run", *LAYER, "--quiet", "--set", "timing=" + timing, *options], capture_output=True,
                              text=True, check=False)

    def trace(self, name, *options):
        """Runs the layer; returns its rows by command, and its statistics."""
        process = self.run_layer(*options, "--dram-trace", self.path(name), "--out", self.path("out"))
        self.assertEqual(0, process.returncode, process.stderr)
        rows = collections.defaultdict(list)
        with open(self.path(name), encoding="utf-8") as file:
            for row in csv.DictReader(line for line in file if not line.startswith("#")):
                rows[row["command"]].append(row)
        with open(self.path("out/result.json"), encoding="utf-8") as file:
            return rows, json.load(file)

    @staticmethod
    def total(result, counter):
        return sum(channel[counter] for kernel in result["kernels"]
                   for name, channel in kernel["statistics"]["memory"].items() if name.startswith("dram["))

    def check(self, name):
        return subprocess.run([CHECKER, self.path(name)], capture_output=True, text=True, check=False)

    def test_commands_are_those_of_the_statistics_and_keep_every_rule(self):
        for options in ([], HBM2):
            rows, result = self.trace("at.csv", *options, "--set", "statistics.full_detail=true")
            self.assertEqual(self.total(result, "reads"), len(rows["RD"]))
            self.assertEqual(self.total(result, "writes"), len(rows["WR"]))
            self.assertGreater(len(rows["RD"]), 1000)
            checked = self.check("at.csv")
            self.assertEqual(0, checked.returncode, checked.stdout + checked.stderr)
            self.assertEqual(bool(options), "tFAW" in checked.stdout)
            self.assertEqual(bool(options), bool(rows["REF"]))

    def test_a_loosely_timed_run_is_refused(self):
        process = self.run_layer("--dram-trace", self.path("lt.csv"), timing="lt")
        self.assertEqual(2, process.returncode, process.stderr)
        self.assertRegex(process.stderr, r"--dram-trace: got timing 'lt', expected 'at': [^\n]*JEDEC[^\n]*\n\Z")
        self.assertEqual([], os.listdir(self.folder))

    def test_requests_carry_the_id_of_their_instruction(self):
        rows, _ = self.trace("ids.csv")
        ids = [row["id"] for row in rows["RD"]]
        self.assertTrue(all(ids))
        self.assertLess(1, len({int(number) >> 32 for number in ids}))  # SMs
        self.assertFalse(any(row["id"] for row in rows["ACT"] + rows["PRE"]))

    def test_an_id_is_followed_from_the_ldst_unit_to_dram(self):
        for timing in ("lt", "at"):
            process = self.run_layer("--wave", self.path("w.vcd"), "--wave-scope", "*", timing=timing)
            self.assertEqual(0, process.returncode, process.stderr)
            first = collections.defaultdict(dict)  # first time of each id on each hop
            for name, changes in read_ids(self.path("w.vcd")).items():
                hop = re.sub(r"\d+", "N", name).removeprefix("gpu.")
                for time, number in changes:
                    first[hop][number] = min(time, first[hop].get(number, time))
            hops = ["smN.ldst.id", "smN.lN.id", "memory.crossbar.sm_N_id", "memory.lN_N.id", "memory.dram_N.id"]
            self.assertLessEqual({*hops, "smN.ldst.filter_id"}, set(first))
            ids = set(first[hops[-1]]) - {0}
            self.assertGreater(len(ids), 100)
            in_order = 0
            for number in ids:
                # Another id of the same cycle may hide one on a hop.
                times = [first[hop][number] for hop in hops if number in first[hop]]
                in_order += len(times) == len(hops) and times == sorted(times)
            self.assertGreater(4 * in_order, 3 * len(ids), f"{timing}: {in_order} of {len(ids)}")

    def test_the_trace_is_the_same_on_any_number_of_threads(self):
        for threads in ("1", "2"):
            process = self.run_layer("--threads", threads, "--dram-trace", self.path(threads))
            self.assertEqual(0, process.returncode, process.stderr)
        with open(self.path("1"), encoding="utf-8") as one, open(self.path("2"), encoding="utf-8") as two:
            self.assertEqual(one.read(), two.read())

    def test_a_trace_changes_no_result(self):
        results = []
        for name, options in (("plain", []), ("traced", ["--dram-trace", self.path("t.csv")])):
            process = self.run_layer("--out", self.path(name), *options)
            self.assertEqual(0, process.returncode, process.stderr)
            with open(self.path(name + "/result.json"), encoding="utf-8") as file:
                results.append(file.read())
        self.assertEqual(*results)

    def test_mistakes(self):
        wave = self.path("w.vcd")
        for options, text in ((["--dram-trace", self.path("no/such/t.csv")], "cannot write"),
                              (["--dram-trace", self.folder], "cannot write"),
                              (["--wave", wave, "--dram-trace", wave], "which is the file of --wave")):
            process = self.run_layer(*options)
            self.assertEqual(2, process.returncode, process.stderr)
            self.assertIn(text, process.stderr)
            self.assertEqual(1, len(process.stderr.splitlines()), process.stderr)
        self.assertEqual([], os.listdir(self.folder))

    def test_the_checker_refuses_what_is_no_trace(self):
        with open(self.path("empty.csv"), "w", encoding="utf-8"):
            pass
        self.assertEqual(2, self.check("empty.csv").returncode)
        self.assertEqual(2, self.check("absent.csv").returncode)


if __name__ == "__main__":
    CHECKER = os.path.abspath(sys.argv.pop(2))
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
