#!/usr/bin/python3
"""Requirements on every testbench besides passing: it finds each error that can be planted, repeats a run by its seed, writes a
waveform that its saved view fits, and refuses wrong input in one line.

Usage: testbench_test.py PROGRAM
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = None  # path of the testbench
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Tests that were started to ignore Ctrl-C, by a script in the background say, send it all the same.
signal.signal(signal.SIGINT, signal.default_int_handler)


def run(*arguments):
    """Output and exit code; messages of SystemC's kernel on the way would be output as well."""
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False, timeout=300)


def section(title):
    """First words of the lines of --help below `title`."""
    text = run("--help").stdout
    found = re.search(rf"^{re.escape(title)}.*:\n((?:  .*\n)+)", text, re.MULTILINE)
    return re.findall(r"^  (\S+)", found[1], re.MULTILINE) if found else []


def has_option(name):
    return f"--{name} " in run("--help").stdout


def timings():
    return ["lt", "at"] if has_option("timing") else [None]


def timing_options(timing):
    return [] if timing is None else ["--timing", timing]


def signals_of(vcd):
    """Dotted names of the signals of a dump."""
    return set(changes_of(vcd))


def changes_of(vcd):
    """Lists of (time, value) of the signals of a dump, by dotted name."""
    scopes, names, changes, now = [], {}, {}, 0
    with open(vcd, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[:1] == ["$scope"]:
                scopes.append(words[2])
            elif words[:1] == ["$upscope"]:
                scopes.pop()
            elif words[:1] == ["$var"]:
                names[words[3]] = ".".join(scopes + [words[4]])
                changes[names[words[3]]] = []
            elif line[0] == "#":
                now = int(line[1:])
            elif line[0] in "01xz" and line[1:].strip() in names:
                changes[names[line[1:].strip()]].append((now, line[0]))
            elif line[0] == "b" and words[1] in names:
                changes[names[words[1]]].append((now, words[0][1:]))
    return changes


class EveryTestbench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="testbench_")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def assert_refused(self, process, expected):
        self.assertEqual(2, process.returncode, process.stdout + process.stderr)
        self.assertEqual(1, len(process.stderr.splitlines()), process.stderr)
        self.assertIn(expected, process.stderr)
        self.assertNotIn("PASS", process.stdout)

    def assert_view_fits(self, view, signals):
        """Every signal of a saved view is in a dump."""
        self.assertTrue(signals)
        with open(view, encoding="utf-8") as file:
            wanted = [line.split("[")[0].strip() for line in file if re.match(r"^[a-z]\w*\.", line)]
        self.assertTrue(wanted, view)
        self.assertEqual([], [signal for signal in wanted if signal not in signals])

    def test_finds_each_planted_error(self):
        errors = section("Errors for --plant")
        self.assertGreaterEqual(len(errors), 1)
        for timing in timings():
            for error in errors:
                with self.subTest(error=error, timing=timing):
                    process = run("--plant", error, *timing_options(timing))
                    self.assertEqual(1, process.returncode, process.stdout + process.stderr)
                    self.assertRegex(process.stdout, r"(?m)^FAIL  \S+: ")
                    self.assertRegex(process.stdout, r"first divergence in cycle|violation: ")
                    self.assertNotIn("not covered", process.stdout)

    def test_a_seed_is_one_run(self):
        first, second, other = run("--seed", "7"), run("--seed", "7"), run("--seed", "8")
        self.assertEqual(first.stdout, second.stdout)
        self.assertEqual(0, other.returncode, other.stdout)
        self.assertNotEqual(first.stdout.replace("seed 7", ""), other.stdout.replace("seed 8", ""))

    def test_the_saved_view_fits_the_waveform(self):
        name = os.path.basename(PROGRAM)
        view = os.path.join(ROOT, "waveforms", name + ".gtkw")
        vcd, signals = os.path.join(self.folder, "wave.vcd"), set()
        for timing in timings():  # some signals exist at one level of timing only
            process = run("--count", "50", "--wave", vcd, *timing_options(timing))
            self.assertIn("waveform: " + vcd, process.stdout)
            signals |= signals_of(vcd)
        self.assert_view_fits(view, signals)

    def test_pins_of_model_and_rtl_are_in_the_waveform_in_the_same_cycles(self):
        if "both" not in run("--help").stdout:
            self.skipTest("no block in pins")
        vcd = os.path.join(self.folder, "wave.vcd")
        process = run("--impl", "both", "--count", "200", "--wave", vcd)
        if process.returncode == 2 and "RTL" in process.stderr:
            self.skipTest(process.stderr)
        self.assertIn("waveform: " + vcd, process.stdout)
        changes = changes_of(vcd)
        rtl = {name.split(".")[-1]: seen for name, seen in changes.items() if ".rtl_pins." in name}
        self.assertGreater(len(rtl), 3)
        moving = 0
        for pin, seen in rtl.items():
            model = [changes[name] for name in changes if name.endswith(".pins." + pin)]
            self.assertEqual(1, len(model), pin)
            # Data pins mean nothing without their valid; masks of lanes are data.
            if re.search(r"(?<!_row_)(?<!_column_)(valid|ready)_o$", pin):
                self.assertEqual(model[0], seen, pin)
                moving += len(seen) > 10
        self.assertGreater(moving, 1)

    def printed_view(self, process, folder):
        """The saved view that a run in `folder` tells the user to open."""
        view = re.search(r"gtkwave \S+ (\S+\.gtkw)\)", process.stdout)
        self.assertTrue(view, process.stdout)
        return os.path.join(folder, view[1])

    def test_the_command_for_the_waveform_works_in_any_folder(self):
        view = os.path.join(ROOT, "waveforms", os.path.basename(PROGRAM) + ".gtkw")
        for folder in (ROOT, self.folder):
            process = subprocess.run([PROGRAM, "--count", "10", "--wave", os.path.join(self.folder, "wave.vcd")], cwd=folder,
                                     capture_output=True, text=True, check=False, timeout=300)
            self.assertTrue(os.path.samefile(view, self.printed_view(process, folder)))

    def test_views_of_examples_fit_their_waveforms(self):
        for example in section("Examples for --example"):
            with self.subTest(example=example):
                vcd = os.path.join(self.folder, "wave.vcd")
                process = run("--example", example, "--wave", vcd)
                self.assertEqual(0, process.returncode, process.stdout)
                self.assert_view_fits(self.printed_view(process, os.getcwd()), signals_of(vcd))

    def test_ctrl_c_ends_the_run(self):
        with subprocess.Popen([PROGRAM, "--count", "1000000000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as process:
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            output, error = process.communicate(timeout=60)
        self.assertEqual(130, process.returncode, error)
        self.assertIn(": interrupted", error)
        self.assertNotIn("PASS", output)

    def test_wrong_options_are_refused(self):
        self.assert_refused(run("--nonsense"), "--nonsense")
        self.assert_refused(run("--seed", "x"), "x")
        self.assert_refused(run("--count", "-3"), "--count: got '-3', expected a whole number")
        self.assert_refused(run("--set", "workload.none=1"), "workload.none")
        self.assert_refused(run("--machine", "no_such_machine"), "no_such_machine")
        self.assert_refused(run("--wave", os.path.join(self.folder, "wave.txt")), "wave.txt")
        if has_option("curve"):
            self.assert_refused(run("--curve", "--count", "0"), "--count: got 0, expected at least 1")
        if has_option("timing"):
            self.assert_refused(run("--timing", "rtl"), "expected one of {lt, at}")
        if has_option("plant"):
            self.assert_refused(run("--plant", "nonsense"), "--plant: got 'nonsense'")

    def test_wrong_stimulus_files_are_refused(self):
        columns = section("Columns of --stimulus")
        if not columns:
            self.skipTest("no stimulus files")
        header = ",".join(columns)
        cells = ["1"] * len(columns)
        row = ",".join(cells)
        missing = os.path.join(self.folder, "missing.csv")
        self.assert_refused(run("--stimulus", missing), "missing.csv: cannot be read")
        for text, place in (("", ": has no transactions"), (f"{header}\n", ": has no transactions"),
                            (f"# comment\n\n{header},extra\n", f":3:{len(header) + 2}: got column 'extra'"),
                            (f"{header},{columns[0]}\n", f"column '{columns[0]}' stands twice"),
                            ("x\n", ":1:1: got column 'x'"),
                            (f"{header}\n{row},1\n", f":2:1: got {len(cells) + 1} cells")):
            with self.subTest(text=text):
                self.assert_refused(run("--stimulus", self.write("s.csv", text)), place)
        if columns[0] == "cycle":
            text = f"{header}\n{','.join(['-1'] + cells[1:])}\n"
            self.assert_refused(run("--stimulus", self.write("s.csv", text)), ":2:1: cycle: got '-1'")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
