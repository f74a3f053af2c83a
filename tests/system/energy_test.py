#!/usr/bin/python3
"""The energy account of real runs: the sum of its parts is the total, each event stands in it once and is counted from the
statistics beside it, and `tessera energy` prices runs and sweeps by any table."""

import json
import os
import re
import sys
import unittest

import small_run
from small_run import InFolder, tessera

OFF_CHIP = {"dram", "board"}
NOT_STORAGE = {"static", "issue", "cuda_cores", "tensor_cores", "noc"}
EVERYWHERE = {"register_file", "issue", "cuda_cores", "tensor_cores", "shared_memory", "l1", "l2", "dram"}
LAYER = ["--set", "gpu.sms=2", "--set", "workload.tiling.cta_limit=8"]
PRODUCT = ["--set", "gpu.sms=2", "--set", "workload.gemm.m=128", "--set", "workload.gemm.n=256", "--set",
           "workload.gemm.k=64", "--set", "workload.sparse.b.sparsity=0.9"]
DIRECT = ["--set", "workload.layer.batch=1", "--set", "opportunistic.scheme=both"]


def counts(energy):
    return {line["event"]: line["count"] for line in energy["parts"] + energy["unpriced"]}


def parts(energy):
    return {line["part"] for line in energy["parts"]}


