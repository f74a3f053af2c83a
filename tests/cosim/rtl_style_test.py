#!/usr/bin/python3
"""The sources under rtl/ keep to the rules of rtl/README.md that a script can see: header, names, one module a file."""

import glob
import os
import re
import unittest

RTL = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "rtl")
HEADER = "// Copyright the Tessera authors.\n// SPDX-License-Identifier: Apache-2.0\n//\n// "
CAMEL = re.compile(r"[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*\Z")
SNAKE = re.compile(r"[a-z][a-z0-9_]*\Z")


def violations(name, text):
    """The violations of the style in a source."""
    wrong = [] if text.startswith(HEADER) else ["the header"]
    text = re.sub(r"//.*|/\*.*?\*/", "", text)
    modules = re.findall(r"^(?:module|package)\s+(\w+)", text, re.MULTILINE)
    stem = os.path.splitext(os.path.basename(name))[0]
    if modules != [stem] and not stem.endswith("_stand_in"):
        wrong.append(f"modules {modules}, expected one with the file's name")
    constants = re.findall(r"\b(?:parameter|localparam)\s+(?:[a-z]\w*\s+)*(?:\[[^]]*\]\s*)*(\w+)\s*=", text)
    for body in re.findall(r"\benum\b[^{]*\{([^}]*)\}", text):
        constants += [re.split(r"\W", value.strip())[0] for value in body.split(",") if value.strip()]
    wrong += [f"constant {word}" for word in constants if not CAMEL.match(word)]
    for suffix, kind in (("_e", "enum"), ("_t", r"struct\s+packed")):
        types = re.findall(r"\btypedef\s+" + kind + r"\b[^{]*\{[^}]*\}\s*(\w+)\s*;", text)
        wrong += [f"type {word}" for word in types if not (SNAKE.match(word) and word.endswith(suffix))]
    if not re.search(r"_(properties|stand_in|pkg)\Z", stem):
        pins = re.findall(r"^  (input|output)\s+(?:[\w:]+\s+)?(?:\[[^\n]*\]\s*)?(\w+)\s*[,\n]", text, re.MULTILINE)
        ends = {"input": ("_i", "_ni"), "output": ("_o",)}
        wrong += [f"pin {pin}" for way, pin in pins if not (SNAKE.match(pin) and pin.endswith(ends[way]))]
    return wrong


class Style(unittest.TestCase):
    def test_all_sources(self):
        sources = glob.glob(os.path.join(RTL, "*", "*.sv"))
        self.assertGreater(len(sources), 40)
        for source in sources:
            with self.subTest(source=os.path.relpath(source, RTL)), open(source, encoding="utf-8") as handle:
                self.assertEqual([], violations(source, handle.read()))

    def test_violations_are_found(self):
        good = (HEADER + "A block.\nmodule block #(\n  parameter int unsigned Width = 8,  // bits\n  parameter bit Fast = 1'b1\n) (\n"
                "  input  logic             clk_i,\n  input  logic [Width-1:0] data_i,\n  output block_pkg::op_e   op_o\n);\n"
                "  localparam logic [1:0] None = 2'd0;\n  typedef enum logic {\n    StIdle = 1'b0,\n    StBusy\n  } state_e;\n"
                "  typedef struct packed {\n    logic a;\n  } stage_t;\nendmodule\n")
        self.assertEqual([], violations("block.sv", good))
        for old, new, expected in (
                (HEADER, HEADER.split("\n", 1)[1], "the header"),
                ("module block", "module other", "modules ['other'], expected one with the file's name"),
                ("Width = 8", "WIDTH = 8", "constant WIDTH"),
                ("bit Fast", "bit fast", "constant fast"),
                ("None = 2'd0", "N_ONE = 2'd0", "constant N_ONE"),
                ("StBusy", "BUSY", "constant BUSY"),
                ("state_e", "state", "type state"),
                ("stage_t", "Stage_t", "type Stage_t"),
                ("data_i", "data", "pin data"),
                ("op_o\n", "op_i\n", "pin op_i")):
            with self.subTest(new=new):
                self.assertIn(old, good)
                self.assertEqual([expected], violations("block.sv", good.replace(old, new)))


if __name__ == "__main__":
    unittest.main()
