"""Which mutants of a netlist change nothing, by construction; for tools/rtl_mutation."""

import json
import re

# Bit i of the output depends on bit i of the data inputs only.
BITWISE = {"$mux": "AB", "$and": "AB", "$or": "AB", "$xor": "AB", "$xnor": "AB", "$not": "A", "$pos": "A"}
OR_LIKE = ("$reduce_or", "$reduce_bool", "$logic_not", "$logic_and", "$logic_or")


class Module:
    """Cells of one module and the bits of its nets that somebody reads."""

    def __init__(self, module):
        self.cells = module["cells"]
        self.live = {bit for port in module["ports"].values() if port["direction"] != "input"
                     for bit in port["bits"]}
        bitwise = []
        for cell in self.cells.values():
            if cell["type"] in BITWISE:
                bitwise.append(cell)
                continue
            for port, bits in cell["connections"].items():
                if cell["port_directions"].get(port) != "output":
                    self.live.update(bits)
        before = -1
        while before != len(self.live):
            before = len(self.live)
            for cell in bitwise:
                self.spread(cell)

    def spread(self, cell):
        """Marks what the live outputs of a bitwise cell read."""
        pins = cell["connections"]
        for number, bit in enumerate(pins["Y"]):
            if bit in self.live:
                self.live.update(pins[port][min(number, len(pins[port]) - 1)] for port in BITWISE[cell["type"]])
                self.live.update(pins.get("S", []))

    def unread(self, cell, port, number):
        """Whether nothing depends on a bit of a pin."""
        pins = cell["connections"]
        if cell["port_directions"].get(port) == "output":
            return pins[port][number] not in self.live
        return (cell["type"] in BITWISE and port != "S" and number < len(pins["Y"]) - 1 and
                pins["Y"][number] not in self.live)


class Netlist:
    """A netlist before its mutation (yosys write_json)."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as handle:
            self.modules = {name: Module(module) for name, module in json.load(handle)["modules"].items()}

    def step(self, module, cell):
        """How many cells of the same kind and source line came before: the step of a loop."""
        def order(name):
            return int(re.search(r"(\d*)$", name)[1] or 0)
        cells = self.modules[module].cells
        return sum(other["type"] == cells[cell]["type"] and order(name) < order(cell) and
                   other["attributes"].get("src") == cells[cell]["attributes"].get("src")
                   for name, other in cells.items())

    def without_effect(self, module, cell, mode, port, bit, control):
        """Why a mutant is the original all the same, or None."""
        inside = self.modules[module]
        cell = inside.cells[cell]
        pin = cell["connections"][port]
        if mode in ("const0", "const1") and pin[bit] == mode[-1]:
            return "the bit is this constant"
        if pin[bit] == "x":
            return "the bit is undefined: anything is right"
        if control is not None and pin[control] in ("0", "1") and pin[control] != mode[-1]:
            return "the controlling bit is a constant that never inverts"
        if mode == "cnot1" and cell["type"] in OR_LIKE:
            return "the controlling bit decides the OR already"
        if mode == "cnot0" and cell["type"] == "$reduce_and":
            return "the controlling bit decides the AND already"
        if mode == "cnot1" and cell["type"] in ("$eq", "$ne", "$gt", "$lt") and \
                set(cell["connections"]["B" if port == "A" else "A"]) == {"0"}:
            return "the controlling bit differs from zero already"
        if cell["type"] == "$mux" and port == "S" and \
                set(cell["connections"][{"const1": "A", "const0": "B"}.get(mode, "Y")]) == {"x"}:
            return "the other input is never taken"
        if inside.unread(cell, port, bit):
            return "nothing reads the bit"
        return None
