#!/usr/bin/python3
"""Wrong parameters of the RTL are refused at elaboration: Verilator and yosys both name the module and what is allowed.
Each block with parameters has a second set, which the tests co-simulate.
"""

import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

TESTS = os.path.dirname(os.path.abspath(__file__))
RTL = os.path.join(os.path.dirname(os.path.dirname(TESTS)), "rtl")
# Module, parameters, the message behind "module: ".
WRONG_PARAMETERS = (
    ("load_history_buffer", {"MaxWays": 1}, "MaxWays must be 2, 4 or 8"),
    ("load_history_buffer", {"MaxWays": 16}, "MaxWays must be 2, 4 or 8"),
    ("load_history_buffer", {"MaxEntries": 1000}, "MaxEntries must be a power of two from 2 * MaxWays to 32768"),
    ("load_history_buffer", {"MaxEntries": 8}, "MaxEntries must be a power of two from 2 * MaxWays to 32768"),
    ("load_history_buffer", {"PhysBits": 0}, "PhysBits must be 1 to 20"),
    ("lhb_memory", {"Width": 0}, "Width must be at least 1"),
    ("lhb_memory", {"Depth": 1}, "Depth must be at least 2"),
    ("lhb_memory", {"AddressBits": 3}, "AddressBits must be clog2(Depth)"),
    ("lhb_recency", {"Banks": 6}, "Banks must be a power of two, at least 2"),
    ("lhb_recency", {"Pairs": 36}, "Pairs must be Banks * (Banks - 1) / 2"),
    ("lhb_recency", {"WaysBits": 1}, "WaysBits must count to log2(Banks)"),
    ("lhb_set_index", {"IndexBits": 49}, "IndexBits must be 1 to 48"),
    ("lhb_set_index", {"LogBits": 0}, "LogBits must be at least 1"),
    ("bitmap_im2col", {"RowBits": 128}, "RowBits must be a power of two from 4 to 64"),
    ("bitmap_im2col", {"RowBits": 2}, "RowBits must be a power of two from 4 to 64"),
    ("bitmap_im2col", {"AddressBits": 65}, "AddressBits must be 1 to 64"),
    ("bitmap_population", {"Bits": 24}, "Bits must be a power of two from 2 to 64"),
    ("bitmap_population", {"Bits": 128}, "Bits must be a power of two from 2 to 64"),
    ("bitmap_unit", {"Depth": 32}, "Depth must be 2 to 16"),
    ("bitmap_unit", {"Depth": 1}, "Depth must be 2 to 16"),
    ("bitmap_count", {"Depth": 17}, "Depth must be 1 to 16"),
    ("bitmap_condense", {"Bits": 33}, "Bits must be 1 to 32"),
    ("bitmap_condense", {"Lanes": 12}, "Lanes must be 2, 4, 8 or 16"),
    ("bitmap_condense", {"GroupBits": 1}, "GroupBits must be 5 - log2(Lanes)"),
    ("accumulation_fifo", {"Depth": 6, "Lanes": 4}, "Depth must be a power of two, at least 2"),
    ("accumulation_fifo", {"Lanes": 9}, "Lanes must be 1 to Depth"),
    ("accumulation_fifo", {"Width": 0}, "Width must be at least 1"),
    ("accumulation_swizzle", {"Width": 0}, "Width must be at least 1"),
    ("feop_array", {"MetaWidth": 0}, "MetaWidth must be at least 1"),
    ("feop_array_control", {"MetaWidth": 0}, "MetaWidth must be at least 1"),
    ("delay_line", {"Width": 0}, "Width must be at least 1"),
    ("delay_line", {"Depth": 0}, "Depth must be at least 1"),
    ("id_control", {"Latency": 1}, "Latency must be at least 2"),
    ("reciprocal_divider", {"Width": 1}, "Width must be at least 2"),
    ("reciprocal_divider", {"ShiftBits": 5}, "ShiftBits must be clog2(Width + 1)"),
    ("sequential_divider", {"Width": 1}, "Width must be at least 2"),
    ("zero_walk", {"Pixels": 0}, "Pixels must be at least 1"),
    ("rename_table", {"UnitBits": 1}, "UnitBits must be 2 to 20"),
    ("rename_table", {"PhysBits": 21}, "PhysBits must be 1 to 20"),
    ("rename_map", {"UnitBits": 21}, "UnitBits must be 2 to 20"),
    ("rename_map", {"PhysBits": 0}, "PhysBits must be 1 to 20"),
    ("rename_map", {"LaneBits": 14}, "LaneBits must be 1 to UnitBits - 1, RowBits the rest"),
    ("rename_map", {"RowBits": 7}, "LaneBits must be 1 to UnitBits - 1, RowBits the rest"),
    ("rename_counts", {"Width": 0}, "Width must be at least 1"),
    ("rename_counts", {"AddressBits": 21}, "AddressBits must be 1 to 20"),
    ("rename_free_list", {"PhysBits": 0}, "PhysBits must be 1 to 20"),
    ("precompute_table", {"EntryBits": 13}, "EntryBits must be 1 to 12"),
    ("precompute_table", {"AddressBits": 65}, "AddressBits must be 1 to 64"),
    ("precompute_table", {"GeometryBits": 33}, "GeometryBits must be 1 to 32"),
    ("precompute_table", {"GenerationBits": 33}, "GenerationBits must be 1 to 32"),
    ("precompute_table", {"Lanes": 33}, "Lanes must be 1 to 32"),
    ("precompute_table", {"ResultBits": 0}, "ResultBits must be at least 1"),
    ("precompute_keys", {"SlotBits": 13}, "SlotBits must be 1 to 12"),
    ("precompute_keys", {"KeyBits": 161}, "KeyBits must be 1 to 160"),
    ("precompute_order", {"SlotBits": 13}, "SlotBits must be 1 to 12"),
    ("precompute_order", {"GenerationBits": 0}, "GenerationBits must be at least 1"),
    ("precompute_free_slots", {"SlotBits": 13}, "SlotBits must be 1 to 12"),
    ("precompute_free_slots", {"GenerationBits": 0}, "GenerationBits must be at least 1"),
    ("assign_table", {"EntryBits": 13}, "EntryBits must be 1 to 12"),
    ("assign_table", {"BlockBits": 65}, "BlockBits must be 1 to 64"),
    ("assign_table", {"SmBits": 11}, "SmBits must be 1 to 10"),
    ("assign_entries", {"EntryBits": 13}, "EntryBits must be 1 to 12"),
    ("assign_entries", {"BlockBits": 65}, "BlockBits must be 1 to 64"),
    ("assign_entries", {"SmBits": 11}, "SmBits must be 1 to 10"),
    ("spwmma_core", {"TagBits": 17}, "TagBits must be 1 to 16"),
    ("operand_fetch", {"MetaWidth": 0}, "MetaWidth must be at least 1"),
    ("duplo_core", {"UnitBits": 1}, "UnitBits must be 2 to 20"),
    ("duplo_core", {"PhysBits": 21}, "PhysBits must be 1 to 20"),
)
# Blocks whose modules a folder uses, beside the arithmetic.
USED_FOLDERS = {"rename_table": ("load_history_buffer",), "precompute_table": ("load_history_buffer",),
                "duplo_core": ("id_generator", "load_history_buffer", "rename_table"),
                "spwmma_core": ("feop", "accumulation_buffer", "bitmap_unit")}
