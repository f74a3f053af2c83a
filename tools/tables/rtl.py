"""Tables of the RTL's areas and clock periods: what tools/rtl_area stored, and it scaled beside the papers' areas."""

import os

import yaml

from tables.text import UserError, markdown, number

# V100: 80 SMs with four sub-cores, each with a pair of tensor cores and a buffer; a pair does the products of 32 FEDPs.
BUFFERS = 320
BANKS = 128  # of a buffer, each with an adder
FIFO_BITS = 128 * 8 * 35  # entries of products with their words, in memories
BANK_BITS = 128 * 8 * 32
FEDPS = 32
REGISTER_BITS = 256 * 1024 * 8  # of an SM


class Areas:
    """NAND2 equivalents and memory bits of units, and mm^2 under both scalings."""

    def __init__(self, results):
        self.rows = {row["unit"]: row for row in results.read_json("rtl_area.json")}
        with open(os.path.join(results.references, "process_scaling.yaml"), encoding="utf-8") as handle:
            self.scaling = yaml.safe_load(handle)
        self.energy = os.path.join(os.path.dirname(results.references), "energy")

    def nand2(self, unit):
        if unit not in self.rows:
            raise UserError(f"rtl_area.json has no unit '{unit}'")
        return self.rows[unit]["nand2"]

    def mm2(self, nand2, process):
        """[smaller, larger]"""
        return sorted(nand2 * self.scaling["nand2_um2"] * 1e-6 * factor for factor in self.scaling[process].values())

    def priced(self, table, area, size):
        """[chosen or low, high] of an array that an energy table prices in mm^2."""
        with open(os.path.join(self.energy, table), encoding="utf-8") as handle:
            found = yaml.safe_load(handle)["areas_mm2"][area]
        return found["each"][size], found["high"][size], found.get("low", found["each"])[size]


def rtl_area(results):
    """A row a unit, as tools/rtl_area prints it."""
    rows = [[row["unit"], *(str(row[key]) for key in ("cells", "flip_flops", "nand2", "memory_bits")), number(row["ns"], 2),
             str(row["fo4"]), "yes" if row["meets_clock"] else "no"] for row in results.read_json("rtl_area.json")]
    return markdown(["unit", "cells", "flip-flops", "NAND2 equivalents", "memory bits", "ns", "FO4", "meets the clock"], rows)


def table_4(areas, results):
    """Rows of the dual-side paper's Table IV, all tensor cores of a V100, 12 nm."""
    adders = BANKS * (areas.nand2("fp32_add_stage1") + areas.nand2("fp32_add_stage2"))
    spared = FEDPS * (areas.nand2("fedp") - areas.nand2("feop without adders"))
    collector = areas.nand2("accumulation_buffer") - adders
    each, high, _ = areas.priced("dual_side_12nm.yaml", "accumulation_buffer", BANKS)
    fifos = [FIFO_BITS / BANK_BITS * bound for bound in (each, high)]
    entries = (("float_adders", "adders: 128 a buffer", adders, (0, 0)),
               ("float_adders", "the same, less what 32 FEDPs have and the FEOPs of the array have not", adders - spared, (0, 0)),
               ("operand_collector", "collector: the block without adders, and its FIFOs at the price of banks", collector, fifos))
    for figure, what, nand2, memory in entries:
        logic = areas.mm2(nand2, "to_12nm")
        yield what, nand2, [BUFFERS * (low + bits) for low, bits in zip(logic, memory)], figure_of(results, f"S.table4.area_mm2.{figure}")


def detection_unit(areas, results):
    """Rows of Duplo's detection unit of an SM, 22 nm, in percent of the register file by CACTI."""
    each, high, low = areas.priced("volta_cacti_22nm.yaml", "register_file", 256)
    paper = figure_of(results, "D.area.of_register_file")
    both = ("id_generator", "load_history_buffer of 1024 entries")
    for what, units, beside in (("ID generator", both[:1], None), ("load history buffer of 1024 entries", both[1:], None),
                                ("both, which the paper's figure has", both, paper), ("rename table", ("rename_table",), None)):
        nand2 = sum(areas.nand2(unit) for unit in units)
        bits = 100 * sum(areas.rows[unit]["memory_bits"] for unit in units) / REGISTER_BITS
        logic = areas.mm2(nand2, "to_22nm")
        yield what, nand2, [100 * logic[0] / high + bits, 100 * logic[1] / low + bits], beside, 100 * sum(logic) / 2 / each + bits


def figure_of(results, figure):
    """The paper's number."""
    for row in results.reproduction()["figures"]:
        if row["id"] == figure:
            return row["paper"]
    raise UserError(f"reproduction.json has no figure '{figure}'")


def rtl_scaled(results, paper):
    """A row an addition: NAND2 equivalents, and areas under both scalings beside the paper's."""
    areas = Areas(results)
    if paper == "S":
        rows = [[what, f"{nand2}", number(low, 1), number(high, 1), number(stated, 3)]
                for what, nand2, (low, high), stated in table_4(areas, results)]
        return markdown(["addition", "NAND2 equivalents a buffer", "ideal scaling [mm^2]", "published scaling [mm^2]", "paper [mm^2]"], rows)
    if paper == "D":
        rows = [[what, f"{nand2}", number(middle, 1), f"{number(low, 1)} to {number(high, 1)}", number(stated, 2) if stated else ""]
                for what, nand2, (low, high), stated, middle in detection_unit(areas, results)]
        return markdown(["part", "NAND2 equivalents", "of the register file [%]", "bounds [%]", "paper [%]"], rows)
    raise UserError(f"rtl_scaled: got '{paper}', expected 'S' or 'D'")
