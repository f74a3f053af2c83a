#!/usr/bin/python3
"""The store of results: an equal run is not simulated again, and what comes out are its bytes.

Usage: cache_test.py TESSERA
"""

import filecmp
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import unittest

import numpy
import onnx

import small_run
from network_case import VALUES, NetworkCase
from small_run import Cli, sets, tessera

HOST = "host.json"
EXPERIMENT = """
base: [SMALL]
variants:
  one: {}
  other: {set: {workload.layer.filters: 64}}
"""


class CacheCase(Cli):
    def setUp(self):
        super().setUp()
        self.cache = self.path("cache")
        self.environment = {**os.environ, "TESSERA_CACHE": self.cache}

    def tessera(self, *arguments, code=0, **environment):
        process = tessera(*arguments, env={**self.environment, **environment})
        self.assertEqual(process.returncode, code, process.stderr)
        return process

    def small_run(self, *arguments, out="out", code=0, **environment):
        return self.tessera("run", self.small, *arguments, "--out", self.path(out), code=code, **environment)

    def entries(self):
        return sorted(os.listdir(self.cache)) if os.path.isdir(self.cache) else []

    def host(self, out="out"):
        with open(self.path(out, HOST), encoding="utf-8") as file:
            return json.load(file)

    def is_stored(self, out="out"):
        return "stored" in self.host(out)

    def assert_same_files(self, one, other):
        names = sorted(os.listdir(self.path(one)))
        self.assertEqual(names, sorted(os.listdir(self.path(other))))
        equal, different, failed = filecmp.cmpfiles(self.path(one), self.path(other), names, shallow=False)
        self.assertEqual((different, failed), ([HOST], []))
        self.assertIn("result.json", equal)


class Hits(CacheCase):
    def test_the_second_run_has_the_files_and_the_text_of_the_first(self):
        for values in ("off", "on"):
            a, b = f"a_{values}", f"b_{values}"
            first = self.small_run("--set", f"values={values}", out=a)
            second = self.small_run("--set", f"values={values}", out=b)
            self.assertFalse(self.is_stored(a))
            self.assertTrue(self.is_stored(b))
            self.assert_same_files(a, b)
            page = first.stdout[:first.stdout.rindex("\n\n")]
            self.assertTrue(second.stdout.startswith(page), second.stdout)
            self.assertRegex(second.stdout[len(page):],
                             r"^\n\nstored: an equal run took \d+\.\d\d s \(--no-cache simulates it again\)\n"
                             r"results: \S+\n$")
        self.assertIn("oneDNN: 0 of", page)
        self.assertEqual(len(self.entries()), 2)

    def test_without_a_folder(self):
        first = self.tessera("run", self.small)
        second = self.tessera("run", self.small)
        self.assertNotIn("stored:", first.stdout)
        self.assertIn("stored:", second.stdout)
        self.assertEqual(self.tessera("run", "-q", self.small).stdout, "")

    def test_what_acts_not_what_is_written_makes_runs_equal(self):
        self.small_run("--set", "duplo.lhb.entries=64", "--allow-unused", out="a")
        self.small_run("--set", "duplo.lhb.entries=64", "--allow-unused", "--threads", "2", out="b")
        self.assertTrue(self.is_stored("b"))
        self.assertEqual(self.host("b")["unread_keys"], ["duplo.lhb.entries"])
        # A value that does not act is that of the run, not that of the stored one.
        other = ["--set", "duplo.lhb.entries=128", "--allow-unused"]
        self.small_run(*other, out="c")
        self.small_run(*other, "--no-cache", out="simulated")
        self.assertTrue(self.is_stored("c"))
        self.assert_same_files("c", "simulated")
        # Without --allow-unused keys are refused, stored or not.
        for key in ("duplo.lhb.entries=64", "noc.mesh.width=5"):
            self.small_run("--set", key, "--allow-unused", out="d")
            refused = self.small_run("--set", key, out="d", code=2)
            self.assertIn(key.split("=", maxsplit=1)[0], refused.stderr)
        copy = self.file("copy.yaml", small_run.SMALL + "# a comment\n")
        self.small_run(out="d")
        self.tessera("run", copy, "--out", self.path("e"))
        self.assert_same_files("d", "e")
        self.assertTrue(self.is_stored("e"))

    def test_warnings_are_repeated(self):
        crowded = ["run", "-q", "duplo_titan_v", "duplo_paper", "gan.C1", "--set", "workload.tiling.cta_limit=2", "--out"]
        process = self.tessera(*crowded, self.path("a"))
        self.assertIn("need more than the register file", process.stderr)
        again = self.tessera(*crowded, self.path("b"))
        self.assertTrue(self.is_stored("b"))
        self.assertEqual(again.stderr, process.stderr)

    def test_an_earlier_run_is_replaced(self):
        self.small_run()
        self.small_run("--set", "seed=2")
        process = self.small_run()
        self.assertIn("(in place of an earlier run's)", process.stdout)
        self.assertEqual(self.result()["seed"], 1)
        self.assertTrue(self.is_stored())


