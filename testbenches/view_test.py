#!/usr/bin/python3
"""A testbench passes with --wave, and every signal of its saved GTKWave view is in the dump and changes in it.

Usage: view_test.py PROGRAM VIEW.gtkw [OPTION...]
"""

import os
import re
import subprocess
import sys
import tempfile


def view_signals(path):
    """Names in a view, with their ranges as GTKWave writes them."""
    with open(path, encoding="utf-8") as handle:
        return [line.strip() for line in handle if re.match(r"testbench\.\S+$", line)]


def dump_values(path):
    """Number of values that each variable of a dump takes, by full name with range."""
    names, scopes, values = {}, [], {}
    with open(path, encoding="utf-8") as handle:
        for line in handle:
            words = line.split()
            if words[:1] == ["$scope"]:
                scopes.append(words[2])
            elif words[:1] == ["$upscope"]:
                scopes.pop()
            elif words[:1] == ["$var"]:
                names[".".join([*scopes, "".join(words[4:-1])])] = words[3]
            elif line[:1] == "b" and len(words) == 2:
                values.setdefault(words[1], set()).add(words[0])
            elif line[:1] in ("0", "1", "x"):
                values.setdefault(line[1:].strip(), set()).add(line[0])
    return {name: len(values.get(code, ())) for name, code in names.items()}


def main(program, view, *options):
    with tempfile.TemporaryDirectory(prefix="view_") as folder:
        wave = os.path.join(folder, "wave.vcd")
        done = subprocess.run([program, *options, "--wave", wave], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
        values = dump_values(wave)
    wanted = view_signals(view)
    if os.path.basename(view) not in done.stdout:
        sys.exit(f"{view}: the report does not name it")
    if len(wanted) < 5:
        sys.exit(f"{view}: got {len(wanted)} signals, expected at least 5")
    missing = [signal for signal in wanted if signal not in values]
    if missing:
        sys.exit(f"{view}: not in the dump: {', '.join(missing)}")
    flat = [signal for signal in wanted if values[signal] < 2]
    if flat:
        sys.exit(f"{view}: never change: {', '.join(flat)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
