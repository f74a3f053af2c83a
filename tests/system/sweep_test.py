#!/usr/bin/python3
"""tessera sweep as users meet it: resuming, interrupts, failures, full disks.

Usage: sweep_test.py TESSERA
"""

import fcntl
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from sweep_case import SweepCase, sweep_main  # noqa: E402
from sweep_trial import TABLES, TRIAL, processes_about, read  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# One run that takes seconds and two that do not.
UNEVEN = TRIAL.replace("layers: [resnet.C8, yolo.C6]", "layers: [resnet.C2]") + """
  long: {configs: [duplo_paper], set: {gpu.sms: 8, workload.tiling.cta_limit: 400}, baseline: baseline}
"""


class Results(SweepCase):
    def test_tables_and_files(self):
        process = self.sweep("-j", "2")
        self.assertIn("4/4", process.stderr)
        self.assertNotIn("\r", process.stderr)  # no terminal, no redrawing
        tables, rate = process.stdout.split("\nsimulated ")
        self.assertEqual(tables, read(self.out, "table.txt"))
        self.assertIn("million warp instructions in", rate)
        self.assertEqual([(r["layer"], r["variant"], r["baseline"]) for r in self.rows()],
                         [("resnet.C8", "baseline", "baseline"), ("resnet.C8", "duplo", "baseline"),
                          ("yolo.C6", "baseline", "baseline"), ("yolo.C6", "duplo", "baseline")])
        for before, after in zip(self.rows()[::2], self.rows()[1::2]):
            speedup = 100 * (int(before["cycles"]) / int(after["cycles"]) - 1)
            self.assertAlmostEqual(float(after["speedup_percent"]), speedup, places=3)
            self.assertEqual(before["hit_rate_percent"], "")
        self.assertEqual(len(read(self.out, "host.csv").splitlines()), 5)
        for name in ["result.json", "log.txt", "config.yaml", "summary.txt", "host.json"]:
            self.assertTrue(os.path.exists(os.path.join(self.run_folder("yolo.C6", "duplo"), name)), name)

    def test_a_run_of_the_sweep_equals_the_same_run_by_hand(self):
        self.sweep()
        plan = json.loads(read(self.out, "sweep.json"))
        alone = os.path.join(self.folder, "alone")
        self.tessera("run", *plan["runs"][1]["arguments"], "--out", alone, "-q")
        self.assertEqual(read(alone, "result.json"),
                         read(self.out, plan["runs"][1]["folder"], "result.json"))
        self.tessera("compare", alone, os.path.join(self.out, plan["runs"][1]["folder"]), "--expect-equal")

    def test_the_same_bytes_at_any_j_and_when_resumed(self):
        self.sweep("-j", "1")
        single = {name: read(self.out, name) for name in TABLES}
        self.out += "2"
        self.sweep("-j", "2")
        os.remove(os.path.join(self.run_folder("resnet.C8", "duplo"), "result.json"))
        double = {name: read(self.out, name) for name in TABLES}
        self.sweep("-j", "2")
        resumed = {name: read(self.out, name) for name in TABLES}
        self.assertEqual(single, double)
        self.assertEqual(single, resumed)

    def test_runs_have_the_threads_of_jobs_without_a_run(self):
        cores = os.cpu_count()
        self.assertEqual(self.threads("-j", "9"), 4 * [max(1, min(9, cores) // 4)])
        self.assertEqual(self.threads("-j", "9", "--set", "host.threads=auto"), 4 * [cores])
        self.assertEqual(self.threads("-j", "9", "--set", "host.threads=3"), 4 * [3])
        # The last run begins when another ends, and has all jobs if all three have ended by then.
        threads = sorted(self.threads("-j", "3"))
        self.assertEqual(threads[:3], [1, 1, 1])
        self.assertIn(threads[3], (1, min(3, cores)))
        self.out = self.out[:-1]
        os.remove(os.path.join(self.run_folder("yolo.C6", "duplo"), "result.json"))
        threads = self.threads("-j", "2")
        self.assertEqual(threads[3], min(2, cores))

    def threads(self, *more):
        """The threads of each run of a sweep with the arguments `more`."""
        self.sweep(*more)
        hosts = [json.loads(read(self.run_folder(layer, variant), "host.json"))
                 for layer in ("resnet.C8", "yolo.C6") for variant in ("baseline", "duplo")]
        self.out += "+"
        return [host["threads"] for host in hosts]

    def test_list_runs_nothing(self):
        process = self.sweep("--list")
        self.assertIn("runs/yolo.C6/duplo", process.stdout)
        self.assertIn("4 runs", process.stdout)
        self.assertFalse(os.path.exists(self.out))

    def test_the_plot_reads_the_summary(self):
        self.sweep()
        image = os.path.join(self.folder, "figures.png")
        subprocess.run([sys.executable, os.path.join(ROOT, "tools", "plot_duplo.py"), self.out, "-o", image],
                       check=True)
        self.assertGreater(os.path.getsize(image), 10_000)


class Resuming(SweepCase):
    def changed(self, action, *arguments):
        """Whether each run was made anew by a second sweep after `action`."""
        self.sweep()
        files = [os.path.join(self.run_folder(r["layer"], r["variant"]), "result.json") for r in self.rows()]
        action(files)
        before = [os.stat(path).st_mtime_ns for path in files]
        self.second = self.sweep(*arguments)
        return [os.stat(path).st_mtime_ns != time_ for path, time_ in zip(files, before)]

    def edit(self, old, new):
        def action(files):
            text = read(files[0])
            self.assertRegex(text, old)
            with open(files[0], "w", encoding="utf-8") as handle:
                handle.write(re.sub(old, new, text))
        return action

    def test_finished_runs_are_skipped(self):
        self.assertEqual(self.changed(lambda files: None), [False] * 4)
        self.assertIn("4 of them skipped", self.second.stderr)

    def test_another_configuration_runs_again(self):
        self.assertEqual(self.changed(lambda files: None, "--set", "l2.ways=12"), [True] * 4)

    def test_another_revision_runs_again_unless_kept(self):
        edit = self.edit('"git_revision": "[^"]*"', '"git_revision": "123456789abc"')
        self.assertEqual(self.changed(edit), [True, False, False, False])
        self.assertEqual(self.changed(edit, "--keep"), [False] * 4)

    def test_another_version_or_schema_runs_again(self):
        for old, new in [('"version": "[^"]*"', '"version": "9"'),
                         ('"schema_version": 1', '"schema_version": 2')]:
            self.assertEqual(self.changed(self.edit(old, new), "--keep"), [True, False, False, False])

    def test_torn_and_bad_results_run_again(self):
        def tear(files):
            text = read(files[0])
            for path, content in [(files[0], text[:len(text) // 2]), (files[1], ""), (files[2], "[]")]:
                with open(path, "w", encoding="utf-8") as handle:
                    handle.write(content)
            with open(files[3] + ".part", "w", encoding="utf-8") as handle:
                handle.write("left by a crash")
        self.assertEqual(self.changed(tear), [True, True, True, False])

    def test_a_result_that_did_not_pass_runs_again(self):
        edit = self.edit(r'"violations": \[\]', '"violations": ["x"]')
        self.assertEqual(self.changed(edit), [True, False, False, False])


class Interrupts(SweepCase):
    def interrupted(self, number):
        """Interrupts a sweep with `number` when its short runs are done."""
        self.experiment = self.write("uneven.yaml", UNEVEN)
        process = subprocess.Popen([self.program, "sweep", self.experiment, "--out", self.out, "-j", "2"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        short = [os.path.join(self.run_folder("resnet.C2", name), "result.json")
                 for name in ["baseline", "duplo"]]
        deadline = time.time() + 100
        while not all(map(os.path.exists, short)) and process.poll() is None and time.time() < deadline:
            time.sleep(0.01)
        time.sleep(0.1)  # let the sweep notice that they ended
        process.send_signal(number)
        if number == signal.SIGTERM:  # timeout(1) signals the process, then its group
            time.sleep(0.002)
            process.send_signal(number)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertEqual(processes_about(self.out), [])
        self.assertFalse(os.path.exists(os.path.join(self.out, "summary.csv")))
        return errors

    def test_interrupt_and_resume(self):
        for number in [signal.SIGINT, signal.SIGTERM]:
            shutil.rmtree(self.out, ignore_errors=True)
            errors = self.interrupted(number)
            self.assertIn("interrupted: 2 of 3 runs are done and kept; resume with: tessera sweep "
                          f"{self.experiment} --out {self.out}", errors)
            page = os.path.join(self.folder, "partial.html")
            text = self.tessera("report", self.out, "-o", page).stdout
            self.assertIn("\n1 of 3 runs are missing: ", text)
            self.assertRegex(text, r"\n  duplo +baseline +[+-]\d")
            self.assertIn("1 of 3 runs are missing: ", read(page))
        process = self.sweep()
        self.assertIn("2 of them skipped", process.stderr)
        self.assertEqual(len(self.rows()), 3)

    def test_runs_end_with_a_sweep_that_is_killed(self):
        self.experiment = self.write("uneven.yaml", UNEVEN)
        process = subprocess.Popen([self.program, "sweep", self.experiment, "--out", self.out, "-j", "1"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.time() + 60
        while not os.path.exists(self.run_folder("resnet.C2", "long") + "/log.txt") and time.time() < deadline:
            time.sleep(0.01)
        process.kill()
        process.wait()
        while processes_about(self.out) and time.time() < deadline:
            time.sleep(0.05)
        self.assertEqual(processes_about(self.out), [])


class Failures(SweepCase):
    def test_a_failing_run_does_not_stop_the_others(self):
        # A folder where the result should go: the run finds out when it writes.
        os.makedirs(os.path.join(self.run_folder("resnet.C8", "baseline"), "result.json", "in_the_way"))
        process = self.sweep(code=2)
        self.assertRegex(process.stderr, r"resnet.C8 baseline FAILED: tessera: --out: \S+/result.json is there and of no run")
        self.assertIn(f"{os.path.basename(self.program)} run duplo_titan_v resnet.C8 baseline", process.stderr)
        self.assertIn("1 of 4 runs failed and are left out of the tables", process.stderr)
        self.assertEqual([(r["layer"], r["variant"], r["speedup_percent"] != "") for r in self.rows()],
                         [("resnet.C8", "duplo", False), ("yolo.C6", "baseline", True),
                          ("yolo.C6", "duplo", True)])

    def test_a_run_without_a_place_for_its_log_does_not_stop_the_others(self):
        os.makedirs(os.path.join(self.run_folder("yolo.C6", "duplo"), "log.txt", "in_the_way"))
        process = self.sweep("-j", "2", code=2)
        self.assertRegex(process.stderr, r"yolo.C6 duplo FAILED: .*log\.txt is a folder")
        self.assertIn("1 of 4 runs failed and are left out of the tables", process.stderr)
        self.assertEqual(len(self.rows()), 3)

    def test_a_run_that_cannot_be_started_does_not_stop_the_others(self):
        folder = self.run_folder("yolo.C6", "duplo")
        os.makedirs(folder)
        os.symlink("log.txt", os.path.join(folder, "log.txt"))  # leads to itself
        process = self.sweep("-j", "2", code=2)
        self.assertRegex(process.stderr, r"yolo.C6 duplo FAILED: cannot write .*log\.txt: Too many levels of symbolic links")
        self.assertIn("1 of 4 runs failed and are left out of the tables", process.stderr)
        self.assertEqual(len(self.rows()), 3)

    def test_whoever_starts_it_may_ignore_the_ends_of_children(self):
        self.sweep("-j", "2", preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assertEqual(len(self.rows()), 4)

    def test_a_run_that_dies(self):
        self.experiment = self.write("uneven.yaml", UNEVEN)
        process = subprocess.Popen([self.program, "sweep", self.experiment, "--out", self.out, "-j", "1"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        children, deadline = [], time.time() + 60
        while not children and time.time() < deadline:
            children = [pid for pid in processes_about(self.run_folder("resnet.C2", "long"))
                        if pid != process.pid]
        os.kill(children[0], signal.SIGKILL)
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 1, errors)
        self.assertIn("resnet.C2 long (exit code 137): ended with exit code 137", errors)
        self.assertEqual(len(self.rows()), 2)

    def test_bad_experiments_run_nothing(self):
        for text, expected in [
                ("variants: {a: {}}\nlayer: [resnet.C2]\n", "(did you mean 'layers'?)"),
                (TRIAL.replace("gpu.sms: 2", "gpu.sms: none"), "gpu.sms: got 'none'"),
                (TRIAL + "  late: {set: {duplo.lhb.ways: 3}}\n", "resnet.C8 late: "),
                ("variants: [", "trial.yaml:1:")]:
            self.experiment = self.write("trial.yaml", text)
            self.assert_user_error(self.sweep(code=2), expected)
            self.assertFalse(os.path.exists(self.out))
            below = os.path.join(self.folder, "new", "newer")
            self.assert_user_error(self.tessera("sweep", self.experiment, "--out", below, code=2), expected)
            self.assertFalse(os.path.exists(os.path.dirname(below)))
        self.assert_user_error(self.tessera("sweep", "duplo_fig9", code=2), "(did you mean 'duplo_fig2'?)")
        self.assert_user_error(self.tessera("sweep", "no/such.yaml", code=2), "no/such.yaml")

    def test_grids_without_end(self):
        values = str(list(range(1, 11)))
        grid = ", ".join(f"{key}: {values}" for key in ("l1.ways", "l2.ways", "l1.banks", "sm.max_ctas", "l1.mshr_targets",
                                                        "gpu.sms"))
        self.experiment = self.write("grid.yaml", f"base: [duplo_titan_v]\ngrid: {{{grid}}}\nvariants: {{a: {{}}}}\n")
        self.assert_user_error(self.sweep("--list", code=2), "got 1000000 runs, expected at most 100000")
        self.experiment = self.write("grid.yaml", "base: [duplo_titan_v]\nseeds: [1, 2]\nvariants: {a: {set: {seed: 5}}}\n")
        self.assert_user_error(self.sweep("--list", code=2), "got seed, and the experiment has seeds")

    def test_sweeps_do_not_mix_in_a_folder(self):
        self.sweep()
        before = {name: read(self.out, name) for name in TABLES}
        self.experiment = self.write("other.yaml", TRIAL.replace("name: trial", "name: other"))
        self.assert_user_error(self.sweep(code=2), "holds the sweep \"trial\", expected a folder for 'other'")
        self.assertEqual(before, {name: read(self.out, name) for name in TABLES})
        self.out = self.run_folder("yolo.C6", "duplo")
        self.assert_user_error(self.sweep(code=2), "holds a run")

    def test_folders_that_cannot_be_written(self):
        self.out = os.path.join(self.experiment, "below_a_file")
        self.assert_user_error(self.sweep(code=2), "--out: cannot make folder")
        self.out = "/proc/nothing"
        self.assert_user_error(self.sweep(code=2), "--out: cannot make folder")

    def test_a_full_disk(self):
        def at_most(size):
            return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        process = self.sweep(code=2, preexec_fn=at_most(512))  # not even the plan fits
        self.assert_user_error(process, "sweep.json: File too large")
        self.assertFalse(os.path.exists(os.path.join(self.out, "runs")))
        process = self.sweep(code=2, preexec_fn=at_most(8192))  # the plan does, results do not
        self.assertIn("4 of 4 runs failed", process.stderr)
        self.assertIn("File too large", process.stderr)
        self.assertEqual(self.rows(), [])
        self.sweep()
        self.assertEqual(len(self.rows()), 4)

    def test_why_runs_failed_when_the_disk_of_their_logs_is_full(self):
        folder = self.run_folder("resnet.C8", "baseline")
        os.makedirs(os.path.join(folder, "result.json", "in the way"))
        os.symlink("/dev/full", os.path.join(folder, "log.txt"))
        process = self.sweep(code=2)
        why = "tessera: .*result.json.*"
        self.assertRegex(process.stderr, rf"resnet.C8 baseline FAILED: {why}\n")
        self.assertRegex(process.stderr, rf"resnet.C8 baseline \(exit code 2\): {why}\n")

    def test_standard_error_that_cannot_be_written(self):
        for redirection in ("2>/dev/full", "2>&-"):
            for when in ("anew", "with all results there"):
                subprocess.run(["sh", "-c", f'exec "$@" {redirection}', "sh", self.program, "sweep", self.experiment, "--out",
                                self.out], check=True, stdout=subprocess.DEVNULL, timeout=240)
                self.assertEqual(len(self.rows()), 4, when)
                for name in [*TABLES, "host.csv"]:
                    self.assertTrue(os.path.exists(os.path.join(self.out, name)), name)
            shutil.rmtree(self.out)

    def test_tables_of_finished_sweeps_survive_a_full_disk(self):
        self.sweep()
        before = {name: read(self.out, name) for name in TABLES}
        with open(os.path.join(self.folder, "others"), "w", encoding="utf-8") as others:
            others.write("not ours")
        os.symlink(others.name, os.path.join(self.out, "summary.csv.part"))  # nobody writes through it

        def no_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))
        process = subprocess.run([self.program, "sweep", self.experiment, "--out", self.out], preexec_fn=no_room,
                                 capture_output=True, text=True, check=False, timeout=240)
        self.assertEqual((process.returncode, process.stderr.count("File too large")), (2, 1), process.stderr)
        self.assertEqual("not ours", read(others.name))
        self.assertEqual(before, {name: read(self.out, name) for name in TABLES})

    def test_a_torn_result_is_named_and_run_again(self):
        self.sweep()
        torn = os.path.join(self.run_folder("yolo.C6", "duplo"), "result.json")
        with open(torn, "r+", encoding="utf-8") as file:
            file.truncate(1000)
        os.remove(os.path.join(self.out, "summary.json"))
        for command in ("report", "energy"):
            self.assert_user_error(self.tessera(command, self.out, code=2), f"{torn}: not a result file (byte ")
        self.assertRegex(self.sweep().stderr, "warning: .*result.json: not a result file .*: this run is run again\n")
        self.assertEqual(len(self.rows()), 4)

    def test_a_result_without_metrics_is_run_again(self):
        self.sweep()
        before = self.rows()
        path = os.path.join(self.run_folder("yolo.C6", "duplo"), "result.json")
        result = json.loads(read(path))
        with open(path, "w", encoding="utf-8") as file:
            json.dump({**result, "metrics": {}}, file)
        warnings = self.sweep().stderr
        self.assertIn(f"warning: {path}: metrics.cycles: got none, expected an integer from 0: this run is run again\n", warnings)
        self.assertEqual(self.rows(), before)

    def test_paths_of_any_bytes(self):
        folder = os.path.join(os.fsencode(self.folder), b"l\xffx")
        os.mkdir(folder)
        shutil.copy(os.fsencode(self.experiment), folder)
        process = subprocess.run([self.program, "sweep", os.path.join(folder, b"trial.yaml"), "--out",
                                  os.path.join(folder, b"out")], capture_output=True, check=False, timeout=240)
        self.assertEqual(process.returncode, 0, process.stderr)

    def test_two_sweeps_in_one_folder(self):
        os.makedirs(self.out)
        with open(os.path.join(self.out, ".lock"), "w", encoding="utf-8") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            self.assert_user_error(self.sweep(code=2), "another command is at work in")

    def test_a_stale_summary_does_not_survive_an_interrupt_or_change(self):
        self.sweep()
        self.assertEqual(len(self.rows()), 4)
        self.experiment = self.write("uneven.yaml", UNEVEN)
        process = subprocess.Popen([self.program, "sweep", self.experiment, "--out", self.out, "-j", "1"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.time() + 60
        while not os.path.exists(self.run_folder("resnet.C2", "long") + "/log.txt") and time.time() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 130)
        self.assertFalse(os.path.exists(os.path.join(self.out, "summary.json")))
        # The report covers the finished runs of the new sweep and counts the missing ones.
        self.assertRegex(self.tessera("report", self.out).stdout, r"\n[123] of 3 runs are missing: ")


if __name__ == "__main__":
    sweep_main()