class Misses(CacheCase):
    def test_other_settings(self):
        self.small_run()
        for key, value in (("seed", 2), ("values", "on"), ("l2.hit_latency_cycles", 200), ("timing", "at"),
                           ("workload.repeat", 2)):
            self.small_run(*sets(**{key.replace(".", "__"): value}))
            self.assertFalse(self.is_stored(), key)

    def test_other_contents_of_a_file(self):
        root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../configs/energy")
        table = self.path("prices.yaml")
        shutil.copy(os.path.join(root, "volta_12nm.yaml"), table)
        prices = ["--set", f"gpu.energy_table={table}"]
        self.small_run(*prices)
        self.small_run(*prices)
        self.assertTrue(self.is_stored())
        with open(table, "a", encoding="utf-8") as file:
            file.write("# revised\n")
        self.small_run(*prices)
        self.assertFalse(self.is_stored())

    def test_another_program(self):
        self.small_run()
        with open(small_run.TESSERA, "rb") as file:
            program = bytearray(file.read())
        note = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0"  # sizes of name and ID, NT_GNU_BUILD_ID, name
        self.assertEqual(program.count(note), 1)
        program[program.index(note) + len(note)] ^= 1
        other = self.path("other_tessera")
        with open(other, "wb") as file:
            file.write(program)
        os.chmod(other, 0o755)
        root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../configs")
        for stored in (False, True):
            subprocess.run([other, "run", "-q", self.small, "--out", self.out()], check=True,
                           env={**self.environment, "TESSERA_CONFIG_DIR": root})
            self.assertEqual(self.is_stored(), stored)

    def test_switched_off(self):
        self.small_run("--no-cache")
        self.small_run(TESSERA_CACHE="off")
        self.tessera("run", self.small, "--dry-run")
        self.assertEqual(self.entries(), [])
        self.small_run()
        self.small_run("--no-cache")
        self.assertFalse(self.is_stored())

    def test_recordings_are_made(self):
        self.small_run()
        for option, name in (("--wave", "w.vcd"), ("--timeline", "t.json"), ("--record-transactions", "r.csv")):
            self.small_run(option, self.path(name))
            self.assertFalse(self.is_stored(), option)
            self.assertTrue(os.path.exists(self.path(name)))
        self.small_run("--over-time")
        self.assertIn("over_time.json", os.listdir(self.out()))
        self.assertEqual(len(self.entries()), 1)

    def test_failed_runs(self):
        self.small_run(*sets(values="on", tensor_core__kind="outer_product",
                              impl__feop_array="rtl", impl__fault="feop_array:invert:200"), code=1)
        self.assertEqual(self.entries(), [])


