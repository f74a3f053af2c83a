#!/usr/bin/python3
"""Tables and values of docs/ that tools/doc_tables makes from stored results.

Usage: doc_tables_test.py
"""

import json
import os
import re
import shutil
import subprocess
import unittest

from reproduce_test import ROOT, Scratch, read, write

DOC_TABLES = os.path.join(ROOT, "tools", "doc_tables")


class Pages(Scratch):
    """A tree with one page."""

    def doc_tables(self, *arguments):
        return subprocess.run([DOC_TABLES, "--root", self.folder, *arguments], capture_output=True, text=True,
                              check=False)

    def page(self, table):
        write(f"# Page\n\n<!-- table: {table} -->\nold\n<!-- end of table -->\nafter\n", self.folder, "docs", "page.md")
        write("# Readme\n", self.folder, "README.md")


class DocTables(Pages):
    def test_the_tables_of_this_tree_are_what_the_results_say(self):
        process = subprocess.run([DOC_TABLES, "--check"], capture_output=True, text=True, check=False)
        self.assertEqual((process.returncode, process.stdout, process.stderr), (0, "", ""))

    def test_a_table_is_made_and_then_checked(self):
        write("layer,variant,baseline,seed,speedup_percent\na.x,v,b,1,1\na.x,v,b,2,2\na.y,v,b,1,-0.04\n", self.folder,
              "configs", "reference", "results", "trial.csv")
        self.page("layers trial speedup_percent v")
        self.assertEqual(self.doc_tables("--check").returncode, 1)
        self.assertIn("old", read(self.folder, "docs", "page.md"))
        self.assertEqual(self.doc_tables().returncode, 0)
        text = read(self.folder, "docs", "page.md")
        self.assertIn("| a.x | 1.5 |\n| a.y | 0.0 |\n| **mean** | 0.7 |\n<!-- end of table -->\nafter\n", text)
        self.assertEqual(self.doc_tables("--check").returncode, 0)
        write(text.replace("1.5", "1.6"), self.folder, "docs", "page.md")
        self.assertEqual(self.doc_tables("--check").stdout,
                         "docs/page.md: a table is not what the results say (tools/doc_tables)\n")

    def test_ratios_are_the_baselines_over_the_variants(self):
        write("layer,variant,baseline,seed,cycles\na.x,v,b,1,50\na.x,b,b,1,100\na.y,b,b,1,100\n", self.folder,
              "configs", "reference", "results", "trial.csv")
        self.page("ratios trial cycles v")
        self.assertEqual(self.doc_tables().returncode, 0)
        self.assertIn("| a.x | 2.00 |\n| a.y | - |\n| **mean** | 2.00 |\n", read(self.folder, "docs", "page.md"))

    def test_variant_times_have_a_row_a_variant(self):
        write("layer,variant,baseline,seed,cycles\na.x,b,b,1,100\na.x,b,b,2,100\na.x,v,b,1,50\na.x,v,b,2,80\n"
              "a.y,b,b,1,300\na.y,b,b,2,300\na.y,v,b,1,150\na.y,v,b,2,150\n", self.folder, "configs", "reference", "results", "trial.csv")
        table = "<!-- table: variant_times trial cycles\nrows: what\n{}: half the zeros\n-->\n<!-- end of table -->\n"
        write("# Page\n" + table.format("v"), self.folder, "docs", "page.md")
        write("# Readme\n", self.folder, "README.md")
        self.assertEqual(self.doc_tables().returncode, 0)
        # 2 and 1.25 times: a mean of 1.625, and 12.706 / sqrt(2) deviations of 0.53 around it.
        self.assertIn("| what | x | y |\n|---|---|---|\n| half the zeros | 1.62 ± 4.76 | 2.00 ± 0.00 |\n",
                      read(self.folder, "docs", "page.md"))
        write("# Page\n" + table.format("w"), self.folder, "docs", "page.md")
        self.assert_refused(self.doc_tables(), "variant_times: trial has no variant 'w'")
        write("# Page\n<!-- table: variant_times trial cycles -->\n<!-- end of table -->\n", self.folder, "docs", "page.md")
        self.assert_refused(self.doc_tables(), "expected 'rows:'")

    def test_gains_have_an_interval_over_seeds(self):
        write("layer,variant,baseline,seed,cycles\na.x,b,b,1,100\na.x,b,b,2,100\na.x,v,b,1,50\na.x,v,b,2,80\n"
              "a.y,b,b,1,300\na.y,b,b,2,300\na.y,v,b,1,150\na.y,v,b,2,240\n", self.folder, "configs", "reference", "results", "trial.csv")
        self.page("gains trial cycles v")
        self.assertEqual(self.doc_tables().returncode, 0)
        # 100 and 25 %: a mean of 62.5, and 12.706 / sqrt(2) deviations of 53.03 around it.
        spread = "62.5 ± 476.5"
        self.assertIn(f"| a.x | 100 | {spread} |\n| a.y | 300 | {spread} |\n| **mean** |  | {spread} |\n"
                      f"| **all together** | 400 | {spread} |\n", read(self.folder, "docs", "page.md"))

    def test_deviations_are_over_seeds(self):
        write("layer,variant,baseline,seed,gain\na.x,v,b,1,1\na.x,v,b,2,4\na.x,w,b,1,7\na.y,v,b,1,5\na.y,v,b,2,4\n", self.folder,
              "configs", "reference", "results", "trial.csv")
        self.page("deviations trial gain v w")
        self.assertEqual(self.doc_tables().returncode, 0)
        # 3 and 1, and means of 3 and 4, each over the root of two.
        self.assertIn("| a.x | 2.12 | - |\n| a.y | 0.71 | - |\n| **of the mean** | 0.71 | - |\n", read(self.folder, "docs", "page.md"))

    def test_a_networks_time_counts_layers_as_often_as_they_run(self):
        write("layer,variant,baseline,seed,cycles\na.x,v,b,1,50\na.x,b,b,1,100\na.y,v,b,1,100\na.y,b,b,1,100\n",
              self.folder, "configs", "reference", "results", "trial.csv")
        write("layer,variant,baseline,seed,cycles\na.x,v,b,1,50\n", self.folder, "configs", "reference", "results", "some.csv")
        self.page("networks trial v some a.y=2")
        self.assertEqual(self.doc_tables().returncode, 0)
        self.assertIn("| a | 1 | 2.00 | 2 | 1.50 | 1.20 |\n", read(self.folder, "docs", "page.md"))
        self.page("networks trial v some a.z=2")
        self.assert_refused(self.doc_tables(), "got 'a.z=2'")

    def cells(self, *lines, arguments="trial mean {row} {column}"):
        write("layer,variant,baseline,seed,cycles,hit_percent\na.x,v,b,1,50,40\na.x,b,b,1,100,\na.y,v,b,1,100,20\n"
              "a.y,b,b,1,150,\n", self.folder, "configs", "reference", "results", "trial.csv")
        self.page("\n".join([f"cells {arguments}", *lines, ""]))
        return self.doc_tables()

    def test_cells_have_the_rows_and_columns_that_are_named(self):
        process = self.cells("rows: choice", "b: none", "v: all: of it", "b,v: both", "columns:", "cycles: cycles",
                             "hit_percent: hits [%]", "times:cycles: times", "change:cycles: change [%]", "gain:cycles: gain",
                             "base:cycles: before", "first:cycles: of none")
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        text = read(self.folder, "docs", "page.md")
        self.assertIn("| choice | cycles | hits [%] | times | change [%] | gain | before | of none |\n", text)
        self.assertIn("| none | 125 | - | 1.00 | 0.0 | 0.0 | 125 | 125 |\n", text)
        # Means are taken over layers first: 100 / 50 and 150 / 100.
        self.assertIn("| all: of it | 75 | 30.0 | 1.75 | -41.7 | 75.0 | 125 | 0.60 |\n", text)
        self.assertIn("| both | 125, 75 | -, 30.0 | 1.00, 1.75 |", text)
        self.assertIn("rows: choice\nb: none\n", text)  # the comment stays
        self.assertEqual(self.doc_tables("--check").returncode, 0)

    def test_cells_are_of_layers_and_of_words_of_names(self):
        process = self.cells("rows:", "x: X", "columns:", "v cycles: V", "b hit_percent: B",
                             arguments="trial a.{row} {column1} {column2}")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn("| X | 50 | - |\n", read(self.folder, "docs", "page.md"))
        process = self.cells("rows:", "v: V", "columns:", "sum: sum", "least: least", "mean:*.x+*.z: X", "a.y: Y",
                             arguments="trial {column} {row} times:cycles")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn("| V | 1.67 | 1.50 | 2.00 | 1.50 |\n", read(self.folder, "docs", "page.md"))

    def test_levels_of_timing_are_beside_each_other(self):
        """Means over seeds are taken from a sweep, and what a table is made of is stored."""
        source = os.path.join(self.folder, "source")
        rows = [f"{layer},{variant},lt,{seed},{cycles + 2 * seed}"
                for layer, all_cycles in (("a.x", (97, 117, 57, 67)), ("a.y", (197, 187, 197, 207)))
                for variant, cycles in zip(("lt", "at", "lt_lhb1024", "at_lhb1024"), all_cycles) for seed in (1, 2)]
        write("\n".join(["layer,variant,baseline,seed,cycles", *rows, ""]), source, "summary.csv")
        write('{"experiment": "trial"}\n', source, "summary.json")
        self.page("fidelity trial")
        self.assertEqual(self.doc_tables("--update", source).returncode, 0)
        self.assertEqual(read(self.folder, "configs", "reference", "results", "trial.csv"),
                         "layer,lt,at,lt_lhb1024,at_lhb1024,chance_percent,seeds\na.x,100.0,120.0,60.0,70.0,1.67,2\n"
                         "a.y,200.0,190.0,200.0,210.0,0.53,2\n")
        text = read(self.folder, "docs", "page.md")
        self.assertIn("| a.x | 100 | 120 | +20.0 | 60 | 70 | +16.7 | +66.7 | +71.4 | 1.7 |\n", text)
        self.page("fidelity_means trial")
        self.assertEqual(self.doc_tables().returncode, 0)
        text = read(self.folder, "docs", "page.md")
        self.assertIn("| error, mean of the layers | +7.5 % | +10.8 % | within 5 % |\n| error, mean of its size | 12.5 % | 10.8 % |  |\n"
                      "| largest error of a layer | +20.0 % (a.x) | +16.7 % (a.x) | within 10 % |\n"
                      "| mean speedup of Duplo | lt 33.3 % | at 31.0 % | at most 2 points apart |\n", text)
        self.assertEqual(self.doc_tables("--check").returncode, 0)
        write("layer,variant,baseline,seed,cycles\na.x,lt,lt,1,5\n", source, "summary.csv")
        self.assert_refused(self.doc_tables("--update", source), "no layer has all of lt, at")

    def test_a_part_of_an_experiment_replaces_nothing(self):
        self.page("cells trial a.x {row} {column}\nrows:\nv: V\nw: W\ncolumns:\ncycles: cycles\n")
        stored = "layer,variant,baseline,seed,cycles\na.x,v,v,1,5\na.x,w,v,1,6\n"
        write(stored, self.folder, "configs", "reference", "results", "trial.csv")
        source = os.path.join(self.folder, "source")
        write("{}\n", source, "reproduction.json")
        for rows, expected in (("a.x,v,v,1,7\n", stored), ("a.x,v,v,1,7\na.x,w,v,1,8\n", stored.replace("5", "7").replace("6", "8"))):
            write("layer,variant,baseline,seed,cycles\n" + rows, source, "trial", "summary.csv")
            process = self.doc_tables("--update", source)
            self.assertEqual(process.returncode, 0, process.stderr)
            self.assertEqual(read(self.folder, "configs", "reference", "results", "trial.csv"), expected)

    def test_update_takes_what_the_host_took(self):
        source = os.path.join(self.folder, "source")
        write('{"experiment": "trial"}\n', source, "summary.json")
        write("layer,variant,seed,seconds,peak_memory_bytes\na.x,v,1,1.5,7\na.y,v,1,2.5,7\n", source, "host.csv")
        self.page("cells trial_host sum:a.* {column} {row}\nrows:\nseconds: seconds\ncolumns:\nv: V\n")
        self.assertEqual(self.doc_tables("--update", source).returncode, 0)
        self.assertEqual(read(self.folder, "configs", "reference", "results", "trial_host.csv"),
                         "layer,variant,baseline,seed,seconds\na.x,v,,1,1.5\na.y,v,,1,2.5\n")
        self.assertIn("| seconds | 4.0 |\n", read(self.folder, "docs", "page.md"))

    def test_mistakes_in_cells_are_named(self):
        good = ["rows:", "v: V", "columns:", "cycles: C"]
        for lines, words in [(["rows:", "w: W", *good[2:]], ["docs/page.md:3: cells: trial has no variant 'w'"]),
                             ([*good[:3], "cicles: C"], ["trial has no column 'cicles'"]),
                             ([*good[:3], "half:cycles: C"], ["got 'half:cycles'", "times"]),
                             (good[:2], ["no columns are named"]),
                             (["v: V", *good], ["got 'v:'"]),
                             ([*good, "without a label"], ["docs/page.md:8: got 'without a label'"])]:
            self.assert_refused(self.cells(*lines), *words)
        self.assert_refused(self.cells(*good, arguments="trial a.z {row} {column}"), "trial has no layer 'a.z'")
        self.assert_refused(self.cells(*good, arguments="trial mean {line} {column}"), "'{line}' does not fit row 'v'")
        self.assert_refused(self.cells(*good, arguments="trial mean"), "docs/page.md:3: cells:")

    def test_update_takes_the_columns_of_cells(self):
        self.cells("rows:", "v: V", "columns:", "times:cycles: C")
        source = os.path.join(self.folder, "source")
        write('{"experiment": "trial"}\n', source, "summary.json")
        write("layer,variant,baseline,seed,cycles,hit_percent\na.x,v,v,1,7,8\n", source, "summary.csv")
        self.assertEqual(self.doc_tables("--update", source).returncode, 0)
        self.assertEqual(read(self.folder, "configs", "reference", "results", "trial.csv"),
                         "layer,variant,baseline,seed,cycles\na.x,v,v,1,7\n")

    def test_points_are_beside_those_of_a_paper(self):
        write("layer,variant,baseline,seed,cycles\nf.a0000_b0000,d,d,1,4000\nf.a0000_b0000,v,d,1,2200\n"
              "f.a0999_b0500,v,d,1,900\n", self.folder, "configs", "reference", "results", "trial.csv")
        write("dA,dB,time_units\n1.0,1.0,1000\n0.001,0.5,500\n", self.folder, "configs", "reference", "paper.csv")
        self.page("points trial paper 1500 2 v")
        self.assertEqual(self.doc_tables().returncode, 0)
        text = read(self.folder, "docs", "page.md")
        self.assertIn("| 0 | 0 | 1000 | 1100 | 10.0 | 1.50 | 1.82 |\n| 99.9 | 50 | 500 | 450 | -10.0 | 3.00 | 4.44 |\n"
                      "| **mean error** |  |  |  | 10.0 |  |  |\n", text)
        self.page("points trial paper 1500 2 w")
        self.assert_refused(self.doc_tables(), "docs/page.md:3: points: trial has no cycles of 'w'")
        self.page("points trial paper many 2 v")
        self.assert_refused(self.doc_tables(), "'many'")
        self.page("points trial none 1500 2 v")
        self.assert_refused(self.doc_tables(), "none.csv")

    def test_ways_of_lowering_are_beside_the_papers(self):
        source = os.path.join(self.folder, "source")
        points = [{"sparsity_percent": 99.9, "ratio_to_dense": 0.5, "operations": {"index_reads": 64, "adds": 4}}]
        write(json.dumps({"lowered_elements": 64, "methods": [{"name": "row", "what": "by rows", "points": points}],
                          "paper": {"S.table3.csr": [{"sparsity_percent": 99.9, "ratio_to_dense": 1.2}]}}),
              source, "im2col_table.json")
        self.page("lowering times")
        self.assertEqual(self.doc_tables("--update", source).returncode, 0)
        self.assertIn("| zeros [%] | 99.9 |\n|---|---|\n| *paper: csr* | *1.2* |\n| `row`: by rows | 0.50 |\n",
                      read(self.folder, "docs", "page.md"))
        self.page("lowering operations 99.9")
        self.assertEqual(self.doc_tables().returncode, 0)
        self.assertIn("| method | index reads | adds |\n|---|---|---|\n| `row` | 32.00 | 2.00 |\n", read(self.folder, "docs", "page.md"))
        self.page("lowering operations 50")
        self.assert_refused(self.doc_tables(), "lowering: the results have no 50 %")
        self.page("lowering energy")
        self.assert_refused(self.doc_tables(), "lowering: got 'energy', expected 'times' or 'operations PERCENT'")

    def test_update_takes_the_columns_that_are_used(self):
        self.page("means trial v -- cycles")
        source = os.path.join(self.folder, "source")
        write('{"figures": []}\n', source, "reproduction.json")
        write("layer,variant,baseline,seed,config_hash,cycles,other\na.x,v,v,1,abc,7,8\n", source, "trial", "summary.csv")
        self.assertEqual(self.doc_tables("--update", source).returncode, 0)
        self.assertEqual(read(self.folder, "configs", "reference", "results", "trial.csv"),
                         "layer,variant,baseline,seed,cycles\na.x,v,v,1,7\n")
        self.assertIn("| `v` | 7.0 |", read(self.folder, "docs", "page.md"))
        shutil.rmtree(source)
        self.assert_refused(self.doc_tables("--update", source), "no results of tessera reproduce")

    def test_networks_are_taken_over_by_the_names_of_their_folders(self):
        layers = [{"is_product": True, "flop": 300, "zeros_a": 0.5, "zeros_b": 0.1}, {"is_product": True, "flop": 100, "zeros_a": 0.01},
                  {"is_product": False, "flop": 900, "zeros_a": 1.0}]
        for layer, limit in zip(layers, ("few CTAs (1 on 80 SMs): 99 % of", "DRAM: 70.0 % of 898 GB/s", "few CTAs (8 on 80 SMs): 90 % of")):
            layer["times"] = [{"bound_by": limit, "cycles": 1000, "launch_cycles": 300, "kernel": "a.forward.256x64"}]
            layer["shape"] = f"{layer['flop']} wide"
        # With the launches of the machine alone they save 100 and 200 cycles; the third is not the variant's own.
        for layer, (cycles, launch, own) in zip(layers, ((700, 100, True), (500, 0, True), (10, 0, False))):
            layer["times"].append({"bound_by": "", "cycles": cycles, "launch_cycles": launch, "kernel": "a.gemm", "own": own})
        totals = {"cycles": 3000.0, "speedup": 1.0, "cycles_with_faster_kernels": 3000.0, "speedup_with_faster_kernels": 1.0,
                  "speedup_same_launches": 1.0, "speedup_with_faster_kernels_same_launches": 1.0, "launch_percent": 12.5,
                  "layers_of_its_own": 3, "layers_checked": 2}
        fast = dict(totals, name="fast", speedup=1.5, speedup_half_width=0.04, speedup_with_faster_kernels=1.6,
                    speedup_same_launches=1.3)
        network = {"command": "tessera network /some/where/net.onnx m --input x=/else/x.npy", "core_clock_mhz": 1500.0, "sampled": False, "layers": layers,
                   "variants": [dict(totals, name="alone", sets=[]), fast]}
        write(json.dumps(network), self.folder, "source", "net_b1", "network.json")
        self.page("network_speedups fast -- net_b1")
        self.assert_refused(self.doc_tables(), "networks.json")
        self.assertEqual(self.doc_tables("--update", os.path.join(self.folder, "source", "net_b1")).returncode, 0)
        self.assertIn("| `net_b1` | 2 | 12.5 | 1.500 ± 0.040 | 1.300 | 1.600 | 1.000 | 37.8 | 10.0 |\n", read(self.folder, "docs", "page.md"))
        self.page("network_checks net_b1")
        self.assertEqual(self.doc_tables().returncode, 0)
        self.assertIn("| `net_b1` | 3 | 2 | `tessera network net.onnx m --input x=x.npy` |\n", read(self.folder, "docs", "page.md"))
        self.page("network_limits net_b1")
        self.assertEqual(self.doc_tables().returncode, 0)
        self.assertIn("| network | few CTAs [%] | DRAM [%] |\n|---|---|---|\n| `net_b1` | 66.7 | 33.3 |\n", read(self.folder, "docs", "page.md"))
        self.page("network_gains fast -- net_b1")
        self.assertEqual(self.doc_tables().returncode, 0)
        self.assertIn("| `net_b1` | `fast` | 10.0 | 6.7 | 6.7 | 100 wide | `forward.256x64` | 1.0 | 0.0 |\n", read(self.folder, "docs", "page.md"))
        write("network,batch,card,library,ms,convolutions_ms,result\nnet,1,T,L 7,0.001,,net_b1\n", self.folder, "configs", "reference", "cards.csv")
        self.page("network_cards cards")
        self.assertEqual(self.doc_tables().returncode, 0)
        self.assertIn("| net | 1 | T | L 7 | 0.00 | - | 0.00 | +100 | 0.00 | +75 |\n", read(self.folder, "docs", "page.md"))
        self.page("network_gains fast net_b1")
        self.assert_refused(self.doc_tables(), "network_gains: expected VARIANT... -- NETWORK...")
        self.page("network_checks net_b8")
        self.assert_refused(self.doc_tables(), "networks.json has no network 'net_b8', but net_b1")
        self.page("network_speedups slow -- net_b1")
        self.assert_refused(self.doc_tables(), "the results have no 'slow'")
        self.page("network_speedups fast net_b1")
        self.assert_refused(self.doc_tables(), "expected VARIANT... -- NETWORK...")

    def test_values_stand_in_sentences(self):
        figures = [{"id": "D.a", "stated": "22.1", "ours": 14.13, "half_width_95_percent": 1.06, "kind": "measured"},
                   {"id": "D.a", "stated": "22.1", "ours": 17.6, "kind": "measured", "other_reading": True}]
        write(json.dumps({"figures": figures}), self.folder, "configs", "reference", "results", "reproduction.json")
        write(json.dumps([{"figure": "D.a", "points": [{"name": "ports.low", "ours": 3.25}]}]),
              self.folder, "configs", "reference", "results", "atlas.json")
        write("layer,variant,baseline,seed,cycles\na.x,v,b,1,50\na.x,b,b,1,100\n", self.folder, "configs", "reference", "results", "trial.csv")
        write("", self.folder, "README.md")
        write("It is <!-- value: ours D.a -->9<!-- end --> ± <!-- value: half D.a --><!-- end --> for <!-- value: paper D.a --><!-- end -->.\n"
              "<!-- value: atlas D.a ports.low --><!-- end -->, <!-- value: cell trial mean v times:cycles --><!-- end -->\n", self.folder, "docs", "page.md")
        self.assertEqual(self.doc_tables("--check").returncode, 1)
        process = self.doc_tables()
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        text = re.sub(r"<!--.*?-->", "", read(self.folder, "docs", "page.md"))
        self.assertEqual(text, "It is 14.1 ± 1.1 for 22.1.\n3.2, 2.00\n")
        self.assertEqual(self.doc_tables("--check").returncode, 0)
        for wrong in ("ours D.b", "theirs D.a", "atlas D.a ports.high", "cell trial mean w cycles"):
            write(f"<!-- value: {wrong} --><!-- end -->\n", self.folder, "docs", "page.md")
            self.assert_refused(self.doc_tables(), "docs/page.md:1: ")

    def results_page(self, text):
        """Refusals of a page of docs/results, beside a sweep and a paper's numbers."""
        write("# Readme\n", self.folder, "README.md")
        write("layer,variant,baseline,seed,cycles\na.x,v,b,1,50\na.x,b,b,1,100\n", self.folder, "configs", "reference", "results", "trial.csv")
        write("# 77.7\nduplo:\n  results:\n    - {id: D.fig9, value: 22.1, note: \"of 45 layers\"}\n"
              "  layers: {C1: {input: [8, 224]}}\n", self.folder, "configs", "reference", "paper_results.yaml")
        path = os.path.join(self.folder, "docs", "results", "page.md")
        write(text, path)
        self.assertEqual(self.doc_tables().returncode, 0)
        process = self.doc_tables("--check")
        self.assertEqual((process.returncode, process.stderr), (1 if process.stdout else 0, ""))
        return [re.sub(r", expected .*", "", line) for line in process.stdout.splitlines()]

    def test_a_typed_number_is_found(self):
        self.assertEqual(self.results_page("# Page of 3.5 %\n\nIt gains 14.1 % here,\nand 3 and 1,204 cycles there.\n"),
                         [f"docs/results/page.md:{line}: '{number}' is typed" for line, number in ((3, "14.1"), (4, "3"), (4, "1,204"))])
        self.assertIn("expected a <!-- value: ... --> tag, a number of a table", self.doc_tables("--check").stdout)
        # Lists share a unit, also with the number of a tag; a decimal point needs none.
        self.assertEqual(self.results_page("Of 12 to 13 %. From 4 to <!-- value: cell trial a.x v times:cycles --><!-- end --> times. It is 0.5.\n"),
                         [f"docs/results/page.md:1: '{number}' is typed" for number in ("12", "13", "4", "0.5")])
        for fine in ("22 layers, C2 of 3x3 and 64 x 64 x 3, 4096^3 and GPGPU-Sim 3.2.2.", "[It](1.5) is one.", "It is `1.5`.", "Half of the 95 % interval, with cuBLAS 10.1.", "It gains more (V-D: \"1.5 x\").", "Nine tenths are zero."):
            self.assertEqual(self.results_page(fine + "\n"), [], fine)

    def test_a_made_number_is_none_that_is_typed(self):
        self.assertEqual(self.results_page("It is <!-- value: cell trial a.x v times:cycles -->2<!-- end --> times.\n"), [])

    def test_a_number_of_a_table_belongs_to_its_section(self):
        table = "<!-- table: ratios trial cycles v -->\n<!-- end of table -->\n"
        self.assertEqual(self.results_page(f"## One\nIt is 2.00 times (+2.00).\n\n{table}"), [])
        self.assertEqual(self.results_page(f"## One\nIt is 2.0 times.\n\n{table}"), ["docs/results/page.md:2: '2.0' is typed"])
        self.assertEqual(self.results_page(f"## One\n{table}\n## Two\nIt is 2.00 times.\n"), ["docs/results/page.md:10: '2.00' is typed"])
        self.assertEqual(self.results_page("## One\n| typed |\n|---|\n| 2.00 |\n\nIt is 2.00 times.\n"),
                         ["docs/results/page.md:4: '2.00' is typed", "docs/results/page.md:6: '2.00' is typed"])

    def test_a_number_of_a_paper_belongs_to_a_sentence_that_names_it(self):
        self.assertEqual(self.results_page("The paper has 22.1 %, of 45 % of them.\n"), [])
        self.assertEqual(self.results_page("The paper gains. It is 22.1 %.\n"), ["docs/results/page.md:1: '22.1' is typed"])
        self.assertEqual(self.results_page("The paper has 77.7 and 224 %.\n"),
                         ["docs/results/page.md:1: '77.7' is typed", "docs/results/page.md:1: '224' is typed"])
        self.assertEqual(self.results_page("The paper has 60.2 % (V-D: \"60.2%, and 1.5 more\").\n"), [])
        self.assertEqual(self.results_page("The paper has 60.2 % (\"60.2%\").\n"), ["docs/results/page.md:1: '60.2' is typed"] * 2)

    def test_a_number_of_an_output_or_of_a_setting_is_none_that_is_typed(self):
        block = "```console\n$ tessera run a --set b=7.5\n  cycles  654.5\n```\n"
        self.assertEqual(self.results_page(f"It takes 654.5 cycles.\n\n{block}"), [])
        self.assertEqual(self.results_page(f"It takes 7.5 cycles.\n\n{block}"), ["docs/results/page.md:1: '7.5' is typed"])
        self.assertEqual(self.results_page(block.replace("$ ", "") + "\nIt takes 654.5 cycles.\n"), ["docs/results/page.md:6: '654.5' is typed"])
        self.assertEqual(self.results_page("It takes 16 cycles (`gpu.jitter_cycles: 16`).\n"), [])
        self.assertEqual(self.results_page("It takes 16 cycles. (`gpu.jitter_cycles: 16`)\n"), ["docs/results/page.md:1: '16' is typed"])

    def test_a_number_of_a_linked_file_counts_outside_of_results(self):
        write("constexpr double kShared = 1.18;\n", self.folder, "sc_models", "rule.cpp")
        text = "## One\nIt is 1.18 times, as [the rule](../{}sc_models/rule.cpp) has it.\n"
        self.assertEqual(self.results_page(text.format("../")), ["docs/results/page.md:2: '1.18' is typed"])
        write("Fine.\n", self.folder, "docs", "results", "page.md")
        page = os.path.join(self.folder, "docs", "networks.md")
        for typed, found in ((text.format(""), []), (text.format("").replace("1.18", "1.19"), ["'1.19' is typed"]),
                             (text.format("") + "## Two\nIt is 1.18 times.\n", ["'1.18' is typed"])):
            write(typed, page)
            process = self.doc_tables("--check")
            self.assertEqual([re.sub(r"^docs/networks.md:\d+: |, expected .*", "", line) for line in process.stdout.splitlines()], found)
            self.assertEqual((process.returncode, process.stderr), (1 if found else 0, ""))

    def test_numbers_of_sentences_are_calculated(self):
        write("layer,variant,baseline,seed,cycles\na.x,v,b,1,50\na.x,b,b,1,100\na.x,v,b,2,80\na.x,b,b,2,100\na.x,w,b,1,40\na.x,w,b,2,40\n",
              self.folder, "configs", "reference", "results", "trial.csv")
        figures = [{"id": "D.a", "stated": "20", "paper": 20.0, "ours": 10.0, "kind": "measured", "other_reading": True},
                   {"id": "D.a", "stated": "20", "paper": 20.0, "ours": 15.0, "kind": "measured"}]
        write(json.dumps({"figures": figures}), self.folder, "configs", "reference", "results", "reproduction.json")
        write(json.dumps({"methods": [{"name": "row", "points": [{"sparsity_percent": 99.9, "ratio_to_dense": 0.5}]}],
                          "paper": {"S.t": [{"sparsity_percent": 99.9, "ratio_to_dense": 2}]}}),
              self.folder, "configs", "reference", "results", "im2col_table.json")
        write('{"mean_absolute_error_percent": 11.32, "rows": [{"name": "8 16", "card_us": 6, "model_us": 4}, {"name": "9", "card_us": 1}]}\n', self.folder, "configs", "reference", "results", "card_correlation.json")
        for tag, text in (("calc 1 100 * [trial a.x v cycles] / ([trial a.x b cycles] + 30)", "50.0"),
                          ("calc 0 100 - 100 * [ours D.a] / [paper D.a]", "25"), ("calc 2 [lowering row 99.9] / [lowering S.t 99.9]", "0.25"),
                          ("ours D.a 1", "10.0"), ("ours D.a 2", "15.0"), ("correlation card", "11.3"), ("calc 1 [card card 8_16] / [model card 8_16]", "1.5"), ("cell trial a.x v/w times:cycles", "0.62"),
                          # 10 and 40 by seed: 12.706 / sqrt(2) deviations of 21.2 around their mean.
                          ("interval [trial a.x v cycles] - [trial a.x w cycles]", "25.0 ± 190.6")):
            write(f"<!-- value: {tag} --><!-- end -->\n", self.folder, "docs", "page.md")
            write("# Readme\n", self.folder, "README.md")
            process = self.doc_tables()
            self.assertEqual((process.returncode, process.stderr), (0, ""), tag)
            self.assertEqual(read(self.folder, "docs", "page.md"), f"<!-- value: {tag} -->{text}<!-- end -->\n")
        for wrong, words in (("calc [ours D.a]", "expected calc DECIMALS EXPRESSION"), ("calc 1 abs([ours D.a])", "with + - * / ( )"),
                             ("calc 1 1 / 0", "with + - * / ( )"), ("calc 1 [theirs D.a]", "[lowering METHOD PERCENT]"),
                             ("calc 1 [lowering row 5]", "no lowering by 'row' at 5 %"), ("calc 1 [model card 9]", "'[model card 9]' is not a number"), ("calc 1 [card card 7]", "card has no row '7'"), ("ours D.a 3", "no row 3 of 'D.a'"),
                             ("cell trial a.x v/u times:cycles", "trial has no baseline 'u'"), ("interval [ours D.a]", "two seeds or more")):
            write(f"<!-- value: {wrong} --><!-- end -->\n", self.folder, "docs", "page.md")
            self.assert_refused(self.doc_tables(), "docs/page.md:1: ", words)

    def test_update_takes_the_columns_of_sentences(self):
        self.page("cells trial a.x {row} cycles\nrows:\nv: V\ncolumns:\nc: C\n")
        write("layer,variant,baseline,seed,cycles,hits,misses\na.x,v,v,1,7,8,9\n", self.folder, "source", "summary.csv")
        write('{"experiment": "trial"}\n', self.folder, "source", "summary.json")
        write("<!-- value: calc 1 [trial a.x v hits] + 1 --><!-- end -->\n", self.folder, "docs", "other.md")
        self.assertEqual(self.doc_tables("--update", os.path.join(self.folder, "source")).returncode, 0)
        self.assertEqual(read(self.folder, "configs", "reference", "results", "trial.csv"),
                         "layer,variant,baseline,seed,cycles,hits\na.x,v,v,1,7,8\n")

    def test_an_atlas_of_some_figures_leaves_the_others(self):
        stored = [{"figure": "D.a", "points": []}, {"figure": "D.b", "points": []}]
        write(json.dumps(stored), self.folder, "configs", "reference", "results", "atlas.json")
        source = os.path.join(self.folder, "source")
        write(json.dumps([{"figure": "D.b", "points": [1]}, {"figure": "D.c", "points": []}]), source, "atlas.json")
        self.page("lowering times")
        self.doc_tables("--update", source)
        taken = json.loads(read(self.folder, "configs", "reference", "results", "atlas.json"))
        self.assertEqual(taken, [{"figure": "D.a", "points": []}, {"figure": "D.b", "points": [1]}, {"figure": "D.c", "points": []}])

    def test_update_takes_the_columns_of_reasons(self):
        self.cells("rows:", "v: V", "columns:", "times:cycles: C")
        write("explanations:\n  D.a: {why: \"{cell trial mean v hit_percent}\"}\n", self.folder, "configs", "reproduction.yaml")
        source = os.path.join(self.folder, "source")
        write('{"experiment": "trial"}\n', source, "summary.json")
        write("layer,variant,baseline,seed,cycles,hit_percent\na.x,v,v,1,7,8\n", source, "summary.csv")
        process = self.doc_tables("--update", source)
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        self.assertEqual(read(self.folder, "configs", "reference", "results", "trial.csv"),
                         "layer,variant,baseline,seed,cycles,hit_percent\na.x,v,v,1,7,8\n")

    def test_mistakes_in_a_page_are_named(self):
        self.page("lairs trial cycles v")
        self.assert_refused(self.doc_tables(), "docs/page.md:3: no table 'lairs'")
        self.page("layers nothing cycles v")
        self.assert_refused(self.doc_tables(), "nothing.csv")
        self.page("layers trial cycles\nv: V\n")
        self.assert_refused(self.doc_tables(), "docs/page.md:3: layers: its comment has one line")
        write("<!-- table: cells trial mean {row} {column}\nrows:\nv: V", self.folder, "docs", "page.md")
        self.assert_refused(self.doc_tables(), "docs/page.md:1: a comment without its end")


if __name__ == "__main__":
    unittest.main()
