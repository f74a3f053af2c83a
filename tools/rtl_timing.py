"""Time of the longest path of a netlist, by yosys and yosys-abc; for tools/rtl_area.

The logic between registers, memories and pins is mapped for delay to the cells of a library, with buffers and sizes
that yosys-abc chooses. Wires have no delay. A path begins at a flip-flop that drives a buffer and ends at the set-up
time of a flip-flop. That holds for pins and memories as well: the access time of a memory is not part of it.
"""

import os
import re

import rtl_common as rtl

# `if -g` rebuilds long chains as balanced sums of products, which the mapper alone does not. The order of the nodes
# decides some percent of the time, so a netlist that is not huge is mapped in three ways, and the shortest counts.
MAPPINGS = ("ifraig; scorr; if -g -K 6; strash; dch -f; map",
            "ifraig; scorr; if -g -K 6; strash; balance; rewrite; refactor; balance; dch -f; map",
            "ifraig; scorr; dch -f; if -g -K 6; strash; if -g; strash; dch -f; map")
SIZES = "topo; buffer -c; topo; upsize; dnsize; stime -p"
HUGE = 250_000  # and-inverter nodes: one way, without the steps that compare signals
HUGE_MAPPING = "if -g -K 6; strash; map"
CONSTRAINTS = "set_driving_cell BUFX4\nset_load 8.8\n"  # fF: DFFPOSX1's D in osu018
INVERTER = "INVX1"
FLIP_FLOP = "DFFPOSX1"
BUFFER_LOAD_PF = 0.0140  # BUFX4's A in osu018
CHAINS = (10, 30)  # inverters

# Registers lose their reset, which no path of a clock cycle has; memories become registers at their pins. The latch of
# a clock gate is a register, too: its data has to be there when the clock rises.
CUTS = r"""
(* techmap_celltype = "$_DFF_PN0_ $_DFF_PN1_" *)
module without_reset(input D, input C, input R, output Q);
  \$_DFF_P_ _TECHMAP_REPLACE_(.D(D), .C(C), .Q(Q));
endmodule
(* techmap_celltype = "$_DLATCH_N_" *)
module cut_latch(input D, input E, output Q);
  \$_DFF_P_ _TECHMAP_REPLACE_(.D(D), .C(1'b0), .Q(Q));
endmodule
(* techmap_celltype = "$mem_v2" *)
module cut_memory(RD_CLK, RD_EN, RD_ARST, RD_SRST, RD_ADDR, RD_DATA, WR_CLK, WR_EN, WR_ADDR, WR_DATA);
  parameter MEMID = "";
  parameter signed SIZE = 4;
  parameter signed OFFSET = 0;
  parameter signed ABITS = 2;
  parameter signed WIDTH = 8;
  parameter signed INIT = 1'bx;
  parameter signed RD_PORTS = 1;
  parameter RD_CLK_ENABLE = 1'b1;
  parameter RD_CLK_POLARITY = 1'b1;
  parameter RD_TRANSPARENCY_MASK = 1'b0;
  parameter RD_COLLISION_X_MASK = 1'b0;
  parameter RD_WIDE_CONTINUATION = 1'b0;
  parameter RD_CE_OVER_SRST = 1'b0;
  parameter RD_ARST_VALUE = 1'b0;
  parameter RD_SRST_VALUE = 1'b0;
  parameter RD_INIT_VALUE = 1'b0;
  parameter signed WR_PORTS = 1;
  parameter WR_CLK_ENABLE = 1'b1;
  parameter WR_CLK_POLARITY = 1'b1;
  parameter WR_PRIORITY_MASK = 1'b0;
  parameter WR_WIDE_CONTINUATION = 1'b0;
  input [RD_PORTS-1:0] RD_CLK, RD_EN, RD_ARST, RD_SRST;
  input [RD_PORTS*ABITS-1:0] RD_ADDR;
  output [RD_PORTS*WIDTH-1:0] RD_DATA;
  input [WR_PORTS-1:0] WR_CLK;
  input [WR_PORTS*WIDTH-1:0] WR_EN;
  input [WR_PORTS*ABITS-1:0] WR_ADDR;
  input [WR_PORTS*WIDTH-1:0] WR_DATA;
  localparam PINS = RD_PORTS + RD_PORTS*ABITS + 2*WR_PORTS*WIDTH + WR_PORTS*ABITS;
  wire [PINS-1:0] memory_d = {RD_EN, RD_ADDR, WR_EN, WR_ADDR, WR_DATA};
  wire [PINS-1:0] memory_q;
  genvar i;
  generate
    for (i = 0; i < PINS; i = i + 1) begin : gen_end
      \$_DFF_P_ pin(.D(memory_d[i]), .C(1'b0), .Q(memory_q[i]));
    end
    for (i = 0; i < RD_PORTS*WIDTH; i = i + 1) begin : gen_start
      \$_DFF_P_ pin(.D(1'b0), .C(1'b0), .Q(RD_DATA[i]));
    end
  endgenerate
endmodule
"""


def netlist_script(front, folder, cut):
    """Commands behind `front`, which ends with simple gates: they write folder/path.aig and its names. With `cut`
    there are modules without contents, whose pins become pins of the netlist."""
    with open(os.path.join(folder, "cuts.v"), "w", encoding="utf-8") as handle:
        handle.write(CUTS)
    return [*front, "opt_clean", "dffunmap", f"techmap -map {folder}/cuts.v", "flatten", "simplemap",
            *(["expose -evert c:*", "opt_clean"] if cut else []),
            "setattr -unset init", "setundef -zero", "aigmap",
            f"write_aiger -map {folder}/path.map {folder}/path.aig"]


