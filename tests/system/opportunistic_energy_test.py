#!/usr/bin/python3
"""Does tools/opportunistic_energy add up a sweep, and name what is missing?"""

import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "tools", "opportunistic_energy")
EXPERIMENT = """
base: [gtx480_56sm, opportunistic]
layers: [lenet5.C1.forward]
variants:
  baseline: {set: {opportunistic.scheme: none, workload.layer.batch: 1}}
  same: {set: {opportunistic.scheme: none, workload.layer.batch: 1}}
  intra: {set: {opportunistic.scheme: intra, workload.layer.batch: 1}}
  odd: {set: {opportunistic.scheme: intra, opportunistic.pt_entries: 300, workload.layer.batch: 1}}
"""


def tool(folder):
    return subprocess.run([TOOL, folder], capture_output=True, text=True, check=False)


def main():
    tessera = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        experiment, out = os.path.join(folder, "e.yaml"), os.path.join(folder, "out")
        with open(experiment, "w", encoding="utf-8") as handle:
            handle.write(EXPERIMENT)
        subprocess.run([tessera, "sweep", experiment, "-j", "2", "--out", out], check=True, capture_output=True)
        unknown = tool(out)
        assert unknown.returncode == 2 and "no 300 entries" in unknown.stderr, unknown
        subprocess.run(["rm", "-r", os.path.join(out, "runs", "lenet5.C1.forward", "odd")], check=True)
        good = tool(out)
        assert good.returncode == 0, good
        change = {m[1]: float(m[2]) for m in re.finditer(r"^(\w+) +mean of 1 layers +([-+0-9.]+) %", good.stdout, re.M)}
        assert change["same"] == 0.0, good.stdout
        assert change["intra"] != 0.0, good.stdout
        empty = tool(folder)
        assert empty.returncode == 2 and "baseline" in empty.stderr, empty
    return 0


if __name__ == "__main__":
    sys.exit(main())
