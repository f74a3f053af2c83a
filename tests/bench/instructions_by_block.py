#!/usr/bin/python3
"""Host instructions a warp instruction, by block of the machine, as the Markdown tables of docs/performance.md.

Usage: tests/bench/instructions_by_block.py [--tessera PATH] [--old PATH] [CASE...]

Runs each CASE (all of them, if none is named) under valgrind's callgrind, which counts instructions and so gives the
same figures on a busy machine. With --old, a `tessera` of another revision runs, too, and the table has both,
before / after. A block's instructions are those of its classes and of what these call in libraries; an inlined function
counts for the block that calls it. Nothing here passes or fails: the figures are for reading.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

os.environ["TESSERA_CACHE"] = "off"  # each run is simulated

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TRACE = os.path.join(ROOT, "tests/golden/traces/gemm_1024x64x576/kernelslist.g")
C2 = ["duplo_titan_v", "duplo_paper", "workspace_ready", "resnet.C2", "--set", "workload.layer.batch=1"]


def cube(side):
    return [part for dimension in "mnk" for part in ("--set", f"workload.gemm.{dimension}={side}")]


CASES = {
    "c2": ("ResNet C2, batch 1, Duplo 1024", C2),
    "c2_at": ("the same at `timing: at`", [*C2, "--set", "timing=at"]),
    "dual512": ("512 x 512 x 512 without zeros, `dual_side_ideal`", ["dual_side_v100", "dual_side_ideal", *cube(512)]),
    "trace": ("the trace `gemm_1024x64x576`", ["qv100_accelsim", "--trace", TRACE]),
    "trace_at": ("the same at `timing: at`", ["qv100_accelsim", "--trace", TRACE, "--set", "timing=at"]),
    "library1024": ("1024 x 1024 x 1024, `v100 library`", ["v100", "library", *cube(1024)]),
    "lenet": ("LeNet C2, opportunistic computing", ["gtx480_56sm", "opportunistic", "lenet5.C2.forward"]),
}

# The first pattern that a function's name has decides; a function without one counts for its callers.
BLOCKS = [(name, re.compile(pattern)) for name, pattern in [
    # A constructor, or what reads configurations and writes results.
    ("start and results", r"tessera::(?:\w+::)*(\w+)::\1\(|YAML::|CLI::|nlohmann|StatGroup|tessera::\w*(Config|Statistics)\w*::"
                          r"|tessera::Simulation::|tessera::add_run_command|^main$|^sc_main$|^_dl_|^\(below main\)|sc_object_manager"),
    ("warp programs", r"tessera::(?:\(anonymous namespace\)::)?\w*(Program|Kernel|Trace|Lowering|Workload|Operand|LaneAccess|"
                      r"TensorPlan|Staged|Steps)\w*::|^lzma_|^xz_"),
    ("detection unit", r"tessera::(BuiltPipe|Detect|Duplo|HistoryPipe|IdGenerator|LoadHistoryBuffer|RenameStage|RenameTable|PendingReleases|ValueTable|ElementFormula|LookupPort)"),
    ("tensor cores", r"tessera::(?:\(anonymous namespace\)::)?(Tensor|Matrix|Spwmma|Fedp|Outer|Accumulation|Bitmap)"),
    ("opportunistic computing", r"tessera::(?:\(anonymous namespace\)::)?(Opportunistic|Assistant|Assign|Precompute|Vector)"),
    ("LDST unit", r"tessera::(Ldst|SharedMemory|BankScheduler|FilterTimeline|FlightTimeline|PayloadPool|PooledPayload)|<tessera::LdstUnit"),
    ("issue and scheduling", r"tessera::(SubCore|WarpScheduler|IssuePort|OperandCollector|OperandPorts|CudaCores|MemoryIssue|"
                             r"StreamingMultiprocessor|SmWorkers|RegisterFile|Gpu)\w*::|tessera::check_dependences|<tessera::UnitSocket"),
    ("L1", r"tessera::L1(Cache|Policy|MissPort)|tessera::DeferredMisses|tessera::Prefetch|tessera::Tlb"),
    ("network", r"tessera::(Crossbar|SwitchCore|Mesh|PayloadOrigins)"),
    ("L2", r"tessera::L2Slice|tessera::AtomicUnit|tessera::AddressMap::global"),
    ("DRAM", r"tessera::(Dram|MemoryImage)"),
    ("ticker of `timing: at`", r"tessera::CycleTicker"),
    ("SystemC kernel", r"^(virtual thunk to |non-virtual thunk to )?sc_core::(?!sc_time)"),
]]
REST = "not told"


def block_of(function):
    return next((name for name, pattern in BLOCKS if pattern.search(function)), None)


class Profile:
    """Self costs of functions and the calls between them, from a file of callgrind's."""

    def __init__(self, path):
        self.cost = collections.Counter()
        self.callers = collections.defaultdict(collections.Counter)  # function -> caller -> inclusive cost
        names = {}

        def name(text):
            number, _, rest = text.partition(" ")
            if rest:
                names[number] = re.sub(r"'\d+$", "", rest)
            return names[number]

        function = callee = None
        is_call = False
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.startswith("fn="):
                    function = name(line[3:].rstrip())
                elif line.startswith("cfn="):
                    callee = name(line[4:].rstrip())
                elif line.startswith("calls="):
                    is_call = True
                elif line[0] in "0123456789+-*" and function is not None:
                    cost = int(line.split()[1])
                    if is_call:
                        self.callers[callee][function] += cost
                        is_call = False
                    else:
                        self.cost[function] += cost

    def by_block(self):
        """Instructions of each block. What belongs to none goes to its callers, as far up as need be."""
        blocks = collections.Counter()
        left = self.cost
        for _ in range(40):
            above = collections.Counter()
            for function, cost in left.items():
                block = block_of(function)
                if block is not None:
                    blocks[block] += cost
                    continue
                callers = {caller: share for caller, share in self.callers[function].items() if caller != function}
                total = sum(callers.values())
                if total == 0:
                    blocks[REST] += cost
                    continue
                for caller, share in callers.items():
                    above[caller] += cost * share / total
            left = above
        blocks[REST] += sum(left.values())
        return blocks


