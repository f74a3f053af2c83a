#!/usr/bin/python3
"""tessera report and compare as users meet them: pages of sweeps, what two runs differ in, and which setting did it.

Usage: compare_test.py TESSERA
"""

import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from sweep_case import SweepCase, sweep_main  # noqa: E402
from sweep_trial import TRIAL, read  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Report(SweepCase):
    def test_report(self):
        self.experiment = self.write("duplo_fig9_fig10.yaml", TRIAL.replace(
            "name: trial", "name: duplo_fig9_fig10").replace("  duplo:", "  lhb1024:"))
        self.sweep()
        page = os.path.join(self.folder, "new", "report.html")
        run = self.run_folder("yolo.C6", "lhb1024")
        text = self.tessera("report", self.out, run, "-o", page).stdout
        self.assertRegex(text, r"D\.fig9\.lhb1024\.speedup .* 22\.1 ")
        self.assertIn("hits by class", text)
        self.assertIn("report: " + page, text)
        html = read(page)
        self.assertIn("<td class='word '>D.fig11.l1_services</td>", html)
        self.assertIn("Effective configuration", html)
        first = html
        self.tessera("report", self.out, run, "-o", page)
        self.assertEqual(first, read(page))

    def test_report_of_nothing(self):
        self.assert_user_error(self.tessera("report", self.out, code=2), "no such results")
        self.assert_user_error(self.tessera("report", self.folder, code=2), "no such result")
        page = self.write("page", "in the way")
        self.sweep()
        self.assertIn("-o: cannot make folder",
                      self.tessera("report", self.out, "-o", page + "/report.html", code=2).stderr)

    def test_every_column_and_metric_is_explained(self):
        self.sweep()
        explained = set(re.findall(r"`([a-z0-9_*]+)`", read(ROOT, "docs", "output.md")))
        result = json.loads(read(self.run_folder("yolo.C6", "duplo"), "result.json"))
        for name in [*self.rows()[0], *result, *result["metrics"], *result["verification"],
                     *result["kernels"][0]]:
            self.assertIn(name, explained)


