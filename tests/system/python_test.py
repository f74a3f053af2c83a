#!/usr/bin/python3
"""The Python package: the same numbers and messages as the program's.

Usage: python_test.py TESSERA
"""

import json
import os
import subprocess
import sys
import unittest

import python_case
from python_case import SMALL, InFolder, flags, program_says

if __name__ == "__main__":
    python_case.find_package()
import tessera.plot  # noqa: E402


class Configs(InFolder):
    def test_mistakes_are_the_programs(self):
        config = tessera.Config("duplo_titan_v", "duplo_paper", "gan.C1")
        before = config.hash
        for key, value in (("duplo.lhb.entires", 512), ("duplo.lhb.entries", "many"), ("duplo.lhb.entries", 1.5),
                           ("duplo", 3), ("values", [1, 2]), ("duplo.lhb.entries", None)):
            with self.assertRaises(tessera.ConfigError) as caught:
                config[key] = value
            text = "[1, 2]" if isinstance(value, list) else value
            said = program_says("config", "duplo_titan_v", "duplo_paper", "gan.C1", "--set", f"{key}={text}")
            self.assertEqual((2, f"tessera: {caught.exception}\n"), (said.returncode, said.stderr))
            self.assertEqual((before, {}), (config.hash, config.changes), "a mistake changes nothing")
        with self.assertRaisesRegex(tessera.ConfigError, "duplo_titan_w.*did you mean 'duplo_titan_v'"):
            tessera.Config("duplo_titan_w")
        with self.assertRaises(tessera.ConfigError):
            print(config["duplo.lhb.entires"])

    def test_values_are_effective_ones(self):
        config = tessera.Config("duplo_titan_v", "duplo_paper", "gan.C1", set={"duplo.lhb.entries": 512})
        self.assertEqual(512, config["duplo.lhb.entries"])
        self.assertIs(True, config["duplo.enabled"])
        config.update({"duplo.lhb.entries": 2048, "values": True})
        self.assertEqual((2048, True), (config["duplo.lhb.entries"], config["values"]))
        other = config.copy(set={"seed": 7})
        self.assertNotEqual(config, other)
        self.assertEqual([["seed", 1, 7]], config.differences(other).values.tolist())
        with open("all.yaml", "w", encoding="utf-8") as file:
            file.write(config.to_yaml())
        self.assertEqual(config.hash, tessera.Config("all.yaml").hash)

    def test_lists(self):
        keys = tessera.keys("duplo.lhb")
        self.assertIn("duplo.lhb.entries", list(keys["key"]))
        self.assertTrue(all(keys["meaning"].str.len() > 0))
        with self.assertRaisesRegex(tessera.ConfigError, "no key has 'nothing_like_it'"):
            tessera.keys("nothing_like_it")
        self.assertIn("duplo_titan_v", tessera.names()["gpus"])
        sources = tessera.Config("titan_v").sources()
        self.assertEqual(["key", "value", "from", "source"], list(sources.columns))
        self.assertIn("l1.hit_latency_cycles", list(sources["key"]))


