#!/usr/bin/python3
"""Areas of the RTL, scaled beside the papers' (tools/doc_tables), and the prices that are made of them.

Usage: rtl_tables_test.py
"""

import json
import os
import sys
import unittest

import yaml
from doc_tables_test import Pages
from reproduce_test import ROOT, read, write

sys.path.insert(0, os.path.join(ROOT, "tools"))
from tables import rtl  # noqa: E402
from tables.results import Results  # noqa: E402


class RtlTables(Pages):
    def test_areas_of_rtl_beside_a_papers(self):
        """Both scalings of NAND2 equivalents, and what memories take: 320 buffers of a V100, one detection unit."""
        rows = {"fp32_add_stage1": 500, "fp32_add_stage2": 500, "fedp": 2000, "feop without adders": 1000,
                "accumulation_buffer": 228000, "id_generator": 10000, "load_history_buffer of 1024 entries": 0, "rename_table": 0}
        results = ("configs", "reference", "results")
        write(json.dumps([{"unit": unit, "nand2": nand2, "memory_bits": 20972 * unit.startswith("load_history"), "cells": 7,
                           "flip_flops": 0, "ns": 4.25, "fo4": 43, "meets_clock": True} for unit, nand2 in rows.items()]),
              self.folder, *results, "rtl_area.json")
        figures = {"S.table4.area_mm2.float_adders": 0.121, "S.table4.area_mm2.operand_collector": 1.51, "D.area.of_register_file": 0.77}
        write(json.dumps({"figures": [{"id": name, "paper": paper} for name, paper in figures.items()]}), self.folder, *results, "reproduction.json")
        write("nand2_um2: 24\nto_12nm: {ideal: 0.004444, published: 0.010}\nto_22nm: {ideal: 0.015, published: 0.011}\n", self.folder,
              "configs", "reference", "process_scaling.yaml")
        write("areas_mm2: {accumulation_buffer: {each: {128: 0.001}, high: {128: 0.002}}}\n", self.folder, "configs", "energy", "dual_side_12nm.yaml")
        write("areas_mm2: {register_file: {each: {256: 0.4}, low: {256: 0.2}, high: {256: 0.8}}}\n", self.folder, "configs", "energy",
              "volta_cacti_22nm.yaml")
        self.page("rtl_scaled S")
        self.assertEqual(self.doc_tables().returncode, 0)
        text = read(self.folder, "docs", "page.md")
        self.assertIn("| adders: 128 a buffer | 128000 | 4.4 | 9.8 | 0.121 |\n", text)
        self.assertIn(" | 96000 | 3.3 | 7.4 | 0.121 |\n", text)
        self.assertIn(" | 100000 | 3.8 | 8.4 | 1.510 |\n", text)
        self.page("rtl_scaled D")
        self.assertEqual(self.doc_tables().returncode, 0)
        text = read(self.folder, "docs", "page.md")
        self.assertIn("| ID generator | 10000 | 0.8 | 0.3 to 1.8 |  |\n", text)
        self.assertIn("| load history buffer of 1024 entries | 0 | 1.0 | 1.0 to 1.0 |  |\n", text)
        self.assertIn("figure has | 10000 | 1.8 | 1.3 to 2.8 | 0.77 |\n", text)
        self.page("rtl_area")
        self.assertEqual(self.doc_tables().returncode, 0)
        self.assertIn("| fedp | 7 | 0 | 2000 | 0 | 4.25 | 43 | yes |\n", read(self.folder, "docs", "page.md"))
        self.page("rtl_scaled O")
        self.assert_refused(self.doc_tables(), "got 'O', expected 'S' or 'D'")

    def test_prices_of_the_additions_are_those_of_the_rtl(self):
        """dual_side_12nm.yaml has the areas that the table of docs/results/dual_side_sparse.md works out, a buffer's share."""
        results = Results(ROOT)
        adders, _, collector = (bounds for _, _, bounds, _ in rtl.table_4(rtl.Areas(results), results))
        with open(os.path.join(ROOT, "configs", "energy", "dual_side_12nm.yaml"), encoding="utf-8") as handle:
            areas = yaml.safe_load(handle)["areas_mm2"]
        for name, bounds in (("accumulation_adders", adders), ("operand_collector", collector)):
            priced = [rtl.BUFFERS * areas[name][bound][rtl.BANKS] for bound in ("each", "high")]
            for ours, worked_out in zip(priced, bounds):
                self.assertAlmostEqual(ours / worked_out, 1, delta=1e-4)


if __name__ == "__main__":
    unittest.main()
