#!/usr/bin/python3
"""tools/rtl_formal finds a property that does not hold, names it and keeps the trace."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))


class WrongProperty(unittest.TestCase):
    def test_fails_with_name_and_trace(self):
        with tempfile.TemporaryDirectory() as out:
            process = subprocess.run(
                [os.path.join(ROOT, "tools", "rtl_formal"), "fp", "--out", out,
                 "--file", os.path.join(HERE, "wrong_sign.yaml")],
                capture_output=True, text=True, check=False)
            self.assertEqual(process.returncode, 1, process.stdout + process.stderr)
            self.assertIn("sign_of_first_factor", process.stdout)
            trace = os.path.join(out, "rtl_formal", "fp", "wrong_sign", "trace.vcd")
            with open(trace, encoding="utf-8") as handle:
                self.assertIn("$enddefinitions", handle.read())


if __name__ == "__main__":
    for program in ("yosys", "z3"):
        if shutil.which(program) is None:
            print(f"{program} is missing; run tools/setup")
            sys.exit(0)
    unittest.main()