class Runs(InFolder):
    def test_results_are_the_programs(self):
        config = tessera.Config("duplo_titan_v", "duplo_paper", set=SMALL)
        result = tessera.run(config)
        said = program_says("run", "duplo_titan_v", "duplo_paper", *flags(SMALL), "--quiet", "--out", "there")
        self.assertEqual(0, said.returncode, said.stderr)
        with open("there/result.json", encoding="utf-8") as file:
            there = json.load(file)
        self.assertEqual(there, result.data)
        self.assertEqual(there["metrics"]["cycles"], result.cycles)
        self.assertEqual(tessera.Result("there").summary, result.summary)
        self.assertEqual(["there"], os.listdir("."), "nothing is left behind")
        self.assertAlmostEqual(100, result.issue_slots.iloc[-1].sum())
        self.assertAlmostEqual(there["metrics"]["energy_uj"], result.energy["uj"].sum(), delta=1e-3)
        self.assertEqual("%", result.metrics.attrs["units"]["hit_rate_percent"])
        self.assertEqual("uJ", result.energy.attrs["units"]["uj"])
        self.assertEqual(there["kernels"][-1]["cycles"], result.kernels["cycles"].iloc[-1])
        statistics = result.statistics()
        self.assertGreater(len(statistics), 50)
        with self.assertRaisesRegex(tessera.ConfigError, "expected a kernel of this run"):
            result.statistics("nothing")
        self.assertIn("cycles", result._repr_html_())
        self.assertTrue(result.config["duplo"]["enabled"])

    def test_progress_and_watching(self):
        heard = []
        result = tessera.run("duplo_titan_v", "duplo_paper", "resnet.C2", set={"workload.layer.batch": 1},
                             progress=heard.append, wave="w.fst", wave_window="gemm:0:500", out="kept")
        self.assertEqual(result.cycles, tessera.Result("kept").cycles)
        self.assertTrue(os.path.getsize("w.fst") > 500)
        self.assertTrue(heard)
        shares = [progress.share for progress in heard]
        self.assertEqual(sorted(shares), shares)
        self.assertTrue(all(0 < share <= 1 and progress.kernel for share, progress in zip(shares, heard)))

    def test_failures(self):
        with self.assertRaisesRegex(tessera.ConfigError, "cannot write"):
            tessera.run("duplo_titan_v", set=SMALL, wave="/nowhere/w.vcd")
        with self.assertRaisesRegex(tessera.ConfigError, "no run has ended there"):
            tessera.Result("nowhere")
        self.assertTrue(issubclass(tessera.CheckError, tessera.TesseraError))
        os.environ["TESSERA_PROGRAM"], kept = "/nowhere/tessera", os.environ["TESSERA_PROGRAM"]
        try:
            with self.assertRaisesRegex(tessera.ConfigError, "TESSERA_PROGRAM: got '/nowhere/tessera'"):
                tessera.version()
        finally:
            os.environ["TESSERA_PROGRAM"] = kept

    def test_names_that_no_file_has(self):
        """A name with a NUL, or one that is too long, is an error of the package."""
        for name in ("a\0b", "x" * 5000, "y" * 300):
            for action in (lambda name=name: tessera.Result(name), lambda name=name: tessera.Sweep(name),
                           lambda name=name: tessera.Config(name), lambda name=name: tessera.run(name),
                           lambda name=name: tessera.run("gan.C1", out=name), lambda name=name: tessera.sweep(name, progress=False),
                           lambda name=name: tessera.sweep(tessera.Experiment(name, base=["v100"], variants={"a": []}), progress=False)):
                with self.assertRaises(tessera.ConfigError, msg=repr(name[:9])):
                    action()

    def test_damaged_results(self):
        folder = "kept"
        tessera.run("duplo_titan_v", set=SMALL, out=folder)
        path = "kept/result.json"
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        for damage in ({"metrics": {}}, {"kernels": [{"name": "a"}]}, {"violations": 3}):
            with open(path, "w", encoding="utf-8") as file:
                json.dump({**data, **damage}, file)
            with self.assertRaisesRegex(tessera.ConfigError, f"{path}: "):
                tessera.Result(folder)
        with open(path, "w", encoding="utf-8") as file:
            file.write("[]")
        with self.assertRaisesRegex(tessera.ConfigError, f"{path}: "):
            tessera.Result(folder)

    def test_module_is_the_program(self):
        process = subprocess.run([sys.executable, "-m", "tessera", "--version"], capture_output=True, text=True,
                                 check=False)
        self.assertEqual((0, tessera.version()), (process.returncode, process.stdout.strip()), process.stderr)


