#!/usr/bin/python3
"""tessera reproduce and tessera atlas as users meet them, and the sentences about their results.

Usage: reproduce_test.py TESSERA
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TESSERA = ""
# Worked examples, and the sizes of opportunistic computing's tables: eight short runs.
FIGURES = ["D.table2", "O.area"]
TABLES = ["table.txt", "table.md", "reproduction.json", "report.html"]


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as handle:
        return handle.read()


def write(text, *path):
    os.makedirs(os.path.dirname(os.path.join(*path)), exist_ok=True)
    with open(os.path.join(*path), "w", encoding="utf-8") as handle:
        handle.write(text)


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.out = os.path.join(self.folder, "results")

    def reproduce(self, *arguments):
        return subprocess.run([TESSERA, "reproduce", "--quick", "-j", "2", "--out", self.out, *arguments],
                              capture_output=True, text=True, check=False)

    def assert_refused(self, process, *words):
        self.assertEqual(process.returncode, 2, process.stderr)
        self.assertEqual(len(process.stderr.splitlines()), 1, process.stderr)
        for word in words:
            self.assertIn(word, process.stderr)


class Reproduce(Scratch):
    def test_figures_are_measured_once_and_tables_repeat(self):
        first = self.reproduce(*FIGURES)
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("4 figures: areas, sizes and costs 1 partly; examples 3 reproduced\n", first.stdout)
        results = json.loads(read(self.out, "reproduction.json"))
        ours = {figure["id"]: figure for figure in results["figures"]}
        self.assertEqual(ours["O.area.precompute_table_bytes"]["ours"], 3136)
        self.assertEqual(ours["D.table2"]["ours"], ours["D.table2"]["paper"])
        self.assertEqual(ours["O.area.per_sm"]["verdict"], "partly")  # 3.31 for 4.27 %: only shares have points
        before = [read(self.out, name) for name in TABLES]
        again = self.reproduce(*FIGURES)
        self.assertEqual((again.returncode, again.stdout), (0, first.stdout))
        self.assertNotIn("8/8", again.stderr)  # nothing was run
        self.assertEqual([read(self.out, name) for name in TABLES], before)
        # Each experiment has a folder that tessera report reads.
        report = subprocess.run([TESSERA, "report", os.path.join(self.out, "opportunistic_storage")],
                                capture_output=True, text=True, check=False)
        self.assertIn("O.area.per_sm", report.stdout)

    def test_two_runs_from_nothing_give_the_same_bytes(self):
        """Whatever runs at a time, and with tables made by --no-run."""
        figures = [*FIGURES, "O.fig1"]
        made = []
        for name, jobs in (("one", "1"), ("two", "2")):
            out = os.path.join(self.folder, name)
            for more in ([], ["--no-run"]):
                process = subprocess.run([TESSERA, "reproduce", "--quick", "-j", jobs, "--out", out, *more, *figures],
                                         capture_output=True, text=True, check=False)
                self.assertEqual(process.returncode, 0, process.stderr)
                names = [*TABLES, "opportunistic_storage/summary.csv", "opportunistic_sharing/summary.json"]
                made.append([process.stdout.replace(out, ""), *(read(out, name) for name in names)])
        self.assertEqual(made, made[:1] * 4)

    def test_results_of_another_revision_are_not_mixed_in(self):
        write('{"git_revision": "0123456789ab"}\n', self.out, "origin.json")
        self.assert_refused(self.reproduce("D.table2"), "0123456789ab", "--keep")
        self.assertEqual(os.listdir(self.out), ["origin.json"])
        self.assertEqual(self.reproduce("D.table2", "--keep").returncode, 0)

    def test_folders_of_other_sweeps_and_missing_seeds_are_refused(self):
        write('{"experiment": "trial"}\n', self.out, "sweep.json")
        for arguments in (["O.area"], ["--no-run", "O.area"]):
            self.assert_refused(self.reproduce(*arguments), self.out, 'holds the sweep "trial"')
        self.assertEqual(os.listdir(self.out), ["sweep.json"])
        write("{}\n", self.out, "result.json")
        self.assert_refused(self.reproduce("O.area"), "holds a run")
        self.out = os.path.join(self.folder, "none")
        self.assert_refused(self.reproduce("--no-run", "--seeds", "7", "O.fig5"),
                            "--seeds: opportunistic has 0 whole seeds", "expected 7")

    def test_results_of_another_configuration_are_left_out(self):
        self.assertEqual(self.reproduce("O.area").returncode, 0)
        folder = os.path.join(self.out, "opportunistic_storage", "runs", "lenet5.C1.forward", "both_scalar")
        path = next(os.path.join(where, "result.json") for where, _, names in os.walk(folder) if "result.json" in names)
        write(re.sub('"config_hash": "[^"]*"', '"config_hash": "0000000000000000"', read(path)), path)
        process = self.reproduce("--no-run", "O.area")
        self.assertEqual((process.returncode, process.stderr),
                         (0, f"results in {self.out} of another configuration, which are left out: 1\n"))

    def test_wrong_names(self):
        self.assert_refused(self.reproduce("D.fig99"), "'D.fig99'", "did you mean 'D.")
        self.assert_refused(self.reproduce("duplex"), "did you mean 'duplo'?")
        self.assert_refused(self.reproduce("--seeds", "1"), "--seeds")
        self.assertFalse(os.path.exists(self.out))

    def test_what_would_run_is_listed(self):
        listed = self.reproduce("--list", *FIGURES)
        self.assertEqual((listed.returncode, listed.stdout),
                         (0, "opportunistic_storage: 8 runs\n8 runs for 4 numbers\n"))
        self.assertFalse(os.path.exists(self.out))

    def test_a_figure_whose_experiment_is_left_out_says_so(self):
        process = self.reproduce("S.fig22.nlp.dual.mean")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn("needs the experiment dual_side_fig22_nlp, which was not run", process.stdout)

    def test_stored_rows_are_those_of_the_documentation(self):
        process = self.reproduce("--no-run", "--stored")
        self.assertEqual(process.returncode, 0, process.stderr)
        stored = json.loads(read(ROOT, "configs", "reference", "results", "reproduction.json"))
        self.assertEqual(json.loads(read(self.out, "reproduction.json")), stored)
        self.assertTrue(process.stdout.startswith(stored["headline"]))
        self.assertEqual(stored["headline"].count("simulated speedups and times come out"), 1)
        counts = stored["counts"]
        self.assertEqual(counts["entries"], counts["repeated"] + sum(sum(of.values()) for of in counts["by_measure"].values()))

    def test_a_row_that_was_run_replaces_the_stored_one(self):
        """With as many seeds and layers it does, and a row that was not run stays."""
        self.assertEqual(self.reproduce("--stored", "O.area").returncode, 0)
        rows = {row["id"]: row for row in json.loads(read(self.out, "reproduction.json"))["figures"]}
        self.assertEqual(rows["O.area.precompute_table_bytes"]["ours"], 3136)
        process = self.reproduce("--no-run", "--stored", "O.area", "O.fig8")
        self.assertIn("rows of configs/reference/results, of more runs than here: 2", process.stdout)

    def test_the_page_says_how_many_runs_there_are(self):
        page = read(ROOT, "docs", "reproduction.md")
        for arguments, words in ((["--quick"], r"--quick +# (\d+) runs"), ([], r"machines: (\d+) runs")):
            process = subprocess.run([TESSERA, "reproduce", "--list", *arguments], capture_output=True, text=True, check=True)
            listed = re.search(r"^(\d+) runs", process.stdout, re.MULTILINE)
            self.assertEqual(re.search(words, page).group(1), listed.group(1), words)



class Readings(Scratch):
    READING = ("paper: opportunistic\ntitle: small tables\nwhy: a trial\nsource: chosen\n"
               "set: {opportunistic.pt_entries: 64}\n")

    def test_a_reading_stands_beside_the_shipped_machine(self):
        file = os.path.join(self.folder, "small.yaml")
        write(self.READING, file)
        process = self.reproduce("O.area", "--reading", file)
        self.assertEqual(process.returncode, 0, process.stderr)
        readings = json.loads(read(self.out, "readings", "readings.json"))
        self.assertEqual([reading["name"] for reading in readings], ["shipped", "small"])
        ours = [{row["id"]: row["ours"] for row in reading["figures"]} for reading in readings]
        table = "O.area.precompute_table_bytes"
        self.assertLess(ours[1][table], ours[0][table] / 3)  # 64 entries in place of 256
        self.assertIn(table, readings[1]["further"])
        self.assertIn("small: no speedup or time was simulated", process.stdout)
        page = read(self.out, "report.html")
        self.assertIn("<h2 id='readings'>", page)
        # Equal runs give equal bytes, also without running.
        before = [read(self.out, "readings", name) for name in ("table.txt", "readings.json")]
        again = self.reproduce("O.area", "--reading", file, "--no-run")
        self.assertEqual((again.returncode, again.stdout), (0, process.stdout))
        self.assertEqual([read(self.out, "readings", name) for name in ("table.txt", "readings.json")], before)

    def test_mistakes_are_named(self):
        file = os.path.join(self.folder, "wrong.yaml")
        write(self.READING + "sets: {}\n", file)
        self.assert_refused(self.reproduce("O.area", "--reading", file), "wrong.yaml:6:1", "sets")
        self.assert_refused(self.reproduce("D.table2", "--reading", "opportunistic_gpgpusim"), "no figure of it")
        self.assert_refused(self.reproduce("--reading", "gpgpusim"), "duplo_gpgpusim")

    def test_a_search_writes_a_reading(self):
        atlas = os.path.join(self.folder, "atlas.yaml")
        write("trial:\n"
              "  figures: [O.area.per_sm]\n"
              "  experiment: opportunistic_storage\n"
              "  layers: [lenet5.C1.forward]\n"
              "  variants: [both_scalar]\n"
              "  settings:\n"
              "    size: {source: a paper, low: {opportunistic.pt_entries: 16}, high: {opportunistic.pt_entries: 350}}\n"
              "    order: {source: a paper, high: {opportunistic.pt_policy: periodic}}\n", atlas)
        search = [TESSERA, "reproduce", "--search", "opportunistic", "--atlas", atlas, "--out", self.out]
        process = subprocess.run(search, capture_output=True, text=True, check=False)
        self.assertEqual(process.returncode, 0, process.stderr)
        # The shipped machine, three sides alone, and the order over the size that was taken.
        self.assertIn("opportunistic: 5 machines tried of at most 60, 3 settings with a source\n"
                      "  shipped: 0 of 1 reproduced, 1 partly", process.stdout)
        self.assertIn("  size.high: 1 of 1 reproduced", process.stdout)
        found = os.path.join(self.out, "search_opportunistic.yaml")
        process = self.reproduce("O.area", "--reading", found)
        self.assertIn("nearer to the paper: O.area.per_sm\n", process.stdout)
        few = subprocess.run([*search, "--budget", "2"], capture_output=True, text=True, check=False)
        self.assertIn("2 machines tried of at most 2, 3 settings with a source; the budget ended the search", few.stdout)


class Atlas(Scratch):
    def atlas(self, *arguments):
        return subprocess.run([TESSERA, "atlas", "-j", "2", "--out", self.out, *arguments], capture_output=True,
                              text=True, check=False)

    def test_a_setting_is_varied(self):
        plan = os.path.join(self.folder, "atlas.yaml")
        write("storage:\n  figures: [O.area.per_sm]\n  experiment: opportunistic_storage\n"
              "  layers: [lenet5.C1.forward]\n  variants: [both_scalar]\n"
              "  settings:\n    table: {source: chosen, high: {opportunistic.at_entries: 1024}}\n", plan)
        process = self.atlas("--file", plan)
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertRegex(process.stdout, r"shipped +3\.31")
        self.assertRegex(process.stdout, r"table\.high +3\.\d\d +\+0\.\d\d")
        points = json.loads(read(self.out, "atlas.json"))[0]["points"]
        self.assertEqual([point["name"] for point in points], ["shipped", "table.high"])
        self.assertGreater(points[1]["moved_by"], 0)
        self.assertIn("<svg xmlns=", read(self.out, "O.area.per_sm.svg"))

    def test_wrong_input(self):
        self.assert_refused(self.atlas("D.fig9.lhb1024.speed"), "did you mean 'D.fig9.lhb1024.speedup'?")
        self.assert_refused(self.atlas("--file", os.path.join(self.folder, "none.yaml")), "none.yaml")
        self.assertRegex(self.atlas("--list", "D.fig9.oracle.speedup").stdout, r"\Aduplo: 26 points, \d+ runs \(\d+ of them equal to others\)\n\Z")
        self.assertFalse(os.path.exists(self.out))


class Explanations(unittest.TestCase):
    def test_what_they_refer_to_is_there(self):
        plan = yaml.safe_load(read(ROOT, "configs", "reproduction.yaml"))
        for name, explanation in plan["explanations"].items():
            if "see" not in explanation:
                continue
            page, _, heading = explanation["see"].partition("#")
            headings = re.findall(r"^#+ (.*)$", read(ROOT, page), re.MULTILINE)
            # GitHub derives anchors from headings in this way.
            anchors = [re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings]
            self.assertIn(heading, anchors, name)


def sentences(page):
    """The sentences of a page, without what is generated: tables, values, code and the targets of links."""
    page = re.sub(r"<!-- table: .*?<!-- end of table -->", "", page, flags=re.DOTALL)
    page = re.sub(r"^```.*?^```", "", page, flags=re.DOTALL | re.MULTILINE)
    page = re.sub(r"<!-- value: [^>]+ -->.*?<!-- end -->", "", page)
    page = re.sub(r"`[^`]*`|\]\([^)]*\)", "", page)
    return re.sub(r"\"[^\"]*\"", "", page)  # a paper's words


def typed_results(page):
    """Numbers in sentences that look measured: with decimals, in percent, or with an interval."""
    return re.findall(r"\d+\.\d+|\d+ ?%|± ?\d+", sentences(page))


class Sentences(unittest.TestCase):
    """The sentences of docs/reproduction.md hold no typed results. Reasons are checked by the program."""

    def test_the_page_has_no_typed_results(self):
        self.assertEqual(typed_results(read(ROOT, "docs", "reproduction.md")), [])

    def test_a_typed_result_is_found(self):
        self.assertEqual(typed_results("It gains 14.1 % here, and 3 % ± 2 there.\n"), ["14.1", "3 %", "± 2"])
        self.assertEqual(typed_results("<!-- table: counts -->\n3.5 %\n<!-- end of table -->\nIt is 4.5.\n"), ["4.5"])
        self.assertEqual(typed_results("It gains <!-- value: ours D.a -->14.1<!-- end --> %, of 22 layers (V-D: \"60.2%\"), `--x 0.5`.\n"), [])

    def test_reasons_with_typed_results_are_refused(self):
        """The program refuses them as it reads its plan."""
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(os.path.join(ROOT, "configs"), os.path.join(folder, "configs"))
            path = os.path.join(folder, "configs", "reproduction.yaml")
            text = read(path)
            at = text.index("  D.base.bigger_caches:\n    why: ") + len("  D.base.bigger_caches:\n    why: ")
            write(text[:at] + "it gains 47.9 % here; " + text[at:], path)
            process = subprocess.run([TESSERA, "reproduce", "--list"], capture_output=True, text=True, check=False,
                                     env={**os.environ, "TESSERA_CONFIG_DIR": os.path.join(folder, "configs")})
            self.assertEqual(process.returncode, 2, process.stdout)
            self.assertIn("explanations.D.base.bigger_caches.why: got the typed number '47.9'", process.stderr)


if __name__ == "__main__":
    TESSERA = sys.argv.pop(1)
    unittest.main()
