#!/usr/bin/python3
"""Compares what Tessera computes for random graphs of ONNX with what ONNX Runtime computes.

Usage: tools/fuzz onnx_values [RUNS [SEED]] [--case KIND:NUMBER] [--without-runtime | --if-cached]
                              [--without-machine] [--program PROGRAM] [--cache FOLDER] [--library FILE]

RUNS single operators of the sets 7 to 17, with all attributes that ONNX allows, and 3 chains of operators for each 20 of
them. Their outputs are compared with ONNX Runtime's, fused and unfused; then all run on a machine, which checks every value
(--set values=on). The library is fetched from the npm registry if it is not in the cache; with --if-cached it is not, and
with --without-runtime it is not used: then what is fused is only compared with what is not.
A table says how many cases each operator had. A case that differs is written to build/fuzz/found/onnx_values, and
--case runs it alone. Exits 0 if all agree but for known differences, 1 if not, and 2 if that cannot be found out.
"""

import argparse
import collections
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [HERE, os.path.join(ROOT, "tools")]

import chains  # noqa: E402
import elementwise  # noqa: E402
import movement  # noqa: E402
import onnxruntime_library  # noqa: E402
import programs  # noqa: E402
import rows  # noqa: E402
import windows  # noqa: E402
from cases import Case, Draw  # noqa: E402
from known_differences import known_reason  # noqa: E402

SETS = range(7, 18)
OPERATORS, CHAINS = "operator", "chain"
UNFUSED, FUSED, ON_MACHINE = "unfused", "fused", "on the machine"
BATCH = 100  # cases of one model
MACHINE_BATCH = 25  # whose layers run one after the other
MACHINE = "v100,gpu.sms=2"  # small, as the layers are
NO_KERNEL = "got no node that a kernel here computes"
FOUND = os.path.join("build", "fuzz", "found", "onnx_values")


def rows_of(opset):
    """Operators of a set, as often as their weight says."""
    table = elementwise.table() + movement.table() + rows.table() + windows.table()
    return [row for row in table for _ in range(row[2]) if row[1] <= opset <= (row[4] if len(row) > 4 else SETS[-1])]


def make_case(kind, number, seed):
    """The same case for the same arguments."""
    draw = Draw([seed, 0 if kind == OPERATORS else 1, number])
    opset = SETS[number % len(SETS)]
    turn = number // len(SETS)
    name = f"{kind[0]}{number}"
    if kind == OPERATORS:
        table = rows_of(opset)
        operation, make = [(row[0], row[3]) for row in table][(turn * 61 + opset * 7) % len(table)]
        case = Case(name, operation, opset, draw)
        make(case, operation)
    else:
        style = chains.ORDER[turn % len(chains.ORDER)]
        draw.real_type = chains.np.float32
        draw.special = draw.special if draw.chance(0.3) else ()
        case = Case(name, "chain: " + style, opset, draw)
        chains.KINDS[style](case)
    return case


class Report:
    """Cases by operator, and lines about those that differ."""

    def __init__(self, seed, with_runtime):
        self.seed, self.with_runtime = seed, with_runtime
        self.counts = collections.defaultdict(collections.Counter)
        self.reasons = collections.Counter()
        self.wrong = set()
        self.layers = 0

    def count(self, case, what):
        self.counts[case.operator][what] += 1

    def reason(self, what, message):
        self.reasons[f"{what}: {message}"] += 1

    def differs(self, case, mode, what):
        known = known_reason(case) if mode == UNFUSED and self.with_runtime else None
        if known is not None:
            self.count(case, "known")
            self.reason("known", known)
            return
        if case.name not in self.wrong:
            self.count(case, "differ")
        self.wrong.add(case.name)
        kind = OPERATORS if case.name.startswith(OPERATORS[0]) else CHAINS
        folder = os.path.join(FOUND, f"{self.seed}-{case.name}")
        command = programs.keep_case(case, folder)
        print(f"{case.operator} (set {case.opset}), {mode}: {what}\n  {' -> '.join(node.op_type for node in case.nodes)}\n"
              f"  tools/fuzz onnx_values 1 {self.seed} --case {kind}:{case.name[1:]}\n  {command}", flush=True)

    def print_table(self):
        columns = ("compared", "differ", "known", "refused", "not of ONNX Runtime")
        print("| operator | " + " | ".join(columns) + " |\n|" + "---|" * (1 + len(columns)))
        for operator in sorted(self.counts):
            print(f"| {operator} | " + " | ".join(str(self.counts[operator][column]) for column in columns) + " |")
        total = {column: sum(counts[column] for counts in self.counts.values()) for column in columns}
        print("| all | " + " | ".join(str(total[column]) for column in columns) + " |\n")
        for line, times in sorted(self.reasons.items()):
            print(f"{times} times {line}")
        print(f"seed {self.seed}: {total['compared']} cases compared, {len(self.wrong)} differ, {total['known']} known differences, "
              f"{self.layers} layers on the machine")


def without_place(message):
    """A message without the name of the file and of the node."""
    return message.split("): ", 1)[-1].split("': ", 1)[-1][:160]


def batches_of(cases, size):
    """Lists of cases of one operator set."""
    by_set = collections.defaultdict(list)
    for case in cases:
        by_set[case.opset].append(case)
    for some in by_set.values():
        for first in range(0, len(some), size):
            yield some[first:first + size]


