#!/usr/bin/python3
"""Do the stored experiments still come out, as far as short runs show, and does tools/check_results find one that does not?"""

import csv
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STORED = os.path.join(ROOT, "configs/reference/results")
PROGRAM = sys.argv.pop(1)
MOST = "700000"  # cycles of an experiment's runs


def check(*arguments):
    command = [os.path.join(ROOT, "tools/check_results"), "--program", PROGRAM, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


class CheckResults(unittest.TestCase):
    def test_short_experiments_come_out(self):
        done = check("--most", MOST)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreater(done.stdout.count("rows are equal"), 15)

    def test_a_stale_row_is_found(self):
        """One more cycle in one row, with and without seeds that move the launch."""
        for experiment, column in (("fidelity_products", "total_cycles"), ("opportunistic", "stall_percent")):
            with open(os.path.join(STORED, experiment + ".csv"), encoding="utf-8", newline="") as handle:
                rows = list(csv.DictReader(handle))
            for row in rows:
                row[column] = str(float(row[column]) + 1)
            with tempfile.TemporaryDirectory() as folder:
                with open(os.path.join(folder, experiment + ".csv"), "w", encoding="utf-8", newline="") as handle:
                    writer = csv.DictWriter(handle, rows[0])
                    writer.writeheader()
                    writer.writerows(rows)
                done = check("--stored", folder)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn("rows are stale", done.stdout)
            self.assertIn(f"{column} ", done.stdout)

    def test_wrong_input(self):
        for arguments, text in ((("nothing",), "no stored experiment is called 'nothing'; there are a100_2of4"),
                                (("--stored", "/nowhere"), "--stored /nowhere: No such file"),
                                (("--layers", "0"), "--layers takes a number from 1"),
                                (("--program", "/nowhere/tessera"), "no such program")):
            done = check(*arguments)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main()
