#!/usr/bin/python3
"""Whole-process benchmarks of `tessera run`, as the Markdown tables of docs/performance.md.

Usage: tests/bench/whole_process.py [--tessera PATH] [--repeat N]

Times are CPU seconds of the process (user + system), the median of N runs after one warm-up; memory is its
peak resident size. Nothing here passes or fails: the figures are for reading.
"""
import argparse
import json
import os
import statistics
import sys
import tempfile

os.environ["TESSERA_CACHE"] = "off"  # each run is simulated

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run_once(tessera, arguments, out):
    """Runs `tessera run`; returns (cpu seconds, peak MiB, host.json)."""
    command = [tessera, "run", *arguments, "-q", "--out", out]
    pid = os.posix_spawn(command[0], command, os.environ,
                         file_actions=[(os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit(f"whole_process.py: failed: {' '.join(command)}")
    with open(os.path.join(out, "host.json"), encoding="utf-8") as file:
        host = json.load(file)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, host


def measure(tessera, arguments, repeat):
    with tempfile.TemporaryDirectory() as out:
        run_once(tessera, arguments, out)
        runs = [run_once(tessera, arguments, out) for _ in range(repeat)]
    seconds = statistics.median(r[0] for r in runs)
    host = runs[0][2]
    return {
        "seconds": seconds,
        "mib": max(r[1] for r in runs),
        "instructions": host["warp_instructions"],
        "events": host["kernel_events"] / host["warp_instructions"],
    }


def row(label, m):
    rate = m["instructions"] / m["seconds"] / 1e6
    print(f"| {label} | {m['seconds']:.2f} | {m['mib']:.0f} | {m['instructions'] / 1e6:.2f} | "
          f"{rate:.2f} | {m['events']:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tessera", default=os.path.join(ROOT, "build/release/bin/tessera"))
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    if not os.access(options.tessera, os.X_OK):
        sys.exit(f"whole_process.py: {options.tessera} is not there; tools/build makes it")

    print("| run | CPU s | peak MiB | million warp instructions | million a second | events an instruction |")
    print("|---|---|---|---|---|---|")
    c2 = ["resnet.C2"]
    for label, arguments in [
            ("resnet.C2, baseline", c2 + ["baseline"]),
            ("resnet.C2, Duplo 1024", c2 + ["duplo_paper"]),
            ("resnet.C2, Duplo oracle", c2 + ["duplo_paper", "--set", "duplo.lhb.entries=infinite"]),
            ("resnet.C2, Duplo buildable", c2 + ["duplo_buildable"]),
            ("resnet.C2, Duplo 1024, values on", c2 + ["duplo_paper", "--set", "values=on"])]:
        row(label, measure(options.tessera, arguments, options.repeat))
    for batch in (1, 2, 4, 8, 16, 32):
        arguments = c2 + ["duplo_paper", "--set", f"workload.layer.batch={batch}"]
        row(f"resnet.C2, Duplo 1024, batch {batch}", measure(options.tessera, arguments, options.repeat))


if __name__ == "__main__":
    main()
