"""Does tessera align name the transaction in which two runs, or two traces, part?

Usage: align_test.py TESSERA TOOLS_FOLDER
"""
import lzma
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

PRODUCT = ["--set", "gpu.sms=2", "--set", "values=on", "--set", "tensor_core.kind=outer_product",
           "--set", "workload.kind=gemm", "--set", "workload.gemm.m=64", "--set", "workload.gemm.n=64",
           "--set", "workload.gemm.k=64"]
TRACE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../golden/traces/gemm_1024x64x576")


class AlignTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="align_")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def tessera(self, *words):
        return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, cwd=self.folder)

    def record(self, name, *more):
        process = self.tessera("run", "-q", *PRODUCT, *more, "--record-transactions", self.path(name))
        self.assertEqual("", process.stderr)
        self.assertEqual(0, process.returncode)
        return self.path(name)

    def align(self, expected, *words):
        process = self.tessera("align", *words)
        self.assertEqual(expected, process.returncode, process.stdout + process.stderr)
        return process.stdout

    def run_of(self, *more):
        return " ".join(["run", *PRODUCT, *more])

    def refusal(self, *words):
        process = self.tessera("align", *words)
        self.assertEqual(2, process.returncode, process.stdout)
        self.assertEqual(1, process.stderr.count("\n"), process.stderr)
        return process.stderr

    def test_a_recorded_run_gives_the_same_results(self):
        for timing in ("lt", "at"):
            outputs = []
            for name, more in (("plain", ()), ("watched", ("--record-transactions", self.path("r.xz")))):
                process = self.tessera("run", "-q", *PRODUCT, "--set", "timing=" + timing, "--out", self.path(name), *more)
                self.assertEqual(0, process.returncode, process.stderr)
                with open(self.path(f"{name}/result.json"), encoding="utf-8") as file:
                    outputs.append(file.read())
            self.assertEqual(outputs[0], outputs[1])

    def test_the_same_run_gives_the_same_bytes(self):
        first = self.record("one.txt")
        with open(first, encoding="utf-8") as file:
            one = file.read()
        self.record("one.txt")
        with open(first, encoding="utf-8") as file:
            self.assertEqual(one, file.read())

    def test_equal_runs_have_no_difference(self):
        text = self.record("a.txt")
        packed = self.record("a.xz")
        self.assertLess(os.path.getsize(packed), os.path.getsize(text) / 4)
        for words in ((text, packed), (text, self.run_of()), (self.run_of(), self.run_of())):
            self.assertIn("no difference", self.align(0, *words, "--cycles"))

    def test_levels_of_timing_and_rtl_agree_in_content(self):
        model = self.record("a.xz")
        printed = self.align(0, model, self.run_of("--set", "timing=at"))
        self.assertIn("content alone", printed)
        instructions, values = map(int, re.search(r"compared: (\d+) instructions, \d+ transactions, (\d+) values",
                                                  printed).groups())
        self.assertGreater(instructions, 100)
        self.assertGreater(values, 1000)
        self.align(1, model, self.run_of("--set", "timing=at", "--plant-fault", "sm0.ldst.to_l1:data:7@90"))

    def test_the_report_and_the_waveform_show_both_sides(self):
        broken = self.run_of("--plant-fault", "sm0.ldst.to_l1:address:7@120")
        printed = self.align(1, self.record("a.xz"), broken, "--cycles", "--keep", self.path("kept"), "--wave",
                             self.path("d.vcd"))
        with lzma.open(self.path("kept/b.transactions.xz"), "rt") as file:
            planted = next(line for line in file if line.startswith("planted ")).strip()
        place = planted.split(": ", 1)[1]
        for part in ("first difference: request", "  instruction  " + place, "block        sm0.ldst.to_l1",
                     "A did", "B did", "before it in A", "before it in B", "    > cycle"):
            self.assertIn(part, printed)
        with open(self.path("d.vcd"), encoding="utf-8") as file:
            wave = file.read()
        for part in ("module a ", "module b ", "module to_l1 ", "module instructions ", "#100000000\n", "#200000000\n"):
            self.assertIn(part, wave)
        self.assertNotIn("#202000000", wave)  # 200 cycles and no more

    def test_a_limit_cuts_the_recording_and_no_difference_follows_from_it(self):
        cut = self.record("cut.txt", "--record-limit", "500")
        with open(cut, encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertEqual(500, sum(line[:2] in ("i ", "t ") for line in lines))
        self.assertEqual("end limit of 500 rows", lines[-1])
        printed = self.tessera("align", cut, self.record("a.xz")).stdout
        self.assertIn("A ended early: limit of 500 rows", printed)
        self.assertNotIn("first difference: missing", printed)
        self.assertNotIn("first difference: extra", printed)

    def test_faults_are_named_and_a_blind_aligner_fails(self):
        faults = [os.path.join(TOOLS, "plant_faults"), "--count", "5", "--seed", "2", "--only", "model"]
        good = subprocess.run([*faults, "--program", PROGRAM], capture_output=True, text=True, check=False)
        self.assertEqual(0, good.returncode, good.stdout + good.stderr)
        self.assertIn("| all | | | 5 | 5 |", good.stdout)
        blind = self.path("blind")  # compares neither cycles, nor outcomes, nor what is below the L1
        with open(blind, "w", encoding="utf-8") as file:
            file.write(f"""#!/usr/bin/python3
import os, sys
words = [{PROGRAM!r}, *sys.argv[1:]]
if words[1] == "align":
    words = [word for word in words if word != "--cycles"] + ["--content"]
os.execv(words[0], words)
""")
        os.chmod(blind, os.stat(blind).st_mode | stat.S_IXUSR)
        bad = subprocess.run([*faults, "--program", blind], capture_output=True, text=True, check=False)
        self.assertEqual(1, bad.returncode, bad.stdout + bad.stderr)
        self.assertIn("NOT NAMED", bad.stdout)

    def test_a_fault_in_rtl_is_named(self):
        try:
            self.record("probe.xz", "--set", "impl.feop_array=rtl")
        except AssertionError:
            if "no RTL" in self.tessera("cosim", "--list").stdout:
                self.skipTest("no RTL in this build")
            raise
        faults = [os.path.join(TOOLS, "plant_faults"), "--count", "3", "--seed", "4", "--only", "rtl"]
        good = subprocess.run([*faults, "--program", PROGRAM], capture_output=True, text=True, check=False)
        self.assertEqual(0, good.returncode, good.stdout + good.stderr)

    def test_wrong_input_is_one_line(self):
        recording = self.record("a.txt")
        self.assertIn("expected a recording, a kernelslist.g, or a run in quotes",
                      self.refusal(recording, self.path("none")))
        self.assertIn("expected a recording", self.refusal(recording, __file__))
        self.assertIn("expected a second '", self.refusal(recording, "run 'a"))
        self.assertIn("workload.gemm.m", self.refusal(recording, "run --set workload.gemm.m=none"))
        self.assertIn("expected the same level of timing",
                      self.refusal(recording, self.run_of("--set", "timing=at"), "--cycles"))
        self.assertIn("expected two kernelslist.g", self.refusal(recording, os.path.join(TRACE, "kernelslist.g")))
        for fault, expected in (("sm0.ldst.to_l1", "LINK:KIND@N"), ("sm0.ldst.to_l1:bend:3@1", "LINK:KIND@N"),
                                ("sm0.ldst.to_l1:address:64@1", "a number from 0 to 63"),
                                ("sm9.ldst.to_l1:served@1", "no transaction passed a link"),
                                ("sm0.ldst.to_l1:served@99999999", "expected a number below"),
                                ("sm0.sub_core0.to_ldst:operand:1@1", "a kind that this transaction has")):
            self.assertIn(expected, self.refusal(recording, self.run_of("--plant-fault", fault)))
        with open(recording, encoding="utf-8") as file:
            lines = file.read().splitlines(keepends=True)
        with open(self.path("cut"), "w", encoding="utf-8") as file:
            file.writelines(lines[:-1])
        self.assertIn("expected it behind a line 'end'", self.refusal(recording, self.path("cut")))

    def test_an_unwritable_recording_is_refused_before_the_run(self):
        process = self.tessera("run", "-q", *PRODUCT, "--record-transactions", self.path("no/such/folder"))
        self.assertEqual(2, process.returncode)
        self.assertEqual(1, process.stderr.count("\n"), process.stderr)

    def changed_trace(self, change):
        """The trace with one line of its kernel changed."""
        folder = tempfile.mkdtemp(dir=self.folder)
        shutil.copytree(TRACE, folder, dirs_exist_ok=True)
        name = os.path.join(folder, "kernel-1.traceg.xz")
        with lzma.open(name, "rt") as file:
            lines = file.read().splitlines(keepends=True)
        change(lines)
        with lzma.open(name, "wt") as file:
            file.writelines(lines)
        return os.path.join(folder, "kernelslist.g")

    def test_traces(self):
        given = os.path.join(TRACE, "kernelslist.g")
        self.assertIn("no difference", self.align(0, given, given))

        def register(lines):
            at = [i for i, line in enumerate(lines) if " HMMA" in line][40]
            lines[at] = re.sub(r" R(\d+) ", lambda match: f" R{int(match[1]) ^ 1} ", lines[at], count=1)

        printed = self.align(1, given, self.changed_trace(register))
        for part in ("differences: 1\n", "first difference: opcode or registers", "CTA (0, 0, 0), warp ", "instruction ",
                     "    > "):
            self.assertIn(part, printed)

        def extra(lines):
            at = [i for i, line in enumerate(lines) if " HMMA" in line][40]
            count = max(i for i in range(at) if lines[i].startswith("insts = "))
            lines[count] = f"insts = {int(lines[count].split('=')[1]) + 1}\n"
            lines.insert(at, lines[at])

        printed = self.align(1, given, self.changed_trace(extra))
        self.assertIn("differences: 1\n", printed)
        self.assertIn("first difference: missing in A", printed)
        self.assertIn("a trace has no cycles", self.refusal(given, given, "--cycles"))


if __name__ == "__main__":
    PROGRAM, TOOLS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    unittest.main(argv=sys.argv[:1])
