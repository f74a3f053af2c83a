#!/usr/bin/python3
"""Text of files and arguments that would act where it is shown: on terminals, in pages and in spreadsheets; and links."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest
from html.parser import HTMLParser

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

import small_run
from network_case import MACHINE, NetworkCase
from small_run import tessera

# Characters on which a terminal acts: C0 except line breaks and tabs, DEL, C1, and changes of the text direction.
ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
EVIL = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202eEVIL\x85"
SCRIPT = "</script></pre><img src=x onerror='document.title=1'>\"'"


class Tags(HTMLParser):
    """The elements of a page, as a browser finds them."""

    def __init__(self, text):
        super().__init__()
        self.found = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.add(tag)
        if any(name.startswith("on") for name, _ in attrs):
            self.found.add("a handler")


class HostileText(NetworkCase):
    def evil_model(self):
        nodes = [helper.make_node("Relu", ["x"], ["a"], name=EVIL),
                 helper.make_node("MatMul", ["a", self.weights(32, 16)], ["y"], name="=HYPERLINK(1)")]
        return self.save("evil", nodes, [("x", [64, 32])], "y")

    def assert_shown(self, process, code=0):
        self.assertEqual(process.returncode, code, process.stderr)
        for text in (process.stdout, process.stderr):
            self.assertIsNone(ACTS.search(text), repr(text))

    def test_terminal(self):
        model = self.evil_model()
        listed = tessera("network", model, "--list")
        self.assert_shown(listed)
        self.assertIn(r"\u001b[2J\u001b]0;owned\u0007\u009b31m\u202eEVIL\u0085", listed.stdout)
        self.assert_shown(self.network(model, MACHINE))
        for name in ("network.txt", "network.html"):
            with open(self.path("out", name), encoding="utf-8") as file:
                self.assertNotIn("\x1b", file.read() if name.endswith("txt") else "")
        self.assert_shown(tessera("report", self.path("out")))
        self.assert_shown(tessera("run", MACHINE.split(",", maxsplit=1)[0], EVIL), 2)
        self.assert_shown(tessera("run", self.small, "--out", self.path("name" + EVIL)))
        self.assert_shown(tessera("report", self.path("name" + EVIL)))
        title = self.file("evil.yaml", f"title: {json.dumps(EVIL)}\nbase: [{self.small}]\nvariants:\n  alone: {{}}\n")
        self.assert_shown(tessera("sweep", title, "--out", self.path("sweep")))
        self.assert_shown(tessera("report", self.path("sweep")))

    def test_log_lines(self):
        layer = self.file("long.yaml", "workload:\n  kind: gemm\n  gemm: {m: 64, n: 64, k: 64}\nlogging: {level: info}\n")
        self.assert_shown(tessera("run", layer, "--set", "host.threads=2", "--set", "gpu.sms=1"))

    def test_pages(self):
        """Each text of stored results that may be any is put into the page as text."""
        def evil(value):
            if isinstance(value, dict):
                return {key: evil(member) for key, member in value.items()}
            if isinstance(value, list):
                return [evil(member) for member in value]
            return SCRIPT if isinstance(value, str) else value

        def hostile(folder, name, kept):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                data = json.load(file)
            changed = evil(data)
            kept(data, changed)
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                json.dump(changed, file)
            page = self.path("page.html")
            process = tessera("report", folder, "-o", page)
            self.assertEqual(process.returncode, 0, process.stderr)
            with open(page, encoding="utf-8") as file:
                text = file.read()
            self.assertIn("onerror", text)  # it is there, as text
            self.assertEqual({"img", "a handler"} & Tags(text).found, set(), name)

        def of_result(data, changed):
            changed["tool"]["name"] = data["tool"]["name"]
            changed["config_hash"], changed["config"] = data["config_hash"], data["config"]
            for one, other in zip(data["kernels"], changed["kernels"]):
                other["name"] = one["name"]
                for share, with_text in zip(one["percent_of_peak"], other["percent_of_peak"]):
                    with_text.update(share)
            for account, other in [(data, changed), *zip(data["kernels"], changed["kernels"])]:
                other["energy"] = account["energy"]

        run = self.path("run")
        process = tessera("run", "-q", "duplo_titan_v", "duplo_paper", self.small, "--over-time", "--out", run)
        self.assertEqual(process.returncode, 0, process.stderr)
        hostile(run, "over_time.json", lambda data, changed: None)
        hostile(run, "result.json", of_result)

        def of_network(data, changed):
            changed["tool"]["name"] = data["tool"]["name"]
            for one, other in zip(data["layers"], changed["layers"]):
                for time_of_one, with_text in zip(one["times"], other["times"]):
                    with_text["runs"] = time_of_one["runs"]

        self.network(self.twins(), MACHINE, "duplo_staged")
        hostile(self.path("out"), "network.json", of_network)

        def of_summary(data, changed):
            for one, other in zip(data["rows"], changed["rows"]):
                other["config_hash"] = one["config_hash"]
            for one, other in zip(data["variants"], changed["variants"]):
                other["changes"] = {key: f"{SCRIPT} -> {SCRIPT}" for key in one["changes"]}

        experiment = self.file("two.yaml", f"base: [{self.small}]\nvariants:\n  alone: {{}}\n"
                                           "  other: {set: {seed: 2}, baseline: alone}\n")
        process = tessera("sweep", experiment, "--out", self.path("sweep"))
        self.assertEqual(process.returncode, 0, process.stderr)
        hostile(self.path("sweep"), "summary.json", of_summary)

    def test_a_hash_that_is_none_is_refused(self):
        run = self.path("run")
        self.assertEqual(tessera("run", "-q", self.small, "--out", run).returncode, 0)
        path = os.path.join(run, "result.json")
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        with open(path, "w", encoding="utf-8") as file:
            json.dump({**result, "config_hash": SCRIPT}, file)
        self.assert_refused(tessera("report", run), f"{path}: config_hash: got ", "expected 16 hexadecimal digits")

    def test_spreadsheets(self):
        self.network(self.evil_model(), MACHINE)
        with open(self.path("out", "network.csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertIn("'=HYPERLINK(1)", [row["node"] for row in rows])
        for row in rows:
            for cell in row.values():
                self.assertFalse(cell.startswith(("=", "+", "-", "@")), cell)

    def test_external_data(self):
        """A model may only name files in or below its folder, and no link to other files."""
        values = numpy.arange(16, dtype=numpy.float16)
        secret = self.file("secret/values.bin", "")
        values.tofile(secret)
        os.makedirs(self.path("model", "below"))
        values.tofile(self.path("model", "below", "values.bin"))
        os.symlink(secret, self.path("model", "link.bin"))
        os.symlink(self.path("secret"), self.path("model", "folder"))
        os.symlink("below/values.bin", self.path("model", "near.bin"))

        def listed(location):
            tensor = TensorProto(name="w", data_type=TensorProto.FLOAT16, dims=[16], data_location=TensorProto.EXTERNAL)
            for key, value in (("location", location), ("length", "32")):
                tensor.external_data.add(key=key, value=value)
            graph = helper.make_graph([helper.make_node("Identity", ["w"], ["z"])], "g", [], [onnx.ValueInfoProto(name="z")],
                                      [tensor])
            path = self.path("model", "m.onnx")
            with open(path, "wb") as file:
                file.write(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
                           .SerializeToString())
            return tessera("network", path, "--list", "--values", "--outputs", self.path("o"))

        good = listed("below/values.bin")
        self.assertEqual(good.returncode, 0, good.stderr)
        numpy.testing.assert_array_equal(numpy.load(self.path("o", "z.npy")).ravel(), values)
        for location in ("link.bin", "folder/values.bin", "near.bin"):
            self.assert_refused(listed(location), "a symbolic link, expected a file in or below the model's folder")
        for location in ("../secret/values.bin", secret):
            self.assert_refused(listed(location), "expected a file in or below the folder of the model")
        self.assert_refused(listed("none.bin"), "no such file")
        self.assert_refused(listed("below"), "no such file")

    def test_planted_links(self):
        """A file that is being written is a new one, wherever a link of its name leads."""
        other = self.file("other", "not ours")
        os.mkdir(self.out())
        for name in ("w.vcd", "t.json", "t.html"):
            os.symlink(other, self.path(name + ".part"))
        process = tessera("run", "-q", self.small, "--wave", self.path("w.vcd"), "--timeline", self.path("t.json"))
        self.assertEqual(process.returncode, 0, process.stderr)
        with open(other, encoding="utf-8") as file:
            self.assertEqual(file.read(), "not ours")
        self.assertFalse(os.path.islink(self.path("w.vcd")))
        self.assertGreater(os.path.getsize(self.path("w.vcd")), 0)

    def test_a_signal_within_a_node(self):
        """Recurrent layers of many steps take long on the host."""
        steps, hidden = 200000, 64
        random = numpy.random.default_rng(1)

        def weights(name, *shape):
            return numpy_helper.from_array(random.standard_normal(shape).astype(numpy.float32) * 0.1, name)
        graph = helper.make_graph(
            [helper.make_node("LSTM", ["x", "w", "r"], ["y"], name="long", hidden_size=hidden)], "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [steps, 1, hidden])], [onnx.ValueInfoProto(name="y")],
            [weights("w", 1, 4 * hidden, hidden), weights("r", 1, 4 * hidden, hidden)])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        onnx.save(model, self.path("long.onnx"))
        command = [small_run.TESSERA, "network", self.path("long.onnx"), "--list", "--values", "--no-fuse"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            time.sleep(1.5)
            self.assertIsNone(process.poll(), "the network takes too short a time for the test")
            process.send_signal(signal.SIGTERM)
            asked = time.monotonic()
            process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertLess(time.monotonic() - asked, 3)

    def test_hashes_of_networks_depend_on_no_folder(self):
        model = self.twins()
        hashes = []
        for out in ("one", "two/deeper"):
            self.network(model, MACHINE, "--set", "values=on", out=out)
            with open(self.path(out, "sweep.json"), encoding="utf-8") as file:
                hashes.append([run["config_hash"] for run in json.load(file)["runs"]])
        self.assertEqual(*hashes)
        self.assertEqual(len(set(hashes[0])), 2)


def holds_lock(process):
    """Whether a file of the process is locked; the lock is taken some time after `.lock` is created."""
    folder = f"/proc/{process.pid}/fdinfo"
    try:
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="ascii") as file:
                if "lock:" in file.read():
                    return True
    except FileNotFoundError:  # the process closed the file, or ended
        pass
    return False


class SharedFolders(NetworkCase):
    def test_two_runs_in_one_folder(self):
        """The first has its result, the second is refused; a killed one bars nobody."""
        arguments = ["run", "-q", self.small, "--set", "workload.layer.batch=64", "--out", self.out()]
        with subprocess.Popen([small_run.TESSERA, *arguments], stderr=subprocess.PIPE, text=True) as first:
            while not holds_lock(first) and first.poll() is None:
                time.sleep(0.001)
            first.send_signal(signal.SIGSTOP)
            second = tessera(*arguments, "--set", "seed=7")
            experiment = self.file("one.yaml", f"base: [{self.small}]\nvariants:\n  alone: {{}}\n")
            sweep = tessera("sweep", experiment, "--out", self.out())
            network = tessera("network", self.twins(), MACHINE, "--out", self.out())
            self.assertIsNone(first.poll(), "the run is too short for the test")
            first.send_signal(signal.SIGKILL)
        for refused in (second, sweep, network):
            self.assert_refused(refused, f"--out: another command is at work in {self.out()}")
        process = tessera(*arguments, "--set", "seed=7")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertEqual(self.result()["seed"], 7)
        self.assertNotIn(".lock", os.listdir(self.out()))

    def test_many_pairs(self):
        for seed in range(10):
            out = self.path(f"pair{seed}")
            started = [subprocess.Popen([small_run.TESSERA, "run", "-q", self.small, "--set", f"seed={seed + i}", "--out", out],
                                        stderr=subprocess.PIPE, text=True) for i in (1, 2)]
            ends = [(process.communicate(timeout=60)[1], process.returncode) for process in started]
            self.assertIn(0, [code for _, code in ends], ends)
            for said, code in ends:
                self.assertIn(code, (0, 2), said)
                self.assertEqual(said.count("\n"), 1 if code == 2 else 0, said)
            with open(os.path.join(out, "result.json"), encoding="utf-8") as file:
                self.assertIn(json.load(file)["seed"], [seed + i for i, (_, code) in enumerate(ends, 1) if code == 0])

    def test_a_refused_run_leaves_no_folder(self):
        self.assert_refused(tessera("run", self.small, "--set", "gpu.sms=0", "--out", self.path("new", "deeper")), "gpu.sms")
        self.assertFalse(os.path.exists(self.path("new")))
        self.assertEqual(tessera("run", self.small, "--dry-run", "--out", self.path("new")).returncode, 0)
        self.assertFalse(os.path.exists(self.path("new")))


if __name__ == "__main__":
    small_run.TESSERA = sys.argv.pop(1)
    unittest.main()
