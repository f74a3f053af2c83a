#!/usr/bin/env python3
"""Checks JEDEC's rules on the DRAM commands of layers, with HBM2's rules, until there are enough.

Usage: dram_commands.py TESSERA JEDEC_CHECK [--commands N]
Prints the commands of each layer and, for each rule, comparisons and violations of all layers. Exits with 1 if a
command breaks a rule, or if the layers have fewer commands than N.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

os.environ["TESSERA_CACHE"] = "off"  # each run is simulated

LAYERS = ["resnet.C2", "gan.TC3", "yolo.C2", "gan.TC4", "yolo.C1", "resnet.C3", "yolo.C3", "resnet.C4", "yolo.C4"]


def check(arguments, layer, rules):
    """Returns the number of commands of the layer; adds its comparisons and violations to the rules."""
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.csv")
        subprocess.run([arguments.tessera, "run", "duplo_titan_v", "dram_hbm2", "baseline", layer, "--quiet", "--set",
                        "timing=at", "--dram-trace", trace], check=True)
        checked = subprocess.run([arguments.checker, trace], stdout=subprocess.PIPE, text=True, check=False)
    if checked.returncode not in (0, 1):
        sys.exit(f"{layer}: the checker ended with {checked.returncode}")
    for rule, comparisons, violations in re.findall(r"^  (\w+): (\d+) comparisons, (\d+) violations$", checked.stdout, re.M):
        rules[rule] += collections.Counter(comparisons=int(comparisons), violations=int(violations))
    return int(re.search(r": (\d+) commands$", checked.stdout, re.M).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tessera")
    parser.add_argument("checker")
    parser.add_argument("--commands", type=int, default=10_000_000)
    arguments = parser.parse_args()
    rules = collections.defaultdict(collections.Counter)
    total = 0
    for layer in LAYERS:
        if total >= arguments.commands:
            break
        commands = check(arguments, layer, rules)
        total += commands
        print(f"{layer}: {commands} commands, {total} in all", flush=True)
    for rule, counts in sorted(rules.items()):
        print(f"{rule}: {counts['comparisons']} comparisons, {counts['violations']} violations")
    broken = sum(counts["violations"] for counts in rules.values())
    return 0 if broken == 0 and total >= arguments.commands else 1


if __name__ == "__main__":
    sys.exit(main())