class Sweeps(InFolder):
    def experiment(self):
        return tessera.Experiment(
            "sizes", base=["duplo_titan_v"], grid={"seed": [1, 2]},
            variants={"baseline": {"configs": ["baseline"], "set": SMALL},
                      "duplo": {"configs": ["duplo_paper"], "set": SMALL, "grid": {"duplo.lhb.entries": [16, 1024]}}})

    def test_grid_and_resume(self):
        heard = []

        def stop_after_two(progress):
            heard.append(progress)
            if progress.done == 2:
                raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            tessera.sweep(self.experiment(), jobs=1, progress=stop_after_two)
        with self.assertRaisesRegex(tessera.ConfigError, "no sweep has ended there"):
            tessera.Sweep("results/sizes")
        heard.clear()
        sweep = tessera.sweep(self.experiment(), jobs=2, progress=heard.append)
        self.assertEqual(6, heard[-1].total)
        self.assertGreaterEqual(sum("skipped" in progress.details for progress in heard), 2)
        self.assertEqual(6, len(sweep.runs))
        self.assertEqual(["seed", "duplo.lhb.entries"], sweep.varied)
        duplo = sweep.runs[sweep.runs["variant"] == "duplo-2-1024"].iloc[0]
        self.assertEqual(("baseline-2", 1024), (duplo["baseline"], duplo["duplo.lhb.entries"]))
        self.assertEqual(["baseline-1", "baseline-2", "duplo-1-16", "duplo-1-1024", "duplo-2-16", "duplo-2-1024"],
                         list(sweep.table("cycles").columns))
        layer = sweep.runs["layer"].iloc[0]
        self.assertEqual(2, duplo["seed"])
        self.assertEqual(1, list(sweep.runs.columns).count("seed"))
        self.assertEqual(duplo["cycles"], sweep.result(layer, "duplo-2-1024").cycles)
        with self.assertRaisesRegex(tessera.ConfigError, "result: got '.* duplo', expected layer and variant, one of"):
            sweep.result(layer, "duplo")
        with self.assertRaisesRegex(tessera.ConfigError, "result: got seed=9, expected one of .2}"):
            sweep.result(layer, "duplo-2-1024", seed=9)
        self.assertEqual(["results"], os.listdir("."), "the experiment's file is gone")
        again = tessera.sweep(self.experiment(), progress=False)
        self.assertTrue(again.runs.equals(sweep.runs))
        figure = tessera.plot.over(sweep, "duplo.lhb.entries", "hit_rate_percent")
        self.assertEqual(2, len(figure.axes[0].lines))
        self.assertEqual(["16", "1024"], list(figure.axes[0].lines[0].get_xdata()), "whole numbers have no fraction")
        with self.assertRaisesRegex(tessera.ConfigError, "expected a key of the grid, one of .seed, duplo.lhb.entries"):
            tessera.plot.over(sweep, "l1.ways")
        with self.assertRaisesRegex(tessera.ConfigError, "got a sweep of 'sizes'"):
            tessera.plot.figures(sweep)
        with self.assertRaisesRegex(tessera.ConfigError, "expected a column of summary.csv"):
            sweep.table("speed")

    def test_figures_have_the_papers_marks(self):
        """From a part of the experiment, made up, as all of it would take minutes."""
        with open("duplo_fig9_fig10.yaml", "w", encoding="utf-8") as file:
            json.dump({"name": "duplo_fig9_fig10", "base": ["duplo_titan_v"],
                       "variants": {"baseline": {"configs": ["baseline"], "set": SMALL},
                                    "oracle": {"configs": ["duplo_paper"], "set": SMALL}}}, file)
        figure = tessera.plot.figures(tessera.sweep("duplo_fig9_fig10.yaml", progress=False))
        self.assertEqual(3, len(figure.axes))
        marks = [line.get_ydata()[0] for line in figure.axes[0].lines if line.get_marker() == "D" and len(line.get_ydata())]
        self.assertIn(tessera.plot.paper_values()["D.fig9.oracle.speedup"], marks)

    def test_mistakes(self):
        with self.assertRaisesRegex(tessera.ConfigError, "nothing"):
            tessera.sweep("nothing", progress=False)
        with self.assertRaisesRegex(tessera.ConfigError, "backend"):
            tessera.sweep(self.experiment(), backend="moon", progress=False)
        with self.assertRaisesRegex(tessera.ConfigError, "--pack: got '--backend local', expected '--backend slurm or parallel'"):
            tessera.sweep(self.experiment(), backend_options={"pack": 2}, progress=False)
        bad = tessera.Experiment("bad", base=["duplo_titan_v"], variants={"a": {"set": {"sm.typo": 1}}})
        with self.assertRaisesRegex(tessera.ConfigError, "sm.typo: unknown key, expected one of"):
            tessera.sweep(bad, progress=True)
        self.assertEqual([], os.listdir("."))


if __name__ == "__main__":
    unittest.main()