class Compare(SweepCase):
    def test_compare(self):
        self.sweep()
        off, on = self.run_folder("yolo.C6", "baseline"), self.run_folder("yolo.C6", "duplo")
        text = self.tessera("compare", off, os.path.join(on, "result.json")).stdout
        self.assertIn("duplo.enabled: off -> on", text)
        self.assertRegex(text, r"\n  l1_services +\d+ +\d+ +-\d")
        self.assertGreater(len(self.tessera("compare", off, on, "--all").stdout), len(text))
        process = self.tessera("compare", off, on, "--expect-equal", code=1)
        self.assertIn("the results differ in: config_hash, metrics, mechanisms, energy, kernels, config", process.stderr)
        self.assertIn("same configuration",
                      self.tessera("compare", on, on, "--expect-equal").stdout)
        self.assert_user_error(self.tessera("compare", on, self.folder, code=2), "no such result")
        empty = self.write("empty.json", '{"schema_version": 1}')
        self.assert_user_error(self.tessera("compare", on, empty, code=2), f"{empty}: tool: got none, expected an object")

    def test_results_that_failed_are_not_passed_off(self):
        self.sweep()
        off, on = self.run_folder("yolo.C6", "baseline"), self.run_folder("yolo.C6", "duplo")
        self.assertNotIn("relied on", self.tessera("compare", off, on).stdout + self.tessera("report", on).stdout)
        result = json.loads(read(on, "result.json"))
        self.write(os.path.join(on, "result.json"), json.dumps({**result, "violations": ["L1", "L2"]}))
        note = "must not be relied on: 2 invariants do not hold: L1.\n"
        self.assertTrue(self.tessera("compare", off, on).stdout.startswith("B " + note))
        self.assertTrue(self.tessera("compare", on, off).stdout.startswith("A " + note))
        self.assertIn("  This run " + note, self.tessera("report", on).stdout)

    def test_a_folder_is_no_page(self):
        self.sweep()
        run = self.run_folder("yolo.C6", "duplo")
        process = self.tessera("compare", run, run, "--html", self.out, code=2)
        self.assert_user_error(process, f"--html: {self.out} is there and is no file")
        self.assertEqual("", process.stdout)
        self.assert_user_error(self.tessera("report", run, "-o", self.out, code=2), f"-o: {self.out} is there and is no file")

    def test_time_is_what_counts_where_clocks_differ(self):
        """At half the clock the same cycles take twice as long, whatever Duplo saves of them."""
        a, of_a = self.attributed("a", "duplo.enabled=off", "dram.clock_mhz=400", "gpu.core_clock_mhz=1200")
        b, of_b = self.attributed("b", "dram.clock_mhz=200", "gpu.core_clock_mhz=600")
        self.assertLess(of_b, of_a)
        out, page = os.path.join(self.folder, "between"), os.path.join(self.folder, "page.html")
        text = self.tessera("compare", a, b, "--attribute", "--out", out, "--html", page).stdout
        self.assertIn("a cycle of B takes 2 times as long as one of A", text)
        # 1200 MHz are 1.2 cycles a nanosecond.
        self.assertIn(f"in ns of all kernels (A takes {of_a / 1.2:.0f}, B {of_b / 0.6:.0f})", text)
        self.assertRegex(text, r"gpu\.core_clock_mhz \(1200 -> 600\) did most of it: of \+\d+ ns")
        _, duplo = self.attributed("duplo", "dram.clock_mhz=400", "gpu.core_clock_mhz=1200")
        row = re.search(r"(?m)^  duplo\.enabled +off +on +(\S+)", text)
        self.assertEqual(f"{(duplo - of_a) / 1.2:+.0f}", row[1])
        html = read(page)
        self.assertIn(f"with its core clock B is {of_a / of_b / 2:.3f} times as fast", html)
        self.assertIn("alone [ns]", html)

    def attributed(self, name, *sets):
        """A run on top of a small layer."""
        folder = os.path.join(self.folder, name)
        settings = [word for key in sets for word in ("--set", key)]
        self.tessera("run", "duplo_titan_v", "duplo_paper", "resnet.C8", "--set", "gpu.sms=1", "--set", "workload.layer.batch=1",
                     "--set", "workload.tiling.cta_limit=2", *settings, "--out", folder, "-q", "--allow-unused")
        return folder, sum(kernel["cycles"] for kernel in json.loads(read(folder, "result.json"))["kernels"])

    def test_compare_names_the_setting_that_did_it(self):
        away = ["duplo.enabled=off"]
        there = ["l1.hit_latency_cycles=60", "duplo.lhb.entries=16", "sm.unified_l1_kib=256", "sm.shared_memory_kib=160"]
        a, of_a = self.attributed("a", *away)
        b, of_b = self.attributed("b", *there)
        out, page = os.path.join(self.folder, "between"), os.path.join(self.folder, "page.html")
        command = ["compare", a, b, "--attribute", "--out", out, "--html", page]
        listed = self.tessera(*command, "--list").stdout
        self.assert_user_error(self.tessera("compare", a, b, "--list", code=2), "--list requires --attribute")
        self.assertFalse(os.path.exists(out))
        process = self.tessera(*command, "-j", "2")
        rows = {row.split()[0]: row.split()[3:] for row in process.stdout.split("on top: ")[1].splitlines()[3:8]}
        # Runs by hand, with one setting over A and one set back in B, yield the same cycles.
        _, alone = self.attributed("alone", *away, there[0])
        self.assertEqual(alone - of_a, int(rows["l1.hit_latency_cycles"][0]))
        self.assertGreater(abs(alone - of_a), 100)
        _, duplo = self.attributed("duplo")
        _, without = self.attributed("without", *there, *away)
        self.assertEqual([duplo - of_a, of_b - without, of_b - without - (duplo - of_a)], list(map(int, rows["duplo.enabled"])))
        self.assertNotEqual("0", rows["duplo.enabled"][1])
        # Entries do nothing where there is no Duplo, which takes no run.
        self.assertEqual("0", rows["duplo.lhb.entries"][0])
        self.assertNotIn("A with duplo.lhb.entries", listed)
        self.assertEqual(7, listed.count(" with ") - listed.count("cannot stand alone"))
        self.assertIn("attribution: 7 runs", process.stderr)
        # An L1 of 128 KiB has no room for 160 KiB of shared memory.
        self.assertEqual("refused", rows["sm.shared_memory_kib"][0])
        refusal = "A with sm.shared_memory_kib=160 cannot stand alone: --set sm.shared_memory_kib=160: got '160', expected"
        self.assertIn(refusal, process.stdout)
        self.assertIn(refusal, listed)
        sizes = [max(abs(int(cell)) for cell in row[:2] if cell != "refused") for row in rows.values()]
        self.assertEqual(sorted(sizes, reverse=True), sizes)
        text = read(page)
        self.assertIn("which did it", text)
        self.assertIn(refusal.replace("'", "&#39;"), text)
        self.assertIn(f"<td class=''>{rows['duplo.enabled'][0]}</td>", text)
        # Again: nothing is run, the same is said.
        results = {path: os.stat(path).st_mtime_ns for path in self.results(out)}
        self.assertEqual(7, len(results))
        self.assertEqual(process.stdout, self.tessera(*command).stdout)
        self.assertEqual(results, {path: os.stat(path).st_mtime_ns for path in self.results(out)})

    def results(self, folder):
        return [os.path.join(where, "result.json") for where, _, files in os.walk(folder) if "result.json" in files]

    def test_compare_attributes_nothing_to_what_cannot_be_run(self):
        a, _ = self.attributed("a", "duplo.enabled=off")
        b, _ = self.attributed("b", "l1.hit_latency_cycles=60")
        out = os.path.join(self.folder, "between")

        def compare(*arguments, code=2):
            return self.tessera("compare", *arguments, "--attribute", "--out", out, code=code)

        def changed(name, **keys):
            result = json.loads(read(b, "result.json"))
            return self.write(name, json.dumps({**result, **keys}))
        self.assert_user_error(compare(a, b, "--attribute-limit", "1"),
                               "--attribute: 2 settings differ, which takes 4 runs, and at most 1 are tried: --attribute-limit 2")
        tool = {**json.loads(read(b, "result.json"))["tool"], "git_revision": "0123456789ab"}
        self.assert_user_error(compare(a, changed("old.json", tool=tool)), "--attribute: B was run by tessera 0.2.0 (0123456789ab)")
        self.assert_user_error(compare(a, changed("other.json", workload="yolo.C6")),
                               'A ran "resnet.C8" and B ran "yolo.C6", expected one workload')
        self.assert_user_error(self.tessera("compare", a, b, "--attribute-limit", "3", code=2), "--attribute")
        # A single differing setting needs no run.
        c, _ = self.attributed("c")
        self.assertIn("so all -", compare(a, c, code=0).stdout)
        self.assertIn("no setting differs", compare(a, a, code=0).stdout)
        self.assertFalse(os.path.exists(out))
        # The folder of a sweep is not taken.
        self.sweep()
        self.assert_user_error(self.tessera("compare", a, b, "--attribute", "--out", self.out, code=2), "holds the sweep")


if __name__ == "__main__":
    sweep_main()
