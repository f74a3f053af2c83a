#!/usr/bin/python3
"""Checks the trends of opportunistic computing on small layers, whatever its absolute numbers: a gain that falls with
occupancy, large tables that help where small ones are replaced, next to nothing in fully connected layers, no window to
reuse where a thread computes one pixel, and about as many instructions as without it; and a row of the documentation
for each figure of the paper."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
C1, C2, C2_DATA = "lenet5.C1.forward", "lenet5.C2.forward", "lenet5.C2.backward_data"
PIXEL = ["workload.direct.mapping=pixel", "workload.layer.batch=2"]


class Shape(unittest.TestCase):
    tessera = ""

    def run_layer(self, layer, scheme, *sets):
        with tempfile.TemporaryDirectory() as folder:
            command = [self.tessera, "run", "gtx480_56sm", "opportunistic", layer, "-q", "--allow-unused", "--out",
                       folder]  # the baseline has no use for its schemes' tables
            for setting in (f"opportunistic.scheme={scheme}", *sets):
                command += ["--set", setting]
            subprocess.run(command, check=True, capture_output=True, timeout=120)
            with open(os.path.join(folder, "result.json"), encoding="utf-8") as handle:
                return json.load(handle)["metrics"]

    def gain(self, layer, scheme, *sets):
        """Speedup over the same layer without a scheme, in percent."""
        before = self.run_layer(layer, "none", *sets)
        return 100 * (before["cycles"] / self.run_layer(layer, scheme, *sets)["cycles"] - 1)

    def test_gain_falls_with_occupancy(self):
        gains = [self.gain(C1, "intra", "opportunistic.pt_entries=512", f"workload.layer.batch={batch}")
                 for batch in (1, 4, 16)]
        self.assertEqual(sorted(gains, reverse=True), gains)
        self.assertGreater(gains[0], 20)
        self.assertLess(gains[-1], 15)

    def test_fully_connected_layers_gain_nothing(self):
        for layer in ("lenet5.C3.forward", "lenet5.F1.forward", "lenet5.F2.forward"):
            for scheme in ("intra", "inter", "both"):
                with self.subTest(layer=layer, scheme=scheme):
                    self.assertLess(abs(self.gain(layer, scheme)), 2)

    def test_large_tables_help_where_small_ones_are_replaced(self):
        small = self.gain(C2_DATA, "intra")
        large = self.gain(C2_DATA, "intra", "opportunistic.pt_entries=512")
        self.assertGreater(small, 5)
        self.assertGreater(large, small + 5)

    def test_single_pixels_have_nothing_to_reuse_but_something_to_assign(self):
        for layer in (C1, C2_DATA):
            with self.subTest(layer=layer):
                self.assertEqual(self.run_layer(layer, "intra", *PIXEL)["predicted_percent"], 0)
                self.assertGreater(self.run_layer(layer, "inter", *PIXEL)["assigned_percent"], 6)
        self.assertGreater(self.gain(C1, "inter", *PIXEL), 2)

    def test_instructions_stay_about_the_same(self):
        for layer in (C1, C2, C2_DATA):
            with self.subTest(layer=layer):
                before = self.run_layer(layer, "none")["warp_instructions"]
                after = self.run_layer(layer, "both")["warp_instructions"]
                self.assertGreater(after / before, 0.8)
                self.assertLess(after / before, 1.1)


if __name__ == "__main__":
    Shape.tessera = os.path.abspath(sys.argv.pop(1))
    unittest.main()
