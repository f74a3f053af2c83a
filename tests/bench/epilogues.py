#!/usr/bin/python3
"""Cycles of the operators behind a product, computed in the product's kernel or in kernels of their own.

Usage: tests/bench/epilogues.py [--tessera PATH]

Two convolutions of ResNet-18 (8 images) and a product of BERT's size as ONNX models, each alone, and with operators behind it, which
`tessera network MODEL v100` fuses, and with --no-fuse leaves on their own. The cycles of all kernels are printed as a table, but
those that bring tensors into the order NHWC, which only the input of a model needs.
"""

import argparse
import csv
import os
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

os.environ["TESSERA_CACHE"] = "off"  # each run is simulated

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Model:
    """A chain of operators behind one product; the names of tensors are those of the nodes that make them."""

    def __init__(self):
        self.nodes, self.inputs, self.constants = [], [], []
        self.random = numpy.random.RandomState(1)
        self.last = self.shape = None

    def input(self, name, shape):
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return name

    def constant(self, name, values):
        self.constants.append(numpy_helper.from_array(numpy.asarray(values, dtype=numpy.float32), name))
        return name

    def weights(self, name, *shape):
        return self.constant(name, self.random.normal(0, 0.05, shape))

    def then(self, operator, *others, **attributes):
        name = f"n{len(self.nodes)}_{operator.lower()}"
        inputs = ([self.last] if self.last else []) + list(others)
        self.nodes.append(helper.make_node(operator, inputs, [name], name=name, **attributes))
        self.last = name

    def convolution(self, side, channels, bias):
        self.shape = [8, channels, side, side]
        weights = [self.weights("w", channels, channels, 3, 3)] + ([self.weights("b", channels)] if bias else [])
        self.then("Conv", self.input("x", self.shape), *weights, pads=[1] * 4)

    def product(self, rows, columns, depth, bias):
        self.shape = [rows, columns]
        self.then("MatMul", self.input("x", [rows, depth]), self.weights("w", depth, columns))
        if bias:
            self.then("Add", self.weights("b", columns))

    def residual(self):
        self.then("Add", self.input("r", self.shape))

    def gelu(self):
        x = self.last
        self.then("Div", self.constant("sqrt2", 2**0.5))
        self.then("Erf")
        self.then("Add", self.constant("one", 1))
        self.then("Mul", x)
        self.then("Mul", self.constant("half", 0.5))

    def write(self, path):
        output = helper.make_tensor_value_info(self.last, TensorProto.FLOAT, self.shape)
        graph = helper.make_graph(self.nodes, "epilogue", self.inputs, [output], self.constants)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def relu(model):
    model.then("Relu")


def residual_and_relu(model):
    model.residual()
    relu(model)


PRODUCTS = (
    ("8x56x56x64, 64 of 3x3", lambda model, bias: model.convolution(56, 64, bias), (("bias, ReLU", relu), ("bias, residual, ReLU", residual_and_relu))),
    ("8x28x28x128, 128 of 3x3", lambda model, bias: model.convolution(28, 128, bias), (("bias, ReLU", relu), ("bias, residual, ReLU", residual_and_relu))),
    ("3072 x 1024 x 768", lambda model, bias: model.product(3072, 1024, 768, bias), (("bias, Gelu", Model.gelu),)),
)


def cycles_of(tessera, make, behind, *options):
    model = Model()
    make(model, behind is not None)
    if behind is not None:
        behind(model)
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "model.onnx"), os.path.join(folder, "out")
        model.write(path)
        run = subprocess.run([tessera, "network", path, "v100", "--out", out, *options], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            sys.exit(run.stderr.strip())
        with open(os.path.join(out, "network.csv"), encoding="utf-8", newline="") as file:
            return sum(float(row["cycles"]) for row in csv.DictReader(file) if not row["operator"].startswith("to "))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tessera", default=os.path.join(ROOT, "build/release/bin/tessera"))
    tessera = parser.parse_args().tessera
    print("| product | alone | behind it | fused | on their own |\n|---|---|---|---|---|")
    for name, make, epilogues in PRODUCTS:
        alone = f"{cycles_of(tessera, make, None):.0f}"
        for what, behind in epilogues:
            fused, apart = (cycles_of(tessera, make, behind, *options) for options in ((), ("--no-fuse",)))
            print(f"| {name} | {alone} | {what} | {fused:.0f} | {apart:.0f} |", flush=True)
            name = alone = ""


if __name__ == "__main__":
    main()