class Store(CacheCase):
    def test_damage_is_found_and_mended(self):
        self.small_run()
        path = os.path.join(self.cache, self.entries()[0])
        with open(path, "r+b") as file:
            file.seek(1000)
            byte = file.read(1)
            file.seek(1000)
            file.write(bytes([byte[0] ^ 1]))
        process = self.tessera("cache", "check", code=1)
        self.assertEqual((process.stdout, process.stderr), (
            "1 results checked, 1 damaged\n", f"{path}: damaged; the next equal run replaces it\n"))
        self.small_run()
        self.assertFalse(self.is_stored())
        self.assertEqual(self.tessera("cache", "check").stdout, "1 results checked, 0 damaged\n")

    def test_list_and_clear(self):
        self.assertIn("0 results", self.tessera("cache").stdout)
        self.small_run()
        lines = self.tessera("cache", "list").stdout.splitlines()
        self.assertRegex(lines[2], r"^\d{4}-\d\d-\d\d \d\d:\d\d +\d+  .*small.*, \d+ cycles, \w+")
        self.assertRegex(lines[3], rf"^{re.escape(self.cache)}: 1 results, \d+\.\d MiB of at most 2048\.0 MiB$")
        self.assertIn("1 results removed", self.tessera("cache", "clear").stdout)
        self.assertEqual(self.entries(), [])

    def test_the_store_stays_within_its_limit(self):
        for seed in range(20):
            self.small_run("--set", f"seed={seed}", TESSERA_CACHE_MIB="1")
        self.assertLessEqual(sum(os.path.getsize(os.path.join(self.cache, name)) for name in self.entries()), 1 << 20)
        self.assertLess(len(self.entries()), 20)
        self.small_run("--set", "seed=19")
        self.assertTrue(self.is_stored())

    def test_wrong_input(self):
        for arguments, environment, expected in (
                (["run", self.small], {"TESSERA_CACHE_MIB": "much"}, "TESSERA_CACHE_MIB: got 'much'"),
                (["cache"], {"TESSERA_CACHE": "off"}, "there is no store"),
                (["cache", "purge"], {}, "purge")):
            process = tessera(*arguments, env={**self.environment, **environment})
            self.assert_refused(process, expected)

    def test_a_folder_that_cannot_be_written_costs_no_result(self):
        blocked = self.file("blocked", "a file")
        process = self.small_run(TESSERA_CACHE=blocked)
        self.assertEqual(process.stderr.count("\n"), 1)
        self.assertIn("warning: the result is not stored for later runs: ", process.stderr)
        self.assertFalse(self.is_stored())

    def test_two_writers_one_of_them_killed(self):
        """Whatever moment the kill hits, the store gives whole results or none."""
        command = [small_run.TESSERA, "run", "-q", self.small]
        trials = 100
        self.small_run("--no-cache", out="reference")
        for trial in range(trials):
            writers = [subprocess.Popen(command, env=self.environment) for _ in range(2)]
            try:
                writers[0].wait(timeout=0.2 * trial / trials)
            except subprocess.TimeoutExpired:
                writers[0].send_signal(signal.SIGKILL)
            self.assertEqual([writers[1].wait(), writers[0].wait() in (0, -signal.SIGKILL)], [0, True])
            self.tessera("cache", "check")
            if trial % 10 == 9:
                self.small_run(out="trial")
                self.assertTrue(self.is_stored("trial"))
                self.assert_same_files("reference", "trial")
                self.tessera("cache", "clear")


