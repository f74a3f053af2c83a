#!/usr/bin/python3
"""How fast instruction traces are replayed, as the Markdown table of docs/performance.md.

Usage: tests/bench/trace_replay.py [--tessera PATH] [--repeat N] [--plain]

Writes the tensor-core product of ResNet C2 (M=25088, 4.5 million warp instructions) as a trace to a temporary
folder and replays it on the machine of qv100_accelsim at every level of timing there is. Times are CPU seconds
of the process (user + system), the median of N runs; memory is its peak resident size. Nothing here passes or
fails: the figures are for reading.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

from whole_process import ROOT, run_once

os.environ["TESSERA_CACHE"] = "off"  # each run is simulated


def levels_of_timing(tessera):
    """The values of the key `timing`."""
    text = subprocess.run([tessera, "config", "--list"], capture_output=True, text=True, check=True).stdout
    return re.search(r"^timing .*\{([^}]*)\}", text, re.MULTILINE).group(1).split(", ")


def write_trace(tessera, folder, plain):
    """Writes the trace; returns the path of its list and the size of its kernel."""
    command = [tessera, "trace", "write", "resnet.C2", "--sass-gemm", "--out", folder]
    subprocess.run(command + ([] if plain else ["--xz"]), check=True, stdout=subprocess.DEVNULL)
    kernel = "kernel-1.traceg" + ("" if plain else ".xz")
    return os.path.join(folder, "kernelslist.g"), os.path.getsize(os.path.join(folder, kernel))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tessera", default=os.path.join(ROOT, "build/release/bin/tessera"))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--plain", action="store_true", help="leave the trace uncompressed (0.4 GB)")
    options = parser.parse_args()
    if not os.access(options.tessera, os.X_OK):
        sys.exit(f"trace_replay.py: {options.tessera} is not there; tools/build makes it")

    with tempfile.TemporaryDirectory() as folder:
        trace, size = write_trace(options.tessera, os.path.join(folder, "trace"), options.plain)
        print(f"trace of {size / 2**20:.1f} MiB\n")
        print("| run | CPU s | peak MiB | million warp instructions | million a second | events an instruction |")
        print("|---|---|---|---|---|---|")
        for timing in levels_of_timing(options.tessera):
            arguments = ["qv100_accelsim", "--trace", trace, "--set", f"timing={timing}"]
            runs = [run_once(options.tessera, arguments, os.path.join(folder, "out"))
                    for _ in range(options.repeat)]
            seconds = statistics.median(run[0] for run in runs)
            host = runs[0][2]
            instructions = host["warp_instructions"]
            print(f"| GEMM trace, {timing} | {seconds:.2f} | {max(run[1] for run in runs):.0f} | "
                  f"{instructions / 1e6:.2f} | {instructions / seconds / 1e6:.2f} | "
                  f"{host['kernel_events'] / instructions:.2f} |", flush=True)


if __name__ == "__main__":
    main()