class Energy(InFolder):
    def run_of(self, *arguments):
        out = self.path("run")
        done = tessera("run", *arguments, "--quiet", "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(out, "result.json"), encoding="utf-8") as file:
            return json.load(file)

    def assert_adds_up(self, energy):
        events = [line["event"] for line in energy["parts"] + energy["unpriced"]]
        self.assertEqual(len(events), len(set(events)), "an event stands in the account twice")
        for bound in ("uj", "low_uj", "high_uj"):
            total = on_chip = storage = 0.0
            for line in energy["parts"]:
                total += line[bound]
                if line["part"] in OFF_CHIP:
                    continue
                on_chip += line[bound]
                if line["part"] not in NOT_STORAGE and line["event"] != "l2_atomic_word":
                    storage += line[bound]
            self.assertEqual(total, energy["total"][bound])  # to the last bit
            self.assertEqual(on_chip, energy["on_chip"][bound])
            self.assertEqual(storage, energy["storage"][bound])
        for line in energy["parts"]:
            self.assertAlmostEqual(line["uj"], line["count"] * line["pj"] / 1e6, delta=1e-9 * max(1, line["uj"]))
            self.assertLessEqual(line["low_uj"], line["uj"])
            self.assertLessEqual(line["uj"], line["high_uj"])

    def assert_good(self, result):
        total = {}
        for kernel in result["kernels"]:
            self.assert_adds_up(kernel["energy"])
            of_kernel = counts(kernel["energy"])
            for event, count in of_kernel.items():
                total[event] = total.get(event, 0) + count
            # Against the counters beside it.
            stats = kernel["statistics"]
            sm, memory = stats["sm"], stats["memory"]
            sector = re.search(r"(?m)^l2:(?:\n  .*)*\n  sector_bytes: (\d+)", result["config"])[1]
            scale = int(sector) // 32
            self.assertEqual(of_kernel["l1_read_miss"], scale * sm["l1"]["read_misses"])
            self.assertEqual(of_kernel["l2_read_hit"] + of_kernel["l2_read_miss"], scale * memory["l2"]["reads"])
            self.assertEqual(of_kernel["l2_write_hit"] + of_kernel["l2_write_miss"], scale * memory["l2"]["writes"])
            self.assertEqual(of_kernel["dram_read"], memory["dram"]["bytes_read"] // 32)
            self.assertEqual(of_kernel["shared_wavefront"], sm["ldst"]["shared_wavefronts"])
            self.assertGreaterEqual(of_kernel["instruction"], sm["sub_core"]["instructions"])
            self.assertGreater(of_kernel["register_read"], 0)
            self.assertGreater(of_kernel["register_write"], 0)
        self.assert_adds_up(result["energy"])
        self.assertEqual(total, {event: count for event, count in counts(result["energy"]).items() if event in total})
        last = result["kernels"][-1]["energy"]
        for metric, key in (("energy_uj", "total"), ("energy_on_chip_uj", "on_chip"), ("energy_storage_uj", "storage")):
            self.assertEqual(result["metrics"][metric], last[key]["uj"])
        self.assertLessEqual(EVERYWHERE, parts(last))

    def test_duplo(self):
        result = self.run_of("duplo_titan_v", "duplo_paper", "resnet.C3", *LAYER)
        self.assert_good(result)
        last = result["kernels"][-1]
        self.assertEqual(last["energy"]["table"], "volta_12nm")
        found = counts(last["energy"])
        detection = last["statistics"]["sm"]["ldst"]["detection"]
        self.assertEqual(found["lhb_lookup"], detection["lookups"])
        self.assertEqual(found["lhb_write"], detection["misses"])
        self.assertEqual(found["duplo_id"], result["metrics"]["loads_of_a"])
        self.assertEqual(found["tensor_multiply_add"], 4096 * result["metrics"]["mmas"])
        self.assertIn("noc", parts(last["energy"]))
        self.assertEqual(last["energy"]["unpriced"], [])
        self.assertAlmostEqual(result["metrics"]["power_w"], result["metrics"]["energy_uj"] * 1200 / last["cycles"])
        self.assertAlmostEqual(result["metrics"]["duplo_area_of_register_file_percent"], 1.564, places=3)

        # A hit writes no register, and an infinite buffer has no price.
        plain = self.run_of("duplo_titan_v", "baseline", "resnet.C3", *LAYER)
        self.assert_good(plain)
        self.assertNotIn("duplo", parts(plain["energy"]))
        self.assertNotIn("duplo_area_of_register_file_percent", plain["metrics"])
        spared = counts(plain["kernels"][-1]["energy"])["register_write"] - found["register_write"]
        self.assertAlmostEqual(spared, 32 * result["metrics"]["lhb_services"] / 128, delta=1)
        oracle = self.run_of("duplo_titan_v", "duplo_paper", "resnet.C3", *LAYER, "--set",
                             "duplo.lhb.entries=infinite")
        self.assert_good(oracle)
        reasons = {line["event"]: line["why"] for line in oracle["energy"]["unpriced"]}
        self.assertEqual(reasons["lhb_lookup"], "no price for duplo.lhb.entries infinite")

    def test_power_above_the_cards_limit(self):
        out, page = self.path("run"), self.path("page.html")
        for limit, above in ((1, True), (100000, False)):
            done = tessera("run", "duplo_titan_v", "baseline", "resnet.C3", *LAYER, "--set", f"gpu.power_limit_w={limit}", "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(tessera("report", out, "--output", page).returncode, 0)
            with open(page, encoding="utf-8") as html, open(os.path.join(out, "result.json"), encoding="utf-8") as result:
                texts = done.stdout, html.read(), json.load(result).get("above_power_limit", "")
            self.assertEqual([f"limit of {limit} W (gpu.power_limit_w)" in text for text in texts], [above] * 3)

    def test_dual_side(self):
        result = self.run_of("dual_side_v100", "dual_side_ideal", *PRODUCT)
        self.assert_good(result)
        last = result["kernels"][-1]
        self.assertEqual(last["energy"]["table"], "dual_side_12nm")
        found, tensor = counts(last["energy"]), last["statistics"]["sm"]["sub_core"]["tensor"]
        for event in ("accumulation_read", "accumulation_write", "accumulation_add", "collector_entry"):
            self.assertEqual(found[event], tensor["additions"])
        self.assertEqual(found["tensor_multiply"], 128 * tensor["ohmmas"])
        self.assertEqual(found["bitmap_set"], tensor["bohmmas"])
        # 8 buffers of 0.0063932 mm^2; an addition 0.114914 pJ.
        self.assertAlmostEqual(result["metrics"]["accumulation_buffer_area_mm2"], 0.0511456)
        seconds = last["cycles"] / 1132e6
        self.assertAlmostEqual(result["metrics"]["accumulation_adders_power_w"],
                               tensor["additions"] * 0.114914e-12 / seconds)

    def test_opportunistic(self):
        result = self.run_of("gtx480_56sm", "opportunistic", "lenet5.C1.forward", *DIRECT)
        self.assert_good(result)
        last = result["kernels"][-1]
        self.assertEqual(last["energy"]["table"], "opportunistic_22nm")
        found, stats = counts(last["energy"]), last["statistics"]
        unit = stats["sm"]["opportunistic"]
        self.assertEqual(found["precompute_write"], unit["precompute_table"]["inserted"])
        self.assertEqual(found["precompute_result_write"], unit["precompute_table"]["completed"])
        self.assertEqual(found["assign_search"],
                         stats["opportunistic"]["assign_table"]["lookups"] + stats["sm"]["l1"]["evictions"])
        self.assertEqual(found["noc_flit_hop"], stats["memory"]["mesh"]["flit_hops"])
        self.assertGreater(found["l2_atomic_word"], 0)
        self.assertNotIn("noc_flit", found)

    def test_all_three(self):
        result = self.run_of("titan_v", "all_three", "--set", "gpu.sms=8", "--set", "opportunistic.cluster_sms=4")
        self.assert_good(result)
        self.assertLessEqual({"duplo", "dual_side", "opportunistic"}, parts(result["energy"]))

    def test_approximately_timed(self):
        self.assert_good(self.run_of("duplo_titan_v", "duplo_paper", "resnet.C3", *LAYER, "--set", "timing=at"))

    def test_no_table(self):
        result = self.run_of("duplo_titan_v", "duplo_paper", "resnet.C3", *LAYER, "--set", "gpu.energy_table=none")
        self.assertNotIn("energy", result)
        self.assertFalse([key for key in result["metrics"] if key.startswith("energy")])
        refused = tessera("energy", self.path("run"))
        self.assertEqual(refused.returncode, 2)
        self.assertIn("no energy account", refused.stderr)

    def test_what_is_no_table_is_one_line(self):
        for arguments, text in ((["--set", "gpu.energy_table=volta_12"], "(did you mean 'volta_12nm'?)"),
                                (["--set", "gpu.energy_table=here/no.yaml"], "no.yaml', expected a YAML file")):
            refused = tessera("run", "duplo_titan_v", "duplo_paper", "resnet.C3", *arguments)
            self.assertEqual(refused.returncode, 2)
            self.assertRegex(refused.stderr, r"gpu\.energy_table=\S+: got ")
            self.assertIn(text, refused.stderr)
            self.assertEqual(refused.stderr.count("\n"), 1, refused.stderr)

    def test_a_table_of_ones_own(self):
        self.file("prices.yaml", "base: nothing\n")
        self.file("machine.yaml", "gpu: {energy_table: prices.yaml}\n")
        refused = tessera("run", self.path("machine.yaml"), "resnet.C3", *LAYER)
        self.assertEqual(refused.returncode, 2)
        self.assertRegex(refused.stderr, r"prices\.yaml:1:\d+: base: got 'nothing'.*\n$")
        shipped = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "configs", "energy",
                               "volta_12nm.yaml")
        with open(shipped, encoding="utf-8") as file:
            text = file.read()
        self.file("prices.yaml", re.sub(r"dram_read: \{pj: \d+\}", "dram_read: {pj: 1000}", re.sub("(?m)^scale: .*", "scale: 0.5", text)))
        mine = self.run_of(self.path("machine.yaml"), "resnet.C3", *LAYER)
        self.assertEqual(mine["energy"]["table"], "prices")
        dram = [line for line in mine["energy"]["parts"] if line["event"] == "dram_read"][0]
        self.assertEqual(dram["pj"], 500)

    def test_prices_of_another_table(self):
        self.run_of("duplo_titan_v", "duplo_paper", "resnet.C3", *LAYER)
        own = tessera("energy", self.path("run"))
        self.assertTrue(own.stdout.startswith("prices of volta_12nm\n"), own.stdout)
        again = tessera("energy", self.path("run"), "--table", "volta_cacti_22nm")
        self.assertTrue(again.stdout.startswith("prices of volta_cacti_22nm\n"), again.stdout)
        there = self.run_of("duplo_titan_v", "duplo_paper", "resnet.C3", *LAYER, "--set",
                            "gpu.energy_table=volta_cacti_22nm")
        for key, name in (("total", "all"), ("on_chip", "on chip"), ("storage", "storage")):
            self.assertRegex(again.stdout, rf"(?m)^  {name} +{there['energy'][key]['uj']:.3f} ")
        refused = tessera("energy", self.path("run"), "--table", "free")
        self.assertEqual((refused.returncode, refused.stderr.count("\n")), (2, 1))

    def test_sweep(self):
        experiment = self.file("e.yaml", """
base: [duplo_titan_v]
layers: [resnet.C3]
variants:
  baseline: {configs: [baseline], set: {gpu.sms: 2, workload.tiling.cta_limit: 8}}
  lhb1024: {configs: [duplo_paper], set: {gpu.sms: 2, workload.tiling.cta_limit: 8}}
""")
        out = self.path("out")
        done = tessera("sweep", experiment, "-j", "2", "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
            rows = {row["variant"]: row["values"] for row in json.load(file)["rows"]}
        printed = tessera("energy", out)
        self.assertEqual(printed.returncode, 0, printed.stderr)
        wanted = []
        for column in ("energy_uj", "energy_on_chip_uj", "energy_storage_uj"):
            change = 100 * (rows["lhb1024"][column] / rows["baseline"][column] - 1)
            self.assertAlmostEqual(rows["lhb1024"][column + "_change_percent"], change)
            wanted += [f"{change:+.1f}"] * 2  # of one layer mean and total are the same
        line = re.search(r"(?m)^  lhb1024 +1 +(.*)$", printed.stdout)[1].split()
        self.assertEqual(line, wanted)
        other = tessera("energy", out, "--table", "volta_cacti_22nm")
        self.assertNotEqual(other.stdout, printed.stdout)
        empty = tessera("energy", self.path("nothing"))
        self.assertEqual((empty.returncode, empty.stderr.count("\n")), (2, 1))

        # A result of another configuration, and one that failed its checks, are left out.
        self.assertNotIn("missing", printed.stdout)
        path = os.path.join(out, "runs", "resnet.C3", "lhb1024", "result.json")
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        for key, value in (("config_hash", "0123456789abcdef"), ("violations", ["L1"])):
            with open(path, "w", encoding="utf-8") as file:
                json.dump({**result, key: value}, file)
            partly = tessera("energy", out)
            self.assertEqual(partly.returncode, 0, partly.stderr)
            self.assertIn("1 of 2 runs are missing", partly.stdout)
            self.assertNotIn("lhb1024", partly.stdout)
        failed = tessera("energy", os.path.dirname(path))
        self.assertTrue(failed.stdout.startswith("This run must not be relied on: an invariant does not hold: L1.\n"))

    def changes(self, out, variant):
        """The output of `tessera energy`, the baseline's energy in it, and a variant's layers and three pairs of
        changes."""
        done = tessera("energy", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        line = re.search(rf"(?m)^  {re.escape(variant)} +(.*)$", done.stdout)[1].split()
        return done.stdout, int(line[0]), [float(cell) for cell in line[1:]]

    def accounts(self, out, *folders):
        """Total, on-chip and storage energy of all kernels of runs of a sweep or network."""
        found = []
        for folder in folders:
            with open(os.path.join(out, "runs", folder, "result.json"), encoding="utf-8") as file:
                energy = json.load(file)["energy"]
            found.append([energy[key]["uj"] for key in ("total", "on_chip", "storage")])
        return found

    def test_seeds_are_compared_with_their_own_baseline(self):
        experiment = self.file("e.yaml", """
base: [duplo_titan_v]
layers: [resnet.C3]
seeds: [1, 2]
variants:
  baseline: {configs: [baseline], set: {gpu.sms: 2, workload.tiling.cta_limit: 8, gpu.cta_launch_jitter_cycles: 64}}
  lhb1024: {configs: [duplo_paper], set: {gpu.sms: 2, workload.tiling.cta_limit: 8, gpu.cta_launch_jitter_cycles: 64}}
""")
        out = self.path("out")
        done = tessera("sweep", experiment, "-j", "2", "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
            rows = [row["values"] for row in json.load(file)["rows"]]
        text, layers, changes = self.changes(out, "lhb1024")
        self.assertEqual(layers, 1)
        for i, column in enumerate(("energy_uj", "energy_on_chip_uj", "energy_storage_uj")):
            mean = sum(row[column + "_change_percent"] for row in rows[2:]) / 2
            total = 100 * (sum(row[column] for row in rows[2:]) / sum(row[column] for row in rows[:2]) - 1)
            self.assertAlmostEqual(changes[2 * i], mean, delta=0.0501)
            self.assertAlmostEqual(changes[2 * i + 1], total, delta=0.0501)
        self.assertIn(f"baseline, 1 layer: {sum(row['energy_uj'] for row in rows[:2]) / 2:.1f} uJ", text)
        self.assertTrue(text.startswith("energy of the matrix product by"))

    def test_where_k_is_divided_all_kernels_count(self):
        experiment = self.file("e.yaml", """
base: [v100, library]
variants:
  whole: {set: {workload.split_k: 1}}
  split: {set: {workload.split_k: 8}}
""")
        out = self.path("out")
        small = [f"--set=workload.gemm.{size}" for size in ("m=128", "n=128", "k=1024")]
        done = tessera("sweep", experiment, "-j", "2", "--out", out, "--set", "gpu.sms=8", *small)
        self.assertEqual(done.returncode, 0, done.stderr)
        text, layers, changes = self.changes(out, "split")
        whole, split = self.accounts(out, "gemm.128x128x1024/whole", "gemm.128x128x1024/split")
        self.assertEqual(layers, 1)
        self.assertTrue(text.startswith("energy of all kernels by"))
        for i in range(3):
            self.assertAlmostEqual(changes[2 * i], 100 * (split[i] / whole[i] - 1), delta=0.0501)

    def test_layers_of_a_network_count_as_often_as_it_has_them(self):
        layer = ("{batch: 1, height: 8, width: 8, channels: 16, filters: 32, filter_height: 3, filter_width: 3, "
                 "pad: 1, stride: 1}")
        network = self.file("net.yaml", f"layers:\n  c1: {layer}\n  c2: {layer}\n  c3: {layer}\n")
        out = self.path("out")
        done = tessera("network", network, "duplo_titan_v,workload.kernel=fragments,gpu.sms=2", "duplo_paper", "-j", "2",
                       "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        text, layers, changes = self.changes(out, "duplo_paper")
        machine = "duplo_titan_v+workload.kernel=fragments+gpu.sms=2"
        alone, duplo = self.accounts(out, f"net.c1/{machine}", "net.c1/duplo_paper")
        self.assertEqual(layers, 3)
        self.assertIn(f"{machine}, 3 layers: {3 * alone[0]:.1f} uJ", text)
        for i in range(3):
            self.assertAlmostEqual(changes[2 * i + 1], 100 * (duplo[i] / alone[i] - 1), delta=0.0501)


if __name__ == "__main__":
    small_run.TESSERA = os.path.abspath(sys.argv.pop(1))
    unittest.main()
