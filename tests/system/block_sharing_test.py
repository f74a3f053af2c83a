#!/usr/bin/python3
"""Figure 2 of opportunistic computing, as docs/results/opportunistic.md has it: how many of the blocks that LeNet-5 misses
in an L1 are in another SM's, there or on their way there, and the largest share of a layer."""

import json
import os
import subprocess
import sys
import tempfile

# The setting of configs/experiments/opportunistic_sharing.yaml that the figure is read from.
EXPERIMENT = """
base: [gtx480_56sm, opportunistic]
networks: [lenet5]
variants:
  yseg8: {set: {opportunistic.scheme: none, opportunistic.characterise: on}}
"""
FOUND, EXPECTED, LARGEST = 70.4, 89.5, 76.1


def main():
    tessera = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        experiment, out = os.path.join(folder, "e.yaml"), os.path.join(folder, "out")
        with open(experiment, "w", encoding="utf-8") as handle:
            handle.write(EXPERIMENT)
        subprocess.run([tessera, "sweep", experiment, "-j", "2", "--out", out], check=True, capture_output=True)
        layers = []
        for layer in sorted(os.listdir(os.path.join(out, "runs"))):
            with open(os.path.join(out, "runs", layer, "yseg8", "result.json"), encoding="utf-8") as handle:
                layers.append(json.load(handle)["metrics"])
    assert len(layers) == 14, len(layers)
    misses = sum(m["sharing_misses"] for m in layers)
    found = 100 * sum(m["sharing_found_elsewhere"] for m in layers) / misses
    expected = 100 * sum(m["sharing_found_or_expected"] for m in layers) / misses
    largest = max(100 * m["sharing_found_elsewhere"] / m["sharing_misses"] for m in layers if m["sharing_misses"])
    measured = [round(share, 1) for share in (found, expected, largest)]
    assert measured == [FOUND, EXPECTED, LARGEST], measured
    return 0


if __name__ == "__main__":
    sys.exit(main())