# Constant of a package, its wrong value, module and message.
WRONG_CONSTANTS = (
    ("id_generator_pkg", "WalkStages", 2, "id_generator", "WalkStages of the package must be 4"),
    ("id_generator_pkg", "WalkPixels", 3, "id_generator", "WalkStages * WalkPixels of the package must be at least 16"),
    ("id_generator_pkg", "DividerStages", 4, "id_generator", "DividerStages of the package must be 3"),
    ("id_generator_pkg", "Products", 12, "id_generator", "divisions of the package must be"),
    ("id_generator_pkg", "ElementBits", 40, "id_generator", "packet, address, element and batch of the package must"),
    ("load_history_buffer_pkg", "LookupLatency", 3, "load_history_buffer", "LookupLatency of the package must be 2"),
    ("rename_table_pkg", "OldLatency", 3, "rename_table", "OldLatency of the package must be 2"),
    ("precompute_table_pkg", "AnswerLatency", 3, "precompute_table", "AnswerLatency of the package must be 2"),
    ("assign_table_pkg", "AnswerLatency", 2, "assign_table", "AnswerLatency of the package must be 1"),
    ("duplo_core_pkg", "CoreLatency", 21, "duplo_core", "CoreLatency of the package must be that of ID generator"),
    ("bitmap_im2col_pkg", "ColumnLatency", 2, "bitmap_im2col", "ColumnLatency of the package must be 3"),
    ("bitmap_unit_pkg", "Rows", 16, "bitmap_unit", "TileSize, Rows and Columns of the package must be 32, 8 and 16"),
    ("feop_pkg", "SumLatency", 4, "feop", "Lanes of the package must be at least 1, its latencies 1 and 3"),
    ("feop_pkg", "Lanes", 3, "feop_array", "sizes of the package do not fit"),
    ("fedp_pkg", "Elements", 8, "fedp", "Elements and Latency of the package must be 4 and 3"),
    ("accumulation_buffer_pkg", "Words", 4, "accumulation_buffer", "TileSize, Rows, Columns, Banks and Words of the package"),
)


