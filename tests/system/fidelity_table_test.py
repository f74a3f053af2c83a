#!/usr/bin/python3
"""Does tools/fidelity_table compare the means of a sweep's seeds, and do seeds move runs with launch jitter alone?"""

import csv
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "tools", "fidelity_table")
SHAPE = ["--set", "gpu.sms=2", "--set", "workload.kind=gemm", "--set", "workload.gemm.m=256",
         "--set", "workload.gemm.n=256", "--set", "workload.gemm.k=64"]
EXPERIMENT = """
name: small
base: [duplo_titan_v]
seeds: [1, 2, 3]
variants:
  lt: {set: {gpu.cta_launch_jitter_cycles: 16}}
  lt_lhb1024: {set: {gpu.cta_launch_jitter_cycles: 16, ldst.sectors_per_cycle: 8}, baseline: lt}
  at: {set: {timing: at, gpu.cta_launch_jitter_cycles: 16}}
  at_lhb1024: {set: {timing: at, gpu.cta_launch_jitter_cycles: 16, ldst.sectors_per_cycle: 8}, baseline: at}
"""


def tool(path):
    return subprocess.run([TOOL, path], capture_output=True, text=True, check=False)


def cycles(tessera, folder, *sets):
    subprocess.run([tessera, "run", "duplo_titan_v", *SHAPE, *sets, "-q", "--out", folder], check=True)
    with open(os.path.join(folder, "result.json"), encoding="utf-8") as file:
        return json.load(file)["metrics"]["cycles"]


def main():
    tessera = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        one_cta = ["--set", "workload.gemm.m=64", "--set", "workload.gemm.n=64", "--set", "workload.tiling.cta_m=64",
                   "--set", "workload.tiling.cta_n=64"]
        without = {cycles(tessera, folder, *one_cta, "--set", f"seed={seed}") for seed in (1, 2, 3)}
        jitter = [*one_cta, "--set", "gpu.cta_launch_jitter_cycles=500"]
        late = [cycles(tessera, folder, *jitter, "--set", f"seed={seed}") for seed in (1, 2, 3)]
        assert len(without) == 1 and len(set(late)) == 3, (without, late)
        assert all(0 <= c - min(without) <= 500 for c in late), (without, late)

        plan = os.path.join(folder, "small.yaml")
        with open(plan, "w", encoding="utf-8") as file:
            file.write(EXPERIMENT)
        out = os.path.join(folder, "out")
        subprocess.run([tessera, "sweep", plan, *SHAPE, "--out", out], check=True,
                       capture_output=True)
        with open(os.path.join(out, "summary.csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        means = [sum(float(r["cycles"]) for r in rows if r["variant"] == v) / 3
                 for v in ("lt", "at", "lt_lhb1024", "at_lhb1024")]
        printed = tool(out)
        assert printed.returncode == 0, printed.stderr
        cells = [cell.strip() for cell in printed.stdout.splitlines()[2].split("|")[2:-1]]
        expected = [f"{means[0]:.0f}", f"{means[1]:.0f}", f"{100 * (means[1] / means[0] - 1):+.1f}",
                    f"{means[2]:.0f}", f"{means[3]:.0f}", f"{100 * (means[3] / means[2] - 1):+.1f}",
                    f"{100 * (means[0] / means[2] - 1):+.1f}", f"{100 * (means[1] / means[3] - 1):+.1f}"]
        assert cells[:8] == expected, (cells, expected)
        assert "1 layers, 3 to 3 seeds" in printed.stdout, printed.stdout

        partial = os.path.join(folder, "partial")
        os.makedirs(partial)
        with open(os.path.join(partial, "summary.csv"), "w", encoding="utf-8") as file:
            file.write("layer,variant,cycles\na,lt,5\n")
        broken = os.path.join(folder, "broken")
        os.makedirs(broken)
        with open(os.path.join(broken, "summary.csv"), "w", encoding="utf-8") as file:
            file.write("layer,variant,cycles\na,lt,five\n")
        for path, text in ((folder + "/none", "No such file"), (partial, "no layer has all of lt, at"),
                           (broken, "summary.csv:2: expected a row")):
            failed = tool(path)
            assert failed.returncode == 2 and text in failed.stderr, (path, failed.stderr)
            assert failed.stderr.count("\n") == 1, failed.stderr
    print("fidelity_table: 5 cases")


if __name__ == "__main__":
    main()
