#!/usr/bin/python3
"""Every configuration key changes something it should.

The table in parameters.py says what. A key without a row fails, and so does a row without a key."""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

from parameter_bases import BASE
from parameters import FURTHER, ONE_VALUE, PARAMETERS, SPELLED


def listed_keys(tessera):
    """The rows of `tessera config --list` by key."""
    text = subprocess.run([tessera, "config", "--list"], capture_output=True, text=True, check=True).stdout
    return {line.split()[0]: line for line in text.splitlines()[1:]}


def nested(settings):
    """Settings by dotted key as the mapping that a file holds."""
    root = {}
    for key, value in settings.items():
        *sections, last = key.split(".")
        node = root
        for section in sections:
            node = node.setdefault(section, {})
        node[last] = value
    return root


def run(tessera, both, changed):
    """Runs BASE with `both` as the configuration of a whole run, whose keys need not act, and `changed` over
    it, whose keys must: result, messages and exit code."""
    with tempfile.TemporaryDirectory() as folder:
        base = os.path.join(folder, "base.yaml")
        with open(base, "w", encoding="utf-8") as handle:
            json.dump({"part": "run", **nested({**BASE, **dict(both)})}, handle)
        command = [tessera, "run", "-q", "--out", os.path.join(folder, "out"), base]
        for key, value in dict(changed).items():
            command += ["--set", f"{SPELLED.get(key, key)}={value}"]
        process = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        path = os.path.join(folder, "out", "result.json")
        if process.returncode not in (0, 1) or not os.path.exists(path):
            raise RuntimeError(f"exit code {process.returncode}: {process.stderr.strip()}")
        with open(path, encoding="utf-8") as handle:
            result = json.load(handle)
        with open(os.path.join(folder, "out", "host.json"), encoding="utf-8") as handle:
            return {"result": result, "host": json.load(handle), "stderr": process.stderr}


def main():
    tessera = os.path.abspath(sys.argv[1])
    listed = listed_keys(tessera)
    has_rtl = "no blocks" not in subprocess.run([tessera, "cosim", "--list"], capture_output=True, text=True,
                                                check=True).stdout
    problems = [f"{key}: no row in the table" for key in sorted(set(listed) - set(PARAMETERS))]
    problems += [f"{key}: no such key" for key in sorted(set(PARAMETERS) - set(listed))]
    for key, allowed in ONE_VALUE.items():
        if f" {allowed} " not in listed.get(key, ""):
            problems.append(f"{key}: allows more than {allowed} now and needs a row")

    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        started = {}

        def start(both, changed):
            key = tuple(sorted(both.items())), tuple(sorted(changed.items()))
            if key not in started:
                started[key] = pool.submit(run, tessera, *key)
            return started[key]

        pairs = []
        for key, row in [*PARAMETERS.items(), *FURTHER]:
            if row is None or key not in listed:
                continue
            if key.startswith("impl.") and not has_rtl:
                print(f"{key}: skipped, this build has no RTL")
                continue
            value, what, how, both, also = (*row, {}, {})[:5]
            pairs.append((key, value, what, how, start(both, {}), start(both, {**also, key: value})))
        for key, value, what, (holds, word), base, changed in pairs:
            try:
                before, after = what(base.result()), what(changed.result())
            except (RuntimeError, KeyError) as error:
                problems.append(f"{key}={value}: {error}")
                continue
            if not holds(after, before):
                problems.append(f"{key}={value}: {what.what} is {after}, expected {word} than {before}")
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(PARAMETERS)} keys, {len(started)} runs, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