def folder_of(module):
    [path] = glob.glob(os.path.join(RTL, "*", module + ".sv"))
    return os.path.dirname(path)


def sources(module):
    """Sources of the folder of a module, and of those that it may use; packages come first."""
    own = folder_of(module)
    used = ("fp", *USED_FOLDERS.get(os.path.basename(own), ()))
    found = {path for folder in (*(os.path.join(RTL, name) for name in used), own)
             for path in glob.glob(os.path.join(folder, "*.sv"))
             if not re.search(r"(_properties|_stand_in)\.sv$|/fp_bench", path)}
    return sorted(found, key=lambda path: (not path.endswith("_pkg.sv"), path))


def run(command):
    process = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    return process.returncode, (process.stdout + process.stderr).splitlines()


def verilator(module, files, parameters):
    return run(["verilator", "--lint-only", "--top-module", module, *files,
                *(f"-G{name}={value}" for name, value in parameters.items())])


def yosys(module, files, parameters):
    chosen = " ".join(f"-chparam {name} {value}" for name, value in parameters.items())
    return run(["yosys", "-q", "-p", f"read_verilog -sv {' '.join(files)}; hierarchy -check -top {module} {chosen}"])


TOOLS = [tool for tool in (verilator, yosys) if shutil.which(tool.__name__)]


