#!/usr/bin/python3
"""Overhead of a run from Python over the same run of the program, in alternation, in wall and user seconds.

Usage: python_overhead.py [--pairs N] [BUILD_FOLDER]   (default: 7 pairs of build/release, on ResNet C2 with Duplo)

Printed are the quotients of all pairs, their median, and the median seconds. "call" is tessera.run() in a process that has imported
the package, as in a notebook, and "own" the user seconds of that process without the program, which do not depend on how busy the
machine is. "fresh" is a process that imports the package and makes one run.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

os.environ["TESSERA_CACHE"] = "off"  # each run is simulated

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RUN = ["duplo_paper", "resnet.C2"]


def measured(action):
    """Wall and user seconds of an action with all the processes it waits for."""
    def user():
        return sum(resource.getrusage(who).ru_utime for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    wall, before = time.monotonic(), user()
    action()
    return time.monotonic() - wall, user() - before


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("build", nargs="?", default=os.path.join(ROOT, "build", "release"))
    arguments = parser.parse_args()
    package = os.path.join(arguments.build, "python")
    sys.path.insert(0, package)
    import tessera  # pylint: disable=import-outside-toplevel

    def program():
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([os.path.join(arguments.build, "bin", "tessera"), "run", *RUN, "-q", "--out", folder], check=True,
                           stderr=subprocess.DEVNULL)

    def call():
        tessera.run(*RUN)

    def fresh():
        subprocess.run([sys.executable, "-c", f"import tessera; tessera.run(*{RUN})"], check=True, stderr=subprocess.DEVNULL,
                       env={**os.environ, "PYTHONPATH": package})

    program()  # what is read is in memory from here on
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    for _ in range(arguments.pairs):
        call()
    own = (resource.getrusage(resource.RUSAGE_SELF).ru_utime - before) / arguments.pairs
    print(f"call, own: {own:.3f} s")
    for name, action in [("call", call), ("fresh", fresh)]:
        pairs = []
        for number in range(arguments.pairs):
            if number % 2:  # each goes first as often as the other
                second = measured(action)
                first = measured(program)
            else:
                first = measured(program)
                second = measured(action)
            pairs.append((first, second))
        for kind, what in enumerate(["wall", "user"]):
            quotients = sorted(second[kind] / first[kind] for first, second in pairs)
            seconds = [statistics.median(pair[side][kind] for pair in pairs) for side in (0, 1)]
            print(f"{name} / program, {what}: median {statistics.median(quotients):.3f} ({seconds[1]:.2f} s / {seconds[0]:.2f} s), "
                  f"all: {' '.join(f'{quotient:.3f}' for quotient in quotients)}", flush=True)


if __name__ == "__main__":
    main()
