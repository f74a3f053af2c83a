"""The program and the folder of tests of the Python package; `main()` finds the package of the same build."""

import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SMALL = {"gpu.sms": 2, "workload.gemm.m": 64, "workload.gemm.n": 64, "workload.gemm.k": 64}


def program_says(*arguments):
    return subprocess.run([os.environ["TESSERA_PROGRAM"], *arguments], capture_output=True, text=True, check=False)


def flags(sets):
    return [word for key, value in sets.items() for word in ("--set", f"{key}={value}")]


class InFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(temporary.name)


def find_package():
    """Puts the package of the program's build (the first argument) into the path."""
    program = os.path.abspath(sys.argv.pop(1))
    os.environ["TESSERA_PROGRAM"] = program
    os.environ["PYTHONPATH"] = os.path.join(os.path.dirname(os.path.dirname(program)), "python")
    os.environ["MPLBACKEND"] = "Agg"
    sys.path.insert(0, os.environ["PYTHONPATH"])
    sys.dont_write_bytecode = True
