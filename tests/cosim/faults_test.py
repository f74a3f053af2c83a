#!/usr/bin/python3
"""Tests of the faults and bins of `tessera cosim BLOCK`: the list of bits, faults that change nothing or escape the bench,
and what a run says of its coverage plan.

Usage: faults_test.py TESSERA_PROGRAM
"""

import os
import re
import shlex
import subprocess
import sys
import unittest

PROGRAM = None  # path of the tessera program
BEYOND = 999999


def cosim(*arguments):
    return subprocess.run([PROGRAM, "cosim", *arguments], capture_output=True, text=True, check=False)


def blocks():
    return [line.split()[0] for line in cosim("--list").stdout.splitlines()]


class CoveragePlans(unittest.TestCase):
    def test_a_run_names_what_it_did_not_reach(self):
        short = cosim("load_history_buffer", "--count", "20")
        self.assertEqual(0, short.returncode, short.stderr)
        self.assertRegex(short.stdout, r"  coverage: [0-9]+ of ([0-9]+) bins; not covered: .* and [0-9]+ more \(--bins\)\n")
        every = cosim("load_history_buffer", "--count", "20", "--bins").stdout
        self.assertNotIn("more (--bins)", every)
        self.assertIn("phys_i[13] rises", every)

    def test_bins_are_listed_with_their_numbers(self):
        process = cosim("load_history_buffer", "--count", "400000", "--bins")
        self.assertEqual(0, process.returncode, process.stderr)
        self.assertRegex(process.stdout, r"  coverage: ([0-9]+) of \1 bins\n")
        for name in ("look-up hits", "operation 3 does nothing", "2048 sets"):
            self.assertRegex(process.stdout, rf"\n +{name} +[1-9][0-9]*\n")

    def test_every_bench_has_a_plan(self):
        for block in blocks():
            with self.subTest(block=block):
                process = cosim(block, "--count", "20", "--bins")
                self.assertEqual(0, process.returncode, process.stderr)
                self.assertRegex(process.stdout, r"\n  coverage: [0-9]+ of [0-9]+ bins; not covered: ")


class Faults(unittest.TestCase):
    def test_every_bit_has_a_name(self):
        """The list ends where the bench says that bits end; words follow one another."""
        self.assertIn("id_generator", blocks())
        for block in blocks():
            with self.subTest(block=block):
                process = cosim(block, "--list-faults")
                self.assertEqual(0, process.returncode, process.stderr)
                ranges = re.findall(r"^ +([0-9]+)\.\.([0-9]+) +([a-z_]+)(?:\[0\.\.([0-9]+)\])?$", process.stdout,
                                    re.MULTILINE)
                self.assertEqual(len(ranges), len(process.stdout.splitlines()) - 1, process.stdout)
                end = 0
                for first, last, _, last_word in ranges:
                    self.assertEqual(end, int(first))
                    end = int(last) + 1
                    self.assertEqual(end - int(first), 32 * (int(last_word or 0) + 1))
                refused = cosim(block, "--count", "100", "--fault", f"invert:{BEYOND}")
                self.assertEqual(2, refused.returncode, refused.stdout)
                self.assertIn(f"expected a bit below {end}, ", refused.stderr)

    def test_names_are_where_the_bench_reports_them(self):
        for block, name in (("id_generator", "tag"), ("load_history_buffer", "found"), ("feop_array", "product"),
                            ("bitmap_unit", "ohmma_row_valid"), ("accumulation_buffer", "result_word"),
                            ("fp", "staged"), ("feop", "d"), ("fedp", "d")):
            with self.subTest(block=block):
                listed = cosim(block, "--list-faults").stdout
                bit = int(re.search(rf"^ +([0-9]+)\.\.[0-9]+ +{name}(\[.*)?$", listed, re.MULTILINE)[1])
                process = cosim(block, "--count", "200000", "--fault", f"invert:{bit}")
                self.assertEqual(1, process.returncode, process.stderr)
                self.assertRegex(process.stderr, rf"first divergence in cycle [0-9]+: {name}(_o)?(\[0\])?\n")

    def test_a_fault_that_changes_nothing_is_one_line(self):
        """Bit 31 of a pin of one bit is 0 as it is."""
        process = cosim("id_generator", "--count", "2000", "--fault", "stuck0:31")
        self.assertEqual(2, process.returncode, process.stdout)
        self.assertEqual("tessera: --fault: got 'stuck0:31', expected a fault that changes an output, this one changed "
                         "none", process.stderr.strip())

    def test_a_fault_that_nobody_notices_fails(self):
        """In its last cycle the bitmap unit is idle; what is on an OHMMA's pins then means nothing."""
        good = cosim("bitmap_unit", "--count", "20000")
        cycles = int(re.search(r", ([0-9]+) clock cycles, ", good.stdout)[1])
        fault = f"invert:3712@{cycles - 1}"  # ohmma_k
        process = cosim("bitmap_unit", "--count", "20000", "--fault", fault)
        self.assertIn("  --fault changed 1 outputs\n", process.stdout)
        self.assertEqual(1, process.returncode, process.stdout)
        self.assertIn(f"--fault: got '{fault}': changed 1 outputs, and no comparison noticed", process.stderr)

    def test_the_command_of_a_report_can_be_typed(self):
        process = cosim("feop", "--count", "5000", "--seed", "3", "--fault", "invert:0@10")
        again = re.search(r"^  again    (.*)$", process.stderr, re.MULTILINE)[1]
        self.assertEqual(shlex.split(again), ["tessera", *process.args[1:]])
        repeated = subprocess.run([PROGRAM, *shlex.split(again)[1:]], capture_output=True, text=True, check=False)
        self.assertEqual(process.stderr, repeated.stderr)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
