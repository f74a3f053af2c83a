"""Whether a mutant of a netlist is the original for every input and every state, proved; for tools/rtl_mutation."""

import os
import re
import subprocess

import rtl_common as rtl

SECONDS = 60  # for one proof


def proof_script(listing, line, folder):
    """Commands that write an and-inverter graph, folder/miter.aig, with one output: whether anything differs.

    The module with the mutant is compared with its original, what is in it included: outputs and next states, given
    the same inputs and states (registers are cut, memories are registers). Undefined bits are inputs, too: any, and the
    same in both.
    """
    module = re.search(r"-module (\S+)", line)[1]
    mutant = re.sub(r"-ctrl \S+ \d+ \d+ ", "", line.replace(f"-module {module}", "-module gate"))
    return [f"read_json {listing}.json", f"rename {module} gold", "hierarchy -top gold", "flatten gold", "memory_map",
            "dffunmap", "setundef -undriven -expose", "copy gold gate", mutant,
            "expose -evert-dff gold gate", "miter -equiv -flatten gold gate miter", "hierarchy -top miter", "opt -fast",
            "techmap", "opt -fast", "aigmap", f"write_aiger {os.path.join(folder, 'miter.aig')}"]


def is_proved_equivalent(listing, line, folder):
    """Proves a line of yosys' list of mutants, with files in `folder`; False if there is no proof (in time)."""
    os.makedirs(folder, exist_ok=True)
    log = os.path.join(folder, "yosys.log")
    try:
        rtl.run_yosys(proof_script(listing, line, folder), log)
    except rtl.UserError:
        return False  # its registers have other names: the mutant is at one's output
    _, output = rtl.Children.run(["yosys-abc", "-c", f"&r {os.path.join(folder, 'miter.aig')}; &cec -m -T {SECONDS}"],
                                 10 * SECONDS, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return "Networks are equivalent" in output