def abc(commands, folder, name):
    """Output of yosys-abc; the log stays in `folder`."""
    log = os.path.join(folder, f"{name}.log")
    rtl.run_logged(["yosys-abc", "-c", commands], log, cwd=folder)
    with open(log, encoding="utf-8", errors="replace") as handle:
        return re.sub(r"\x1b\[[\d;]*m", "", handle.read())


def delay_of(output, what):
    """The delay in ps that `stime` printed."""
    found = re.findall(r"Delay = +([\d.]+) ps", output)
    if not found:
        lines = [line for line in output.splitlines() if line.strip()] or ["no output"]
        raise rtl.UserError(f"yosys-abc gave no delay of {what}: {lines[-1].strip()}")
    return float(found[-1])


def inverter_chain(length):
    """BLIF of a chain in which every inverter drives four."""
    gates, outputs, before = [], [], "i"
    for stage in range(length + 1):
        gates += [f".gate {INVERTER} A={before} Y=n{stage}_{side}" for side in range(4 if stage else 1)]
        outputs += [f"n{stage}_{side}" for side in range(1, 4) if stage]
        before = f"n{stage}_0"
    return "\n".join([".model chain", ".inputs i", ".outputs " + " ".join([*outputs, before]), *gates, ".end", ""])


def fo4(library, folder):
    """ps of an inverter that drives four, from two chains, so that their ends do not count."""
    delays = []
    for length in CHAINS:
        with open(os.path.join(folder, "chain.blif"), "w", encoding="utf-8") as handle:
            handle.write(inverter_chain(length))
        output = abc(f"read_lib -w {library}; read_blif chain.blif; topo; stime", folder, "chain")
        delays.append(delay_of(output, "a chain of inverters"))
    return (delays[1] - delays[0]) / (CHAINS[1] - CHAINS[0])


def table_value(cell, table, row, column):
    """An entry of a table of a liberty cell: the one nearest to the two indices."""
    found = re.search(table + r"\s*\(\w+\)\s*\{\s*index_1\s*\(\"([^\"]*)\"\);\s*index_2\s*\(\"([^\"]*)\"\);"
                      r"\s*values\s*\(([^)]*)\)", cell)
    if found is None:
        raise rtl.UserError(f"{FLIP_FLOP} has no table {table}")
    rows, columns = ([float(word) for word in found[group].split(",")] for group in (1, 2))
    values = [[float(word) for word in line.split(",")] for line in re.findall(r'"([^"]*)"', found[3])]
    def nearest(axis, value):
        return min(range(len(axis)), key=lambda index: abs(axis[index] - value))
    return values[nearest(rows, row)][nearest(columns, column)]


def register_time(library):
    """ps from the clock to the output of the library's flip-flop, and of its set-up: the slower edge of each."""
    with open(library, encoding="utf-8") as handle:
        cell = re.search(r"cell\s*\(\s*" + FLIP_FLOP + r"\s*\)(.*?)\ncell\s*\(", handle.read(), re.DOTALL)
    if cell is None:
        raise rtl.UserError(f"{library}: no cell {FLIP_FLOP}")
    setup = cell[1][cell[1].index("setup_rising"):]
    slew = (0.06, 0.18)  # ns, of the clock and of the data
    return 1000 * (max(table_value(cell[1], edge, BUFFER_LOAD_PF, slew[0]) for edge in ("cell_rise", "cell_fall")) +
                   max(table_value(setup, f"{edge}_constraint", *slew) for edge in ("rise", "fall")))


def names_of(path, inputs, outputs):
    """Functions from the number of a combinational input and of an output of an AIGER file to its name: pins, then
    registers. `inputs`, `outputs`: numbers of the file's pins, some of which have no name."""
    found = {"input": {}, "latch": {}, "output": {}}
    with open(path, encoding="utf-8") as handle:
        for kind, number, bit, name in (line.split() for line in handle):
            if kind in found:
                # The shortest name of a bit is that of the outermost module.
                label = f"{name}[{bit}]"
                known = found[kind].get(int(number), label)
                found[kind][int(number)] = min(known, label, key=len)

    def name_of(kind, pins, number):
        names, place = (found[kind], number) if number < pins else (found["latch"], number - pins)
        return names.get(place, "a pin without a name")
    return (lambda number: name_of("input", inputs, number)), (lambda number: name_of("output", outputs, number))


def longest_path(front, library, folder, cut=False):
    """{ns, from, to} of the longest path of the netlist that the yosys commands `front` make, see netlist_script()."""
    rtl.run_yosys(netlist_script(front, folder, cut), os.path.join(folder, "path.yosys.log"), cwd=folder)
    with open(os.path.join(folder, "path.aig"), "rb") as handle:
        _, inputs, _, outputs, nodes = (int(word) for word in handle.readline().split()[1:])
    with open(os.path.join(folder, "constraints"), "w", encoding="utf-8") as handle:
        handle.write(CONSTRAINTS)
    mappings = (HUGE_MAPPING,) if nodes > HUGE else MAPPINGS
    paths = []
    for mapping in mappings:
        output = abc(f"read_lib -w {library}; read_constr constraints; read_aiger path.aig; comb; strash; {mapping}; "
                     f"{SIZES}", folder, "path")
        ends = re.search(r"Start-point = pi(\d+).*End-point = po(\d+)", output)
        paths.append((delay_of(output, "the longest path"), int(ends[1]), int(ends[2])))
    delay, start, stop = min(paths)
    name_of_start, name_of_stop = names_of(os.path.join(folder, "path.map"), inputs, outputs)
    return {"ns": round((delay + register_time(library)) / 1000, 2), "from": name_of_start(start),
            "to": name_of_stop(stop)}
