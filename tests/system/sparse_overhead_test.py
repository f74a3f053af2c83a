#!/usr/bin/python3
"""Does tools/sparse_overhead account for the additions of a run, and name what it cannot read?"""

import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "tools", "sparse_overhead")
SHAPE = ["--set", "gpu.sms=2", "--set", "workload.gemm.m=128", "--set", "workload.gemm.n=256",
         "--set", "workload.gemm.k=64"]


def run(tessera, out, *arguments):
    subprocess.run([tessera, "run", "dual_side_v100", *arguments, *SHAPE, "-q", "--out", out], check=True)
    return os.path.join(out, "result.json")


def tool(path):
    return subprocess.run([TOOL, path], capture_output=True, text=True, check=False)


def main():
    tessera = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        dense = run(tessera, os.path.join(folder, "dense"), "dual_side_ideal")
        printed = tool(dense)
        assert printed.returncode == 0, printed.stderr
        # Every product of a dense run is added once; 8 buffers of 0.00639317 mm^2.
        assert printed.stdout.startswith(f"{128 * 256 * 64} additions"), printed.stdout
        assert re.search(r"buffer, as the paper scales +0\.051 ", printed.stdout), printed.stdout

        banks = run(tessera, os.path.join(folder, "banks"), "dual_side_ideal", "--set",
                    "tensor_core.accumulation_buffer.banks=64")
        fedp = run(tessera, os.path.join(folder, "fedp"), "cutlass")
        broken = os.path.join(folder, "broken.json")
        with open(broken, "w", encoding="utf-8") as file:
            json.dump([], file)
        for path, text in ((banks, "no figures for tensor_core.accumulation_buffer.banks 64"),
                           (fedp, "expected the result.json of a run with SpWMMAs"),
                           (broken, "expected the result.json"), (folder + "/none", "No such file")):
            failed = tool(path)
            assert failed.returncode != 0 and text in failed.stderr, (path, failed.stderr)
            assert failed.stderr.count("\n") == 1, failed.stderr
    print("sparse_overhead: 5 cases")


if __name__ == "__main__":
    main()