def gather_values(cases, run, on_error):
    """Outputs by name of the cases that a program takes."""
    values = {}
    for some, result in programs.by_halves(cases, run):
        if isinstance(result, Exception):
            on_error(some[0], result)
        else:
            values.update(result)
    return values


def first_difference(case, got, expected):
    """In words, or None; outputs that are not there have been reported."""
    return next((what for name in case.outputs if name in got and (what := programs.difference(got[name], expected[name]))), None)


def check_values(cases, tessera, library, report):
    """Compares the outputs of a batch, and returns the cases that Tessera takes."""
    def on_error(mode):
        def say(case, error):
            if isinstance(error, programs.Refused) and mode == UNFUSED:
                report.count(case, "refused")
                report.reason("refused", f"{case.operator}: {without_place(str(error))}")
            else:
                report.differs(case, mode, str(error))
        return say

    def not_run(case, error):
        report.count(case, "not of ONNX Runtime")
        report.reason("not of ONNX Runtime", f"{case.operator}: {str(error).split(' : ')[-1][:160]}")

    unfused = gather_values(cases, lambda some: tessera.values(some, False), on_error(UNFUSED))
    taken = [case for case in cases if all(name in unfused for name in case.outputs)]
    fused = gather_values(taken, lambda some: tessera.values(some, True), on_error(FUSED)) if taken else {}
    expected = gather_values(taken, library.values, not_run) if library and taken else unfused
    for case in taken:
        if not all(name in expected for name in case.outputs):
            continue
        report.count(case, "compared")
        found = first_difference(case, unfused, expected)
        if found:
            report.differs(case, UNFUSED, found)
        # A change by fusion is never a difference of ONNX Runtime's.
        found = first_difference(case, fused, unfused if found else expected)
        if found:
            report.differs(case, FUSED, found)
    return taken


def check_machine(cases, tessera, report):
    """Runs a batch on the machine, which checks all values. Nodes without a kernel are the host's."""
    for some, result in programs.by_halves(cases, lambda some: tessera.machine(some, MACHINE)):
        if isinstance(result, programs.Refused) and NO_KERNEL in str(result):
            continue
        if isinstance(result, Exception):
            report.differs(some[0], ON_MACHINE, str(result))
        else:
            report.layers += result


def arguments_of():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=int, nargs="?", default=2000, metavar="RUNS", help="single operators (default 2000)")
    parser.add_argument("seed", type=int, nargs="?", default=1, metavar="SEED", help="chooses all cases (default 1)")
    parser.add_argument("--case", metavar="KIND:NUMBER", help="this case alone, of kind operator or chain")
    parser.add_argument("--without-runtime", action="store_true", help="compare fused with unfused only")
    parser.add_argument("--if-cached", action="store_true", help="fetch nothing: as --without-runtime if ONNX Runtime is not in the cache")
    parser.add_argument("--without-machine", action="store_true", help="do not run layers on a machine")
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "release", "bin", "tessera"), metavar="PROGRAM")
    parser.add_argument("--cache", default=os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "tessera"),
                        metavar="FOLDER", help="where ONNX Runtime is kept")
    parser.add_argument("--library", metavar="FILE", help="a libonnxruntime.so that is there, nothing is fetched")
    return parser.parse_args()


def cases_of(options):
    if options.case is not None:
        kind, _, number = options.case.partition(":")
        if kind not in (OPERATORS, CHAINS) or not number.isdigit():
            raise onnxruntime_library.UserError(f"--case: got '{options.case}', expected operator:NUMBER or chain:NUMBER")
        return [make_case(kind, int(number), options.seed)]
    if options.runs < 1 or options.seed < 0:
        raise onnxruntime_library.UserError(f"got {options.runs} runs and seed {options.seed}, expected at least 1 and 0")
    return [make_case(OPERATORS, number, options.seed) for number in range(options.runs)] + [
        make_case(CHAINS, number, options.seed) for number in range(options.runs * 3 // 20)]


def library_of(options):
    """ONNX Runtime, or None if it is not wanted or not there."""
    cached = onnxruntime_library.cached_library(options.cache)
    if options.without_runtime or (options.if_cached and not options.library and cached is None):
        print("fuzz: onnx_values: without ONNX Runtime, fused and unfused results are compared with each other", flush=True)
        return None
    return programs.Library(onnxruntime_library, options.library or cached or onnxruntime_library.fetched_library(options.cache))


def main():
    options = arguments_of()
    try:
        if not os.access(options.program, os.X_OK):
            raise onnxruntime_library.UserError(f"{options.program}: is no program (run tools/build release tessera)")
        cases = cases_of(options)
        library = library_of(options)
        tessera = programs.Tessera(options.program)
        report = Report(options.seed, library is not None)
        taken = []
        for batch in batches_of(cases, BATCH):
            taken += check_values(batch, tessera, library, report)
        if not options.without_machine:
            for batch in batches_of(taken, MACHINE_BATCH):
                check_machine(batch, tessera, report)
    except (onnxruntime_library.UserError, OSError) as error:
        print(f"fuzz: onnx_values: {error}", file=sys.stderr)
        return 2
    report.print_table()
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