def measure(tessera, arguments):
    """Instructions of each block for a warp instruction, and how many of those there were."""
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "profile")
        subprocess.run(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={profile}", tessera, "run", *arguments, "-q",
                        "--out", os.path.join(folder, "out")], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(os.path.join(folder, "out", "host.json"), encoding="utf-8") as file:
            instructions = json.load(file)["warp_instructions"]
        blocks = Profile(profile).by_block()
    return {block: cost / instructions for block, cost in blocks.items()}, instructions


def print_table(measured):
    """`measured`: a case with its blocks, before (None without another program) and after."""
    def cell(before, after, number="{:.0f}"):
        return number.format(after) if before is None else f"{number} / {number}".format(before, after)

    print("| block | " + " | ".join(case for case, _, _ in measured) + " |")
    print("|---|" + "--:|" * len(measured))
    for block in [name for name, _ in BLOCKS] + [REST]:
        values = [(before and before.get(block, 0), after.get(block, 0)) for _, before, after in measured]
        if max(max(before or 0, after) for before, after in values) >= 0.5:
            print(f"| {block} | " + " | ".join(cell(*value) for value in values) + " |")
    totals = [(before and sum(before.values()), sum(after.values())) for _, before, after in measured]
    print("| all | " + " | ".join(cell(*total) for total in totals) + " |")
    if totals[0][0]:
        print("| ratio | " + " | ".join(f"{after / before:.2f}" for before, after in totals) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--tessera", default=os.path.join(ROOT, "build/release/bin/tessera"))
    parser.add_argument("--old", help="a program of another revision")
    options = parser.parse_args()
    unknown = [case for case in options.cases if case not in CASES]
    if unknown:
        sys.exit(f"instructions_by_block.py: no case '{unknown[0]}', expected some of {{{', '.join(CASES)}}}")
    for program in filter(None, (options.tessera, options.old)):
        if not os.access(program, os.X_OK):
            sys.exit(f"instructions_by_block.py: {program} is not there; tools/build makes it")
    measured = []
    for case in options.cases or CASES:
        title, arguments = CASES[case]
        before, _ = measure(options.old, arguments) if options.old else (None, 0)
        after, instructions = measure(options.tessera, arguments)
        print(f"{case}: {title}, {instructions} warp instructions", flush=True)
        measured.append((case, before, after))
    print()
    print_table(measured)


if __name__ == "__main__":
    main()