class Commands(CacheCase, NetworkCase):
    def test_a_sweep(self):
        experiment = self.file("two.yaml", EXPERIMENT.replace("SMALL", self.small))
        first = self.tessera("sweep", experiment, "--out", self.path("first"))
        self.assertNotIn("stored", first.stdout)
        second = self.tessera("sweep", experiment, "--out", self.path("second"))
        self.assertIn("2 of 2 results are stored ones (--no-cache simulates them again)", second.stdout)
        for name in ("summary.csv", "summary.json", "table.txt"):
            self.assertTrue(filecmp.cmp(self.path("first", name), self.path("second", name), shallow=False), name)
        with open(self.path("first", "sweep.json"), encoding="utf-8") as file:
            folders = [run["folder"] for run in json.load(file)["runs"]]
        for folder in folders:
            self.assertTrue(self.is_stored(os.path.join("second", folder)))
            self.assert_same_files(os.path.join("first", folder), os.path.join("second", folder))
        self.tessera("sweep", experiment, "--out", self.path("third"), "--no-cache")
        for folder in folders:
            self.assertFalse(self.is_stored(os.path.join("third", folder)))

    def lowered(self, out, *arguments, **environment):
        """Whether `tessera network` lowered the network; otherwise it took an equal one's results."""
        process = self.tessera("network", *arguments, "--out", self.path(out), **environment)
        stored = "stored: an equal network was lowered and run before (--no-cache does it again)\n" in process.stderr
        tensors = [name for name in os.listdir(self.path(out, "layers")) if name.endswith(".tensors")]
        self.assertEqual(stored, not tensors)
        return not stored

    def below(self, out):
        """Files below a folder, without tensors and what differs between equal runs."""
        different = (HOST, "log.txt", "sweep.json", "origin.json", "config.yaml")
        return sorted(os.path.relpath(os.path.join(folder, name), self.path(out))
                      for folder, _, names in os.walk(self.path(out)) for name in names
                      if name not in different and not name.endswith(".tensors"))

    def test_a_network(self):
        for machine in ("v100,gpu.sms=2", "v100,gpu.sms=2,values=on"):
            ask = [self.everything(), "--dim", "batch=1", machine, "dual_implicit_ideal", "duplo_staged"]
            first, second = self.path("first"), self.path("second")
            self.assertTrue(self.lowered("first", *ask))
            self.assertFalse(self.lowered("second", *ask))
            self.assertIn(first, json.dumps(self.json("first")))  # reasons name files of layers
            self.assertEqual(self.below("first"), self.below("second"))
            for name in self.below("first"):
                with open(os.path.join(first, name), encoding="utf-8") as file:
                    expected = file.read()
                with open(os.path.join(second, name), encoding="utf-8") as file:
                    self.assertEqual(file.read(), expected.replace(first, second), name)
            for name in self.below("second"):
                if name.endswith("result.json"):
                    self.assertTrue(self.is_stored(os.path.join("second", os.path.dirname(name))), name)
            shutil.rmtree(first)
            shutil.rmtree(second)
            self.tessera("cache", "clear")

    def test_another_network(self):
        model = self.twins()
        ask = [model, "v100,gpu.sms=2"]
        self.assertTrue(self.lowered("out", *ask))
        for i, other in enumerate((["--prune", "0.5"], ["--no-fuse"], ["--seed", "2"], ["--set", "seed=3"], ["--no-cache"])):
            self.assertTrue(self.lowered(f"other{i}", *ask, *other), other)
        self.assertTrue(self.lowered("off", *ask, TESSERA_CACHE="off"))
        self.assertTrue(self.lowered("small", model, "v100,gpu.sms=3"))
        self.assertFalse(self.lowered("again", *ask))
        self.random = numpy.random.default_rng(8)
        self.assertEqual(self.twins(), model)
        self.assertTrue(self.lowered("weights", *ask))

    def test_other_external_data(self):
        model = onnx.load(self.twins())
        path = self.path("external.onnx")
        onnx.save_model(model, path, save_as_external_data=True, location="weights.bin", size_threshold=0)
        self.assertTrue(self.lowered("first", path, "v100,gpu.sms=2"))
        self.assertFalse(self.lowered("second", path, "v100,gpu.sms=2"))
        with open(self.path("weights.bin"), "r+b") as file:
            file.write(b"\0\0\0\0")
        self.assertTrue(self.lowered("third", path, "v100,gpu.sms=2"))

    def test_a_network_whose_runs_are_no_longer_stored(self):
        ask = [self.twins(), "v100,gpu.sms=2", "dual_implicit_ideal"]
        self.assertTrue(self.lowered("first", *ask))
        for name in self.entries():
            with open(os.path.join(self.cache, name), encoding="utf-8") as file:
                title = file.read(200).splitlines()[1]
            if title.startswith("000_first"):
                os.remove(os.path.join(self.cache, name))
        self.assertTrue(self.lowered("second", *ask))
        self.assertFalse(self.lowered("third", *ask))

    def test_a_key_that_no_layer_reads_is_refused_again(self):
        model = self.twins()
        for out in ("first", "second"):
            process = self.tessera("network", model, "v100,gpu.sms=2", "--set", "noc.mesh.width=5", "--out", self.path(out), code=2)
            self.assertIn("--set noc.mesh.width=5: got a key that has no effect in any of the runs", process.stderr)
        self.assertGreater(len(self.entries()), 0)

    def test_damaged_tensors_are_refused_again(self):
        self.tessera("network", self.twins(), "v100,gpu.sms=2", *VALUES, "--out", self.out())
        folder = self.path("out", "layers")
        name = next(name for name in sorted(os.listdir(folder)) if name.endswith(".values.tensors"))
        run = ["run", "-q", "v100", os.path.join(folder, name.replace(".tensors", ".yaml")), "--set", "values=on",
               "--set", "workload.kernel=auto"]
        self.tessera(*run)
        with open(os.path.join(folder, name), "r+b") as file:
            file.seek(-1, os.SEEK_END)
            last = file.read(1)[0]
            file.seek(-1, os.SEEK_END)
            file.write(bytes([last ^ 1]))
        self.assertIn("it was written anew, or damaged", self.tessera(*run, code=2).stderr)


if __name__ == "__main__":
    small_run.TESSERA = sys.argv.pop(1)
    unittest.main()
