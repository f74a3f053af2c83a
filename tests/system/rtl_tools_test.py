#!/usr/bin/python3
"""The tools/rtl_* scripts explain themselves, and say in one line what is wrong with a command or a file."""

import importlib.machinery
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import types
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = ("rtl_area", "rtl_coverage", "rtl_formal", "rtl_mutation")


def run(tool, *arguments, **options):
    """The finished process of a tool."""
    return subprocess.run([os.path.join(ROOT, "tools", tool), *arguments], capture_output=True, text=True,
                          check=False, timeout=120, **options)


def load(tool):
    """A tool as a module."""
    path = os.path.join(ROOT, "tools", tool)
    loader = importlib.machinery.SourceFileLoader(tool, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(tool, loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def is_alive(pid):
    """Whether a process runs; one that nobody has waited for does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as handle:
            return handle.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_for(condition):
    """Whether a condition comes true within half a minute."""
    for _ in range(600):
        if condition():
            return True
        time.sleep(0.05)
    return False


class RtlTools(unittest.TestCase):
    def assert_user_error(self, process, expected):
        self.assertEqual(process.returncode, 2, process.stdout + process.stderr)
        self.assertEqual(process.stderr.count("\n"), 1, process.stderr)
        self.assertIn(expected, process.stderr)

    def test_help(self):
        for tool in TOOLS:
            with self.subTest(tool):
                process = run(tool, "--help")
                self.assertEqual(process.returncode, 0, process.stderr)
                self.assertIn("BLOCK", process.stdout)

    def test_unknown_block(self):
        for tool in TOOLS:
            with self.subTest(tool):
                self.assert_user_error(run(tool, "fpu"), "got block 'fpu', expected one of {")

    def test_unknown_option(self):
        for tool in TOOLS:
            with self.subTest(tool):
                self.assert_user_error(run(tool, "--fast"), "--fast (try --help)")

    def test_bad_number(self):
        self.assert_user_error(run("rtl_mutation", "fp", "--count", "0"), "got '0', expected a whole number")
        self.assert_user_error(run("rtl_coverage", "fp", "--seeds", "x"), "got 'x', expected a whole number")

    def test_missing_program(self):
        with tempfile.TemporaryDirectory() as folder:
            for program in ("cmake", "env", "python3"):
                path = subprocess.run(["which", program], capture_output=True, text=True, check=True).stdout.strip()
                os.symlink(path, os.path.join(folder, program))
            environment = {**os.environ, "PATH": folder}
            for tool, program in (("rtl_area", "yosys"), ("rtl_formal", "yosys"), ("rtl_mutation", "yosys"),
                                  ("rtl_coverage", "verilator")):
                with self.subTest(tool):
                    self.assert_user_error(run(tool, "fp", env=environment),
                                           f"{program} is missing; run tools/setup")

    def test_counts_of_verilator(self):
        """Two instances of a module; a line counts as run if any basic block on it was."""
        points = (("t", "7", "v_line/t", "case", "7-8", "u0", 0), ("t", "7", "v_line/t", "case", "7-8", "u1", 2),
                  ("t", "9", "v_branch/t", "if", "9-10", "u0", 0), ("t", "9", "v_branch/t", "else", "9", "u0", 4),
                  ("t", "2", "v_toggle/t", "d[0]", "", "u0", 1), ("t", "2", "v_toggle/t", "d[1]", "", "u0", 0),
                  ("other", "1", "v_line/o", "block", "1", "u2", 0))
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(os.path.realpath(folder), "t.sv")
            data = os.path.join(folder, "coverage.dat")
            with open(data, "w", encoding="utf-8") as handle:
                handle.write("# SystemC::Coverage-3\n")
                for file, line, page, name, lines, instance, number in points:
                    path = os.path.join(os.path.realpath(folder), file + ".sv")
                    fields = {"f": path, "l": line, "n": "3", "page": page, "o": name, "S": lines, "h": instance}
                    text = "".join(f"\x01{key}\x02{value}" for key, value in fields.items() if value)
                    handle.write(f"C '{text}' {number}\n")
            counts = load("rtl_coverage").Counts()
            counts.read(data, [source])
            self.assertEqual(counts.percent("line"), (3, 4, 75.0))  # 10 is in the arm that was not taken
            self.assertEqual(counts.percent("branch"), (1, 2, 50.0))
            self.assertEqual(counts.percent("toggle"), (1, 2, 50.0))

    def test_a_signal_ends_the_commands_of_a_tool(self):
        """One in the tool's own thread and one in another, each with a process of its own."""
        tool = """
import concurrent.futures, sys
sys.path.insert(0, sys.argv[1])
import rtl_common as rtl

def command(name):
    return ["sh", "-c", f"sleep 1000 & echo $$ $! > {sys.argv[2]}/{name}.new; mv {sys.argv[2]}/{name}.new "
            f"{sys.argv[2]}/{name}; wait"]

def entry():
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pool.submit(rtl.Children.run, command("thread"))
        pool.submit(rtl.Children.run, command("never"))
        return rtl.run_logged(command("own"), sys.argv[2] + "/log")

rtl.main(entry)
"""
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number), tempfile.TemporaryDirectory() as folder:
                process = subprocess.Popen([sys.executable, "-B", "-c", tool, os.path.join(ROOT, "tools"), folder])
                self.addCleanup(process.kill)
                pids = []
                for name in ("own", "thread"):
                    path = os.path.join(folder, name)
                    self.assertTrue(wait_for(lambda: os.path.exists(path)), name)
                    with open(path, encoding="utf-8") as handle:
                        pids += [int(word) for word in handle.read().split()]
                self.assertTrue(all(is_alive(pid) for pid in pids), pids)
                process.send_signal(number)
                self.assertEqual(128 + number, process.wait(30))
                self.assertTrue(wait_for(lambda: not any(is_alive(pid) for pid in pids)), pids)
                self.assertFalse(os.path.exists(os.path.join(folder, "never")))

    def test_equivalent_mutants(self):
        """q & a | q is q: what makes the AND 0 changes nothing, what inverts a bit does, at registers too."""
        for program in ("yosys", "yosys-abc"):
            if shutil.which(program) is None:
                self.skipTest(f"{program} is missing")
        sys.path.insert(0, os.path.join(ROOT, "tools"))
        sys.dont_write_bytecode = True
        from rtl_equivalence import is_proved_equivalent  # pylint: disable=import-outside-toplevel
        source = """
module t(input clk_i, input rst_ni, input [1:0] a_i, output [1:0] y_o);
  logic [1:0] q;
  always_ff @(posedge clk_i or negedge rst_ni) if (!rst_ni) q <= 0; else q <= a_i;
  assign y_o = (q & a_i) | q;
endmodule
"""
        with tempfile.TemporaryDirectory() as folder:
            listing = os.path.join(folder, "t.list")
            with open(os.path.join(folder, "t.sv"), "w", encoding="utf-8") as handle:
                handle.write(source)
            script = (f"read_verilog -sv {folder}/t.sv; hierarchy -top t; proc; write_json {listing}.json; "
                      f"mutate -list 100 -seed 1 -ctrl mutsel 16 0 -o {listing}")
            subprocess.run(["yosys", "-q", "-p", script], check=True, timeout=60)
            with open(listing, encoding="utf-8") as handle:
                lines = handle.read().splitlines()
            seen = set()
            for kind, port, mode, equivalent in (("and", "Y", "const0", True), ("and", "A", "const0", True),
                                                 ("and", "Y", "const1", False), ("or", "Y", "inv", False),
                                                 ("procdff", "D", "inv", False)):
                for line in lines:
                    if re.search(rf"-mode {mode} .*-cell \S*\${kind}\$.*-port {port} ", line):
                        seen.add((kind, port, mode))
                        proved = is_proved_equivalent(listing, line, os.path.join(folder, "m"))
                        self.assertEqual(equivalent, proved, line)
                        break
            self.assertEqual(len(seen), 5, seen)

    def test_longest_path(self):
        """Time grows with the logic between registers; a register, a memory or a clock gate's latch ends a path."""
        for program in ("yosys", "yosys-abc"):
            if shutil.which(program) is None:
                self.skipTest(f"{program} is missing")
        area = load("rtl_area")
        if not os.path.exists(area.LIBRARY):
            self.skipTest(f"{area.LIBRARY} is missing")
        timing = area.rtl_timing
        header = "module t(input clk_i, input rst_ni, input [7:0] a_i, b_i, output logic [7:0] y_o);\n"
        registers = "always_ff @(posedge clk_i or negedge rst_ni) if (!rst_ni) %s <= 0; else %s <= %s;\n"
        middle = "logic [7:0] middle_q;\n" + registers % (("middle_q",) * 2 + ("a_i * b_i",))
        sources = {
            "one": registers % ("y_o", "y_o", "a_i * b_i"),
            "two": registers % ("y_o", "y_o", "a_i * b_i * (a_i ^ 8'd77)"),
            "cut": middle + registers % ("y_o", "y_o", "middle_q * (a_i ^ 8'd77)"),
            "stored": "logic [7:0] words[256];\nlogic [7:0] word_q;\nassign y_o = word_q;\n"
                      "always_ff @(posedge clk_i) begin\n"
                      "  word_q <= words[a_i * b_i];\n"
                      "  if (a_i[0]) words[a_i] <= b_i;\nend\n",
            "latched": "logic [7:0] held;\nalways_latch if (!clk_i) held = a_i * b_i;\n" +
                       registers % ("y_o", "y_o", "held * (a_i ^ 8'd77)"),
        }
        paths = {}
        with tempfile.TemporaryDirectory() as folder:
            fo4 = timing.fo4(area.LIBRARY, folder)
            for name, body in sources.items():
                path = os.path.join(folder, name + ".sv")
                with open(path, "w", encoding="utf-8") as handle:
                    handle.write(header + body + "endmodule\n")
                front = [f"read_verilog -sv {path}", "hierarchy -top t", "proc", "opt", "memory -nomap", "opt",
                         "techmap", "opt", "simplemap"]
                paths[name] = timing.longest_path(front, area.LIBRARY, folder)
            register_ns = timing.register_time(area.LIBRARY) / 1000
        self.assertAlmostEqual(fo4, 99.2, delta=0.5)  # the delay of osu018's smallest inverter
        self.assertAlmostEqual(register_ns, 0.351, delta=0.005)
        logic = {name: path["ns"] - register_ns for name, path in paths.items()}
        self.assertGreater(logic["one"], 5 * fo4 / 1000)
        self.assertGreater(logic["two"], 1.5 * logic["one"])
        self.assertLess(abs(logic["cut"] - logic["one"]), 0.35 * logic["one"])
        self.assertLess(abs(logic["stored"] - logic["one"]), 0.35 * logic["one"])
        self.assertLess(abs(logic["latched"] - logic["one"]), 0.35 * logic["one"])
        self.assertRegex(paths["two"]["from"], r"^[ab]_i\[\d\]$")
        self.assertRegex(paths["two"]["to"], r"^y_o\[\d\]$")

    def test_cut_module(self):
        """A path ends at the inputs of a module that is cut out, and another begins at its outputs."""
        area = load("rtl_area")
        if shutil.which("yosys-abc") is None or not os.path.exists(area.LIBRARY):
            self.skipTest("yosys-abc or its library is missing")
        source = ("module product(input [7:0] x_i, y_i, output [7:0] z_o);\nassign z_o = x_i * y_i;\nendmodule\n"
                  "module t(input clk_i, input [7:0] a_i, b_i, output logic [7:0] y_o);\nlogic [7:0] z;\n"
                  "product u_product(.x_i(a_i), .y_i(b_i), .z_o(z));\n"
                  "always_ff @(posedge clk_i) y_o <= z & {8{^a_i}};\nendmodule\n")
        clock = area.Clock(area.LIBRARY)
        rows = {}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.sv")
            with open(path, "w", encoding="utf-8") as handle:
                handle.write(source)
            block = types.SimpleNamespace(name="t", top="t", parameters={}, sources=[path])
            for name, cut in (("whole", []), ("cut", ["product"])):
                unit = area.Unit(block, {"unit": "t", "flatten": False, "cut": cut})
                rows[name] = area.measure(unit, area.LIBRARY, clock)
        self.assertLess(rows["cut"]["ns"], 0.6 * rows["whole"]["ns"])
        self.assertLess(rows["cut"]["cells"], 0.5 * rows["whole"]["cells"])
        self.assertGreaterEqual(rows["cut"]["flip_flops"], 8)

    def test_area_with_clock(self):
        """A row has the columns of the clock, and the last one compares with rtl/clock.yaml."""
        if shutil.which("yosys-abc") is None or not os.path.exists(load("rtl_area").LIBRARY):
            self.skipTest("yosys-abc or its library is missing")
        with tempfile.TemporaryDirectory() as folder:
            process = run("rtl_area", "fp", "--out", folder)
            self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
            with open(os.path.join(folder, "rtl_area.json"), encoding="utf-8") as handle:
                rows = {row["unit"]: row for row in json.load(handle)}
        self.assertIn("a cycle may have 69", process.stdout)
        for row in rows.values():
            self.assertAlmostEqual(row["fo4"], row["ns"] / 0.0992, delta=0.6)
            self.assertEqual(row["meets_clock"], row["ns"] <= 1e3 / 1200 / 12.1 * 99.2)
        self.assertGreater(rows["fp32_add"]["ns"], rows["fp32_add_stage1"]["ns"])
        self.assertIn(rows["fp16_mul"]["from"][:4], ("a_i[", "b_i["))

    def assert_bad_proofs(self, text, expected):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as handle:
            handle.write(text)
            handle.flush()
            self.assert_user_error(run("rtl_formal", "fp", "--list", "--file", handle.name), expected)

    def test_bad_list_of_proofs(self):
        self.assert_bad_proofs("- {top: x, depth: 1}", "entry 1: 'sources' is missing")
        self.assert_bad_proofs("- {top: x, depth: 1, sources: [], dept: 2}", "got key 'dept'")
        self.assert_bad_proofs("- {top: x, depth: 1, sources: [no.sv]}", "no.sv: no such file")
        self.assert_bad_proofs("- {top: [", ".yaml:1:")
        self.assert_bad_proofs("- {top: x, depth: 1, sources: [], induction: yes_please}",
                               "got 'yes_please', expected one of {true, false, found, reached}")
        self.assert_bad_proofs("top: x", "expected a list")


if __name__ == "__main__":
    unittest.main()