class Parameters(unittest.TestCase):
    def assert_refused(self, tool, outcome, module, parameters, message):
        code, lines = outcome
        self.assertNotEqual(code, 0, lines)
        hits = [line for line in lines if re.search(r"%Warning-USERERROR: | ERROR: ", line)
                and f"{module}: {message}" in line]
        self.assertEqual(len(hits), 1, f"{tool.__name__}: {lines}")
        # Verilator 5.006 goes on after the message, and a width of 0 may end it with an internal error.
        if 0 not in parameters.values():
            self.assertEqual(code, 1, lines)
            self.assertNotIn("Internal Error", "".join(lines))

    def assert_all_refused(self, cases):
        """The cases are (module, files, parameters, message)."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            runs = [(tool, module, parameters, message, pool.submit(tool, module, files, parameters))
                    for module, files, parameters, message in cases for tool in TOOLS]
            for tool, module, parameters, message, outcome in runs:
                with self.subTest(tool=tool.__name__, module=module, parameters=parameters, message=message):
                    self.assert_refused(tool, outcome.result(), module, parameters, message)

    def test_wrong_parameters(self):
        self.assert_all_refused([(module, sources(module), parameters, message)
                                 for module, parameters, message in WRONG_PARAMETERS])

    def test_wrong_constants_of_packages(self):
        with tempfile.TemporaryDirectory() as scratch:
            cases = []
            for package, constant, value, module, message in WRONG_CONSTANTS:
                files = sources(module)
                [original] = [path for path in files if path.endswith(f"/{package}.sv")]
                with open(original, encoding="utf-8") as handle:
                    text, count = re.subn(rf"(localparam int unsigned {constant}\b[^=]*=)[^;]*;", rf"\1 {value};",
                                          handle.read())
                self.assertEqual(count, 1, constant)
                changed = os.path.join(scratch, f"{constant}_{package}.sv")
                with open(changed, "w", encoding="utf-8") as handle:
                    handle.write("// verilator lint_off DECLFILENAME\n" + text)
                cases.append((module, [changed if path == original else path for path in files], {}, message))
            self.assert_all_refused(cases)

    def test_every_number_has_a_check_and_a_wrong_value(self):
        tried = {(module, name) for module, parameters, _ in WRONG_PARAMETERS for name in parameters}
        numbers = set()
        for path in glob.glob(os.path.join(RTL, "*", "*.sv")):
            module = os.path.splitext(os.path.basename(path))[0]
            if module.endswith(("_properties", "_stand_in")):
                continue
            with open(path, encoding="utf-8") as handle:
                numbers |= {(module, name) for name in re.findall(r"^  parameter int unsigned (\w+)", handle.read(),
                                                                  re.MULTILINE)}
        self.assertGreater(len(numbers), 20)
        self.assertEqual(numbers - tried, set())


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as handle:
        return handle.read()


def tops_with_parameters():
    """{block: (top, {parameter: default})} of the blocks whose top has parameters."""
    tops = {}
    for path in glob.glob(os.path.join(RTL, "*", "CMakeLists.txt")):
        for name, top in re.findall(r"tessera_rtl_block\(NAME (\w+)\s+TOP (\w+)", read(path)):
            header = re.search(rf"^module {top}\b.*?^\);", read(os.path.dirname(path), top + ".sv"), re.MULTILINE | re.DOTALL)
            defaults = dict(re.findall(r"^  parameter [\w ]*?(\w+)(?: */\*[^*]*\*/)? *= *([\w':]+)", header.group(),
                                       re.MULTILINE))
            if defaults:
                tops[name] = (top, defaults)
    return tops


def second_sets():
    """{top: (block, whether a module test drives it, {parameter: value})} of the second sets."""
    sets = {}
    for path in glob.glob(os.path.join(RTL, "*", "CMakeLists.txt")):
        for block, top, alone, words in re.findall(
                r"tessera_rtl_second_set\(NAME (\w+)\s+(?:TOP (\w+)\s+)?(ALONE\s+)?PARAMETERS ([^)]*)\)", read(path)):
            sets[top or block] = (block, bool(alone), dict(word.split("=") for word in words.split()))
    return sets


def number(text):
    """The value of a default: a number, or a constant of a package."""
    if "::" in text:
        package, constant = text.split("::")
        [path] = glob.glob(os.path.join(RTL, "*", package + ".sv"))
        text = re.search(rf"\b{constant}\b[^=;]*= *(\w+)", read(path)).group(1)
    return int(text.split("'b")[-1])


class SecondSets(unittest.TestCase):
    def test_every_top_with_parameters_has_a_second_set(self):
        tops, sets = tops_with_parameters(), second_sets()
        self.assertGreater(len(tops), 9)
        for block, (top, defaults) in tops.items():
            with self.subTest(block=block):
                self.assertIn(top, sets)
                parameters = sets[top][2]
                self.assertEqual(set(parameters), set(defaults))
                for name, value in parameters.items():
                    self.assertNotEqual(int(value), number(defaults[name]), name)

    def test_every_second_set_is_co_simulated(self):
        tests = read(TESTS, "CMakeLists.txt")
        self.assertIn("tessera_test(NAME second_set_test ", tests)
        modules = read(TESTS, "second_set_test.cpp")
        for top, (block, alone, _) in second_sets().items():
            with self.subTest(top=top):
                if alone:
                    self.assertIn(f"RtlModel<V{top}_second>", modules)
                else:
                    self.assertRegex(tests, rf"\ntessera_second_set_test\(BLOCK {block} COUNT [0-9]+ FAULTS \w+:[0-9]+")


if __name__ == "__main__":
    unittest.main()
