#!/usr/bin/python3
"""Networks, comparisons, energies, reproductions and correlations in Python: the numbers and messages of the program.

Usage: python_studies_test.py TESSERA
"""

import csv
import json
import math
import os
import unittest

import python_case
from python_case import SMALL, InFolder, flags, program_says

if __name__ == "__main__":
    python_case.find_package()
import pandas  # noqa: E402
import tessera.plot  # noqa: E402

NETWORK = "layers:\n" + "".join(
    f"  {name}: {{batch: 1, height: 6, width: 6, channels: 16, filters: {filters}, filter_height: 3, filter_width: 3, pad: 1, stride: 1}}\n"
    for name, filters in (("one", 16), ("two", 32)))
CORRELATED = """
gpu: {sms: 1}
workload:
  layer: {name: small, batch: 1, height: 9, width: 9, channels: 16, filters: 32, filter_height: 3, filter_width: 3, pad: 1, stride: 2}
  tiling: {cta_m: 32, cta_n: 32, warp_m: 32, warp_n: 16}
logging: {level: warn}
"""
MACHINE = "v100,gpu.sms=2"


def write(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    return name


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


class Networks(InFolder):
    def test_results_are_the_programs(self):
        write("net.yaml", NETWORK)
        heard = []
        network = tessera.network("net.yaml", tessera.Config("v100", set={"gpu.sms": 2}), "duplo_staged", out="mine",
                                  progress=heard.append)
        self.assertEqual((4, 4), (heard[-1].done, heard[-1].total))
        self.assertEqual({"net.one", "net.two"}, {progress.details["layer"] for progress in heard})
        said = program_says("network", "net.yaml", MACHINE, "duplo_staged", "--out", "there")
        self.assertEqual(0, said.returncode, said.stderr)
        with open("there/network.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["layer"] for row in rows], list(network.layers["layer"]))
        for column in ("flop", "cycles", "speedup", "dram_bytes"):
            self.assertEqual([float(row[column]) for row in rows], list(network.layers[column]))
        data = read_json("there/network.json")
        self.assertEqual([one["cycles"] for one in data["variants"]], list(network.variants["cycles"]))
        clock = data["core_clock_mhz"]
        for us, row in zip(network.layers["us"], rows):
            self.assertAlmostEqual(float(row["cycles"]) / clock, us)
        self.assertEqual(["us", "cycles", "FLOP", "bytes", "x"],
                         [network.layers.attrs["units"][name] for name in ("us", "cycles", "flop", "dram_bytes", "speedup")])
        self.assertEqual(["us", "%", "x"], [network.variants.attrs["units"][name] for name in ("us", "launch_percent", "speedup")])
        table = network.table("cycles")
        self.assertEqual((["net.one", "net.two"], [MACHINE.replace(",", "+"), "duplo_staged"]), (list(table.index), list(table.columns)))
        self.assertEqual([float(row["cycles"]) for row in rows], list(table.stack()))
        self.assertEqual(2, len(tessera.plot.network(network).axes[0].containers))
        run = network.result("net.two", "duplo_staged")
        self.assertEqual(("net.two", True), (run.workload, run.config["duplo"]["enabled"]))
        self.assertFalse(network.result("net.two").config["duplo"]["enabled"])
        self.assertIn("duplo_staged", network._repr_html_())
        self.assertTrue(network.page.is_file())
        self.assertEqual(0, len(network.not_simulated))
        self.assertEqual(list(network.layers["cycles"]), list(tessera.Network("there").layers["cycles"]))
        for wrong, text in ((lambda: network.result("net.three"), "got layer 'net.three', expected one of .net.one, net.two}"),
                            (lambda: network.result("net.one", "duplo"), "result: got 'duplo', expected one of"),
                            (lambda: network.result("net.one", seed=1), "got seed 1, expected 0 to 0"),
                            (lambda: network.table("speed"), "got 'speed', expected a column of network.csv")):
            with self.assertRaisesRegex(tessera.ConfigError, text):
                wrong()

    def test_mistakes(self):
        write("net.yaml", NETWORK)
        wrong = [(dict(prune="0.5"), "--prune: got a network in YAML"), (dict(fuse=False), "--no-fuse: got a network"),
                 (dict(dims={"batch": 1}), "--dim: got a network"), (dict(inputs={"x": "x.npy"}), "--input: got a network"),
                 (dict(set={"gpu.smss": 1}), "gpu.smss=1: unknown key"), (dict(seeds=1), "--seeds: Value 1 not in range"),
                 (dict(jobs=0), "--jobs: Value 0 not in range")]
        for options, text in wrong:
            with self.assertRaisesRegex(tessera.ConfigError, text):
                tessera.network("net.yaml", MACHINE, progress=False, **options)
        with self.assertRaisesRegex(tessera.ConfigError, "got machine 'duplo_staged'"):
            tessera.network("net.yaml", "duplo_staged", progress=False)
        with self.assertRaisesRegex(tessera.ConfigError, "without a comma"):
            tessera.network("net.yaml", tessera.Config(write("a,b.yaml", "gpu: {sms: 2}"), "v100"))
        for name in ("nowhere", "a\0b", "x" * 5000):
            with self.assertRaises(tessera.ConfigError):
                tessera.Network(name)
        self.assertEqual({"net.yaml", "a,b.yaml"}, set(os.listdir(".")))

    def test_seeds_and_energy(self):
        write("net.yaml", NETWORK)
        network = tessera.network("net.yaml", MACHINE, "duplo_staged", seeds=2, progress=False)
        self.assertEqual(["net"], os.listdir("results"))
        self.assertEqual(1, network.result("net.one", seed=0).data["seed"])
        self.assertEqual(2, network.result("net.one", seed=1).data["seed"])
        energy = tessera.energy(network)
        self.assertEqual("all kernels", energy.of)
        totals = energy.totals
        self.assertEqual(8, len(totals))
        of_mechanism = totals[(totals["variant"] == "duplo_staged") & (totals["seed"] == 1) & (totals["layer"] == "net.two")].iloc[0]
        runs = [network.result("net.two", variant, 1).data["energy"]["total"]["uj"] for variant in ("", "duplo_staged")]
        self.assertAlmostEqual(runs[1], of_mechanism["uj"], delta=1e-6)
        self.assertAlmostEqual(100 * (runs[1] / runs[0] - 1), of_mechanism["change_percent"], delta=1e-6)
        self.assertTrue(totals[totals["variant"] != "duplo_staged"]["change_percent"].isna().all())
        # Sums over layers of means over seeds.
        self.assertAlmostEqual(totals[totals["variant"] == "duplo_staged"]["uj"].sum() / 2, energy.by_part["duplo_staged"].sum(), delta=1e-6)


class Energies(InFolder):
    def test_of_a_run_and_of_a_sweep(self):
        result = tessera.run("duplo_titan_v", "duplo_paper", set=SMALL, out="run")
        energy = tessera.energy(result)
        self.assertEqual(result.data["energy"]["table"], energy.prices)
        self.assertAlmostEqual(result.metrics["energy_uj"], energy.parts["uj"].sum(), delta=1e-3)
        self.assertAlmostEqual(result.metrics["energy_uj"], energy.totals["uj"].iloc[0], delta=1e-3)
        self.assertAlmostEqual(result.metrics["energy_on_chip_uj"], energy.totals["on_chip_uj"].iloc[0], delta=1e-3)
        self.assertAlmostEqual(energy.by_part["uj"].sum(), energy.totals["uj"].iloc[0], delta=1e-6)
        self.assertEqual(["uJ", "pJ"], [energy.parts.attrs["units"][name] for name in ("uj", "pj")])
        self.assertTrue(energy.parts.equals(tessera.energy("run").parts))
        text = program_says("energy", "run").stdout
        for event in energy.parts["event"]:
            self.assertIn(event, text)
        other = tessera.energy(result, table="volta_cacti_22nm")
        self.assertEqual("volta_cacti_22nm", other.prices)
        self.assertNotEqual(energy.totals["uj"].iloc[0], other.totals["uj"].iloc[0])
        with self.assertRaisesRegex(tessera.ConfigError, "no such results"):
            tessera.energy("nowhere")
        with self.assertRaises(tessera.ConfigError):
            tessera.energy(result, table="nothing")
        sweep = tessera.sweep(tessera.Experiment(
            "pair", base=["duplo_titan_v"], variants={"baseline": {"configs": ["baseline"], "set": SMALL},
                                                      "duplo": {"configs": ["duplo_paper"], "set": SMALL}}), progress=False)
        totals = tessera.energy(sweep).totals.set_index("variant")
        duplo = sweep.runs.set_index("variant").loc["duplo"]
        self.assertAlmostEqual(duplo["energy_uj_change_percent"], totals.loc["duplo", "change_percent"], delta=1e-3)
        self.assertTrue(math.isnan(totals.loc["baseline", "change_percent"]))


class Comparisons(InFolder):
    def test_is_the_programs(self):
        layer = ("duplo_titan_v", "resnet.C2")
        small = {"gpu.sms": 2, "workload.tiling.cta_limit": 8}
        a = tessera.run(*layer, "baseline", set=small, out="a")
        b = tessera.run(*layer, "duplo_paper", set={**small, "sm.unified_l1_kib": 160})
        found = tessera.compare(a, b, attribute=True, out="between", html="page.html", progress=False)
        self.assertFalse(found.equal)
        self.assertEqual(["duplo.enabled", "sm.unified_l1_kib"], list(found.settings.index))
        self.assertEqual(["off", "on"], list(found.settings.loc["duplo.enabled"]))
        cycles = found.metrics.loc["cycles"]
        self.assertEqual((a.cycles, b.cycles), (cycles["a"], cycles["b"]))
        self.assertAlmostEqual(100 * (b.cycles / a.cycles - 1), cycles["change_percent"])
        self.assertTrue(math.isnan(found.metrics.loc["hit_rate_percent", "a"]))
        self.assertEqual(("cycles", "%"), tuple(found.metrics.attrs["units"][name] for name in ("cycles", "hit_rate_percent")))
        self.assertEqual([], found.failed)
        self.assertTrue(found.sentences)
        with open("page.html", encoding="utf-8") as file:
            page = file.read()
        for sentence in found.sentences:
            self.assertIn(sentence, page)
        text = program_says("compare", "a", "a", "--all").stdout
        self.assertIn("all statistics are equal", text)
        table = found.attribution
        self.assertEqual("cycles", table.attrs["units"]["alone"])
        self.assertEqual({"duplo.enabled", "sm.unified_l1_kib"}, set(table.index))
        alone = tessera.run(*layer, "duplo_paper", set=small)

        def total(result):
            return result.kernels["cycles"].sum()

        self.assertEqual(total(alone) - total(a), table.loc["duplo.enabled", "alone"])
        self.assertEqual(total(b) - total(alone), table.loc["sm.unified_l1_kib", "on_top"])
        self.assertEqual(list(table["on_top"] - table["alone"]), list(table["with_others"]))
        self.assertIn(table.index[0], found.verdict)
        self.assertIsNone(tessera.compare(a, b).attribution)
        self.assertEqual({"a", "between", "page.html"}, set(os.listdir(".")))

    def test_equal_runs_and_mistakes(self):
        a = tessera.run("duplo_titan_v", set=SMALL, out="a")
        same = tessera.compare(a, "a")
        self.assertTrue(same.equal)
        self.assertEqual((0, 0, []), (len(same.settings), len(same.statistics), same.sentences))
        self.assertEqual("", same.verdict)
        for call, text in ((lambda: tessera.compare(a, "nowhere"), "nowhere"), (lambda: tessera.compare(a, a, jobs=2), "--jobs requires --attribute"),
                           (lambda: tessera.compare(a, a, html="a/result.json"), "--html")):
            with self.assertRaisesRegex(tessera.ConfigError, text):
                call()
        other = tessera.run("duplo_titan_v", set={**SMALL, "workload.gemm.k": 128})
        with self.assertRaisesRegex(tessera.ConfigError, "workload"):
            tessera.compare(a, other, attribute=True)


class Reproductions(InFolder):
    def test_figures_are_the_programs(self):
        found = tessera.reproduce("D.fig9", run=False, stored=True, out="mine", progress=False)
        said = program_says("reproduce", "D.fig9", "--no-run", "--stored", "--out", "there")
        self.assertEqual(0, said.returncode, said.stderr)
        figures = read_json("there/reproduction.json")["figures"]
        self.assertEqual([row["id"] for row in figures], list(found.figures.index))
        self.assertEqual([row["verdict"] for row in figures], list(found.figures["verdict"]))
        self.assertEqual([row.get("ours") for row in figures], list(found.figures["ours"]))
        self.assertIn("percent", set(found.figures["unit"]))
        counted = [row["verdict"] for row in figures if "other_reading" not in row and "repeats" not in row]
        self.assertEqual({name: counted.count(name) for name in found.verdicts.index}, found.verdicts.to_dict())
        self.assertEqual([row.get("other_reading", False) for row in figures], list(found.figures["other_reading"]))
        self.assertIn(found.headline, said.stdout)
        self.assertTrue(found.page.is_file())
        with self.assertRaisesRegex(tessera.ConfigError, "summary: got 'nothing', expected one of"):
            found.summary("nothing")
        for options, text in ((dict(readings=["nothing"]), "nothing"), (dict(seeds=1), "--seeds")):
            with self.assertRaisesRegex(tessera.ConfigError, text):
                tessera.reproduce("D.fig9", run=False, out="mine", progress=False, **options)
        with self.assertRaisesRegex(tessera.ConfigError, "D.figg"):
            tessera.reproduce("D.figg", progress=False)
        with self.assertRaises(tessera.ConfigError):
            tessera.Reproduction("nowhere")
        with open("there/reproduction.json", "w", encoding="utf-8") as file:
            file.write("{}")
        with self.assertRaisesRegex(tessera.ConfigError, "not the figures of tessera reproduce"):
            tessera.Reproduction("there")


class Correlations(InFolder):
    def test_rows_are_the_programs(self):
        write("small.yaml", CORRELATED)
        times = pandas.DataFrame({"name": ["first", "second", "third"], "filters": [32, 64, 32], "us": [10, 20, 30], "card": ["x", "y", "z"]})
        heard = []
        options = dict(columns={"filters": "workload.layer.filters"}, ignore=["card"])
        found = tessera.correlate(times, "small.yaml", progress=heard.append, out="mine", **options)
        self.assertEqual(heard[-1].done, heard[-1].total)
        times.to_csv("times.csv", index=False)
        said = program_says("correlate", "times.csv", "small.yaml", "--column", "filters=workload.layer.filters", "--ignore", "card", "--out", "there")
        self.assertEqual(0, said.returncode, said.stderr)
        rows = read_json("there/correlation.json")["rows"]
        self.assertEqual([row["model_us"] for row in rows], list(found.rows["model_us"]))
        self.assertEqual([10, 20, 30], list(found.rows["card_us"]))
        self.assertEqual({"card_us": "us", "model_us": "us", "error_percent": "%"}, found.rows.attrs["units"])
        self.assertAlmostEqual(found.rows["error_percent"].abs().mean(), found.agreement["mean_absolute_error_percent"])
        self.assertTrue(found.page.is_file())
        self.assertEqual(list(found.rows["model_us"]), list(tessera.correlate("times.csv", "small.yaml", out="mine", **options).rows["model_us"]))
        self.assertEqual(2, len(tessera.correlate(times, tessera.Config("small.yaml"), every=2, out="half", progress=False, **options).rows))
        with self.assertRaisesRegex(tessera.CheckError, "mean absolute error .* allowed are 1"):
            tessera.correlate(times, "small.yaml", within=1, out="mine", progress=False, **options)
        with self.assertRaisesRegex(tessera.ConfigError, "card"):
            tessera.correlate(times, "small.yaml", progress=False)
        with self.assertRaises(tessera.ConfigError):
            tessera.Correlation("nowhere")


class Progress(InFolder):
    def test_options(self):
        """Each command with many runs says how far it is as JSON."""
        write("net.yaml", NETWORK)
        said = program_says("network", "net.yaml", MACHINE, "--progress", "json")
        lines = [json.loads(line) for line in said.stderr.splitlines() if line.startswith("{")]
        self.assertEqual([1, 2], [line["done"] for line in lines])
        self.assertEqual(0, program_says("run", "duplo_titan_v", *flags(SMALL), "-q", "--out", "a").returncode)
        refused = program_says("compare", "a", "a", "--progress", "json")
        self.assertEqual((2, "tessera: --progress requires --attribute (see --help)\n"), (refused.returncode, refused.stderr))


if __name__ == "__main__":
    unittest.main()
