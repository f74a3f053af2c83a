#!/usr/bin/python3
"""Writes cases of ONNX's operators that Debian's libonnx-testdata does not have.

Usage: make_onnx_cases.py FOLDER

They are cases of operator sets 18 to 23, and blocks of networks in sets 9 to 23, in the form of ONNX's own test data.
Each operator is that of ONNX's node case of the same name (https://github.com/onnx/onnx,
onnx/backend/test/case/node, Apache-2.0); the numbers are drawn here, and the expected results are computed by numpy in
double precision by the operator's definition (https://onnx.ai/onnx/operators/).
"""

import os
import shutil
import sys

sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
import attention_cases
import block_cases
import control_flow_cases
import elementwise_cases
import index_cases
import movement_cases
import normalization_cases
import quantization_cases
import row_cases
from case_files import Cases

FAMILIES = (attention_cases, block_cases, control_flow_cases, elementwise_cases, index_cases, movement_cases,
            normalization_cases, quantization_cases, row_cases)


def main():
    if len(sys.argv) != 2:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    folder = sys.argv[1]
    shutil.rmtree(folder, ignore_errors=True)
    cases = Cases(folder)
    for family in FAMILIES:
        family.add_to(cases)
    if len(set(cases.names)) != len(cases.names):
        print("make_onnx_cases: two cases have one name", file=sys.stderr)
        return 1
    print(f"{len(cases.names)} cases in {os.path.abspath(folder)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
