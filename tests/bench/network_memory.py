#!/usr/bin/python3
"""Does the memory of `tessera network` grow with the layers of a network?

Usage: tests/bench/network_memory.py [--tessera PATH] [LAYERS...]

Chains of 10, 100 and 1000 convolutions, each with a Relu behind it, that share their weights: 64 channels of 14 x 14 pixels,
3 x 3 filters. Each is run on v100, and the most memory of a process is printed as a table. Weights of networks whose layers have
their own come on top.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

os.environ["TESSERA_CACHE"] = "off"  # each run is simulated

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHAPE = [1, 64, 14, 14]


def write_chain(path, layers):
    weights = numpy.random.RandomState(1).normal(0, 0.06, (64, 64, 3, 3)).astype(numpy.float32)
    nodes, last = [], "x"
    for layer in range(layers):
        nodes.append(helper.make_node("Conv", [last, "w"], [f"c{layer}"], pads=[1, 1, 1, 1], name=f"conv{layer}"))
        last = f"r{layer}"
        nodes.append(helper.make_node("Relu", [f"c{layer}"], [last], name=f"relu{layer}"))
    graph = helper.make_graph(nodes, "chain", [helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE)],
                              [helper.make_tensor_value_info(last, TensorProto.FLOAT, SHAPE)], [numpy_helper.from_array(weights, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7), path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tessera", default=os.path.join(ROOT, "build/release/bin/tessera"))
    parser.add_argument("layers", nargs="*", type=int, default=[10, 100, 1000], metavar="LAYERS")
    arguments = parser.parse_args()
    print("| layers | most memory of a process [MB] |\n|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for layers in sorted(arguments.layers):  # ever more: what is measured is the most of all children
            model = os.path.join(folder, f"chain{layers}.onnx")
            write_chain(model, layers)
            run = subprocess.run([arguments.tessera, "network", model, "v100", "--out", os.path.join(folder, str(layers))],
                                 capture_output=True, text=True, check=False)
            if run.returncode != 0:
                print(run.stderr.strip(), file=sys.stderr)
                return 1
            print(f"| {layers} | {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000:.1f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
