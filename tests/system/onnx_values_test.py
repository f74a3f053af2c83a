#!/usr/bin/python3
"""A few cases of `tools/fuzz onnx_values`, with ONNX Runtime if it is in the cache; and errors that it has to find."""

import filecmp
import os
import subprocess
import sys
import unittest

import small_run
from small_run import InFolder

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SCRIPT = os.path.join(ROOT, "tests", "fuzz", "onnx_values", "fuzz_values.py")

# Runs the program, and changes what it has written: argv[1] is the program, the rest its arguments.
CHANGED = """#!/usr/bin/python3
import subprocess, sys, os, numpy
done = subprocess.run([{program!r}, *sys.argv[1:]])
if done.returncode == 0 and "--no-fuse" not in sys.argv and "--outputs" in sys.argv:
    folder = sys.argv[sys.argv.index("--outputs") + 1]
    for name in sorted(os.listdir(folder)):
        values = numpy.load(os.path.join(folder, name))
        if values.dtype == numpy.float32 and values.size and numpy.isfinite(values).all():
            values.reshape(-1)[-1] += 1 + abs(values).max()
            numpy.save(os.path.join(folder, name), values)
            break
sys.exit(done.returncode)
"""


class OnnxValues(InFolder):
    def fuzz(self, *arguments, program=None):
        return subprocess.run([SCRIPT, *map(str, arguments), "--program", program or small_run.TESSERA], cwd=self.folder, check=False,
                              capture_output=True, text=True, timeout=280)

    def test_cases_agree(self):
        process = self.fuzz(40, 3, "--if-cached")
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        self.assertIn("seed 3: 46 cases compared, 0 differ", process.stdout)
        layers = int(process.stdout.split()[-5])
        self.assertGreater(layers, 40, process.stdout)

    def test_resized_nan_spreads_on_the_machine_as_on_the_host(self):
        for case in ("operator:1131", "operator:1509"):
            process = self.fuzz(1, 4300, "--case", case, "--without-runtime")
            self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
            self.assertIn("seed 4300: 1 cases compared, 0 differ, 0 known differences, 1 layers on the machine", process.stdout)

    def test_a_case_that_differs_is_kept_and_named(self):
        changed = self.file("changed", CHANGED.format(program=small_run.TESSERA))
        os.chmod(changed, 0o755)
        process = self.fuzz(11, 3, "--without-runtime", "--without-machine", program=changed)
        self.assertEqual(process.returncode, 1, process.stdout + process.stderr)
        self.assertIn(", fused: 1 of ", process.stdout)
        command = next(line for line in process.stdout.splitlines() if line.startswith("  tools/fuzz onnx_values 1 3 --case "))
        case = command.split()[-1]
        kept = os.path.join(self.folder, "build", "fuzz", "found", "onnx_values")
        first = f"3-{case[0]}{case.partition(':')[2]}"
        os.rename(os.path.join(kept, first), os.path.join(kept, "before"))
        again = self.fuzz(1, 3, "--case", case, "--without-runtime", "--without-machine", program=changed)
        self.assertEqual(again.returncode, 1, again.stdout + again.stderr)
        self.assertTrue(filecmp.cmp(os.path.join(kept, first, "model.onnx"), os.path.join(kept, "before", "model.onnx"), False))
        alone = self.fuzz(1, 3, "--case", case, "--without-runtime", "--without-machine")
        self.assertEqual(alone.returncode, 0, alone.stdout + alone.stderr)

    def test_wrong_arguments_are_one_line(self):
        for arguments, text in ((("0",), "got 0 runs"), (("5", "1", "--case", "chains:1"), "--case: got 'chains:1'"),
                                (("5", "1", "--library", "missing.so"), "missing.so: is no library of onnxruntime")):
            process = self.fuzz(*arguments)
            self.assertEqual(process.returncode, 2, process.stdout + process.stderr)
            self.assertEqual(len(process.stderr.splitlines()), 1, process.stderr)
            self.assertIn(text, process.stderr)
        process = self.fuzz(5, program=os.path.join(self.folder, "none"))
        self.assertEqual(process.returncode, 2)
        self.assertIn("is no program", process.stderr)


if __name__ == "__main__":
    small_run.TESSERA = os.path.abspath(sys.argv.pop(1))
    unittest.main()
