#!/usr/bin/python3
"""Does every valid configuration run? Draws small machines with small workloads of every kind, all mechanisms and
both levels of timing, from what `tessera config --list` says is allowed, and runs them: each must end well, or be
refused with exit code 2 and one line. What ends otherwise is shrunk and printed as a command.

Usage: random_configs.py TESSERA [--count N] [--seed S] [--only I] [--threads N] [--refusals]
  --count N     configurations (default 200)
  --seed S      of all that is drawn (default 1); configuration I of seed S is always the same
  --only I      print configuration I as a command and run it alone
  --threads N   each as several threads can simulate it, and what ends well once more with host.threads N: it must
                write the same files
  --refusals    print every refusal
"""

import argparse
import concurrent.futures
import math
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile

from random_configuration import Configuration, Machines, listed_keys

TIMEOUT_SECONDS = 120
# Minimum share of draws that must end well, so that the test covers runs and not only refusals. With few draws the
# bound is three standard deviations lower, as fewer may be chance.
LEAST_GOOD_PERCENT = 70


def least_good(draws):
    share = LEAST_GOOD_PERCENT / 100
    return draws * share - 3 * math.sqrt(draws * share * (1 - share))


def files_in(folder):
    """The bytes of all files of a run that hang on its configuration alone."""
    found = {}
    for name in os.listdir(folder):
        if name not in ("host.json", "log.txt"):
            with open(os.path.join(folder, name), "rb") as handle:
                found[name] = handle.read()
    return found


class Runner:
    def __init__(self, tessera, threads=None):
        self.tessera, self.threads = tessera, threads
        usage = subprocess.run([tessera, "run", "--help"], capture_output=True, text=True, check=True).stdout
        self.allow_unused = ["--allow-unused"] if "--allow-unused" in usage else []

    def command(self, arguments, allow_unused):
        return [self.tessera, "run", "-q", *(self.allow_unused if allow_unused else []), *arguments]

    def run(self, command):
        """Outcome of a command ("good", "refused", or the error) and its last words."""
        if self.threads is None:
            return self.run_once(command)
        with tempfile.TemporaryDirectory() as folder:
            written = []
            for threads in (1, self.threads):
                out = os.path.join(folder, str(threads))
                threaded = ["--out", out, "--set", f"host.threads={threads}", "--set", "logging.level=warn"]
                outcome = self.run_once([*command, *threaded], env={**os.environ, "TESSERA_TAKE_ALL_TURNS": "1"})
                if outcome[0] != "good":
                    return outcome
                written.append(files_in(out))
            wrong = sorted(name for name in {*written[0], *written[1]} if written[0].get(name) != written[1].get(name))
        return (f"{self.threads} threads write other files", " ".join(wrong)) if wrong else ("good", "")

    @staticmethod
    def run_once(command, **more):
        try:
            process = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False,
                                     timeout=TIMEOUT_SECONDS, stdin=subprocess.DEVNULL, **more)
        except subprocess.TimeoutExpired:
            return f"no end within {TIMEOUT_SECONDS} s", ""
        lines = [line for line in process.stderr.splitlines() if not re.match(r"\[\w+\] warning: ", line)]
        if process.returncode == 0 and process.stdout == "":
            return "good", ""
        if process.returncode == 2 and len(lines) == 1 and process.stdout == "":
            return "refused", lines[0]
        return f"exit code {process.returncode}, {len(lines)} lines on standard error", "\n".join(lines[:8])

    def shrink(self, arguments, allow_unused, outcome):
        """Takes away settings for as long as the run ends as it did."""
        pairs = [arguments[i:i + 2] for i in range(len(arguments) % 2, len(arguments), 2)]
        base = arguments[:len(arguments) % 2]
        step = max(1, len(pairs) // 2)
        while step and not outcome.startswith("no end"):
            at = 0
            while at < len(pairs):
                fewer = pairs[:at] + pairs[at + step:]
                tried = self.command(base + sum(fewer, []), allow_unused)
                if self.run(tried)[0] == outcome:
                    pairs = fewer
                else:
                    at += step
            step //= 2
        return base + sum(pairs, [])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tessera")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--refusals", action="store_true")
    options = parser.parse_args()
    tessera = os.path.abspath(options.tessera)
    keys, machines, runner = listed_keys(tessera), Machines(tessera), Runner(tessera, options.threads)
    has_rtl = "no blocks" not in subprocess.run([tessera, "cosim", "--list"], capture_output=True, text=True,
                                                check=True).stdout
    numbers = range(options.count) if options.only is None else [options.only]
    drawn = [Configuration(keys, machines, random.Random(f"{options.seed}/{n}"), has_rtl) for n in numbers]
    for configuration in drawn if options.threads is not None else ():
        configuration.run_on_threads()
    commands = [runner.command(c.arguments(), c.allow_unused) for c in drawn]
    print(f"{len(commands)} configurations, seed {options.seed}", flush=True)
    if options.only is not None:
        print(shlex.join(commands[0]))
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        outcomes = list(pool.map(runner.run, commands))

    bad = 0
    for number, configuration, (outcome, words) in zip(numbers, drawn, outcomes):
        if outcome == "refused" and options.refusals:
            print(f"{number}: {words}")
        if outcome in ("good", "refused"):
            continue
        bad += 1
        arguments = runner.shrink(configuration.arguments(), configuration.allow_unused, outcome)
        print(f"configuration {number} of seed {options.seed}: {outcome}\n{words}\n  again: "
              f"{shlex.join(runner.command(arguments, configuration.allow_unused))}", file=sys.stderr, flush=True)
    good = sum(outcome == "good" for outcome, _ in outcomes)
    percent = 100 * good / len(outcomes)
    print(f"{good} ended well ({percent:.0f} %), {len(outcomes) - good - bad} were refused, {bad} did neither")
    if options.only is None and good < least_good(len(outcomes)):
        print(f"expected {LEAST_GOOD_PERCENT} % to end well, and {least_good(len(outcomes)):.0f} at least: what is drawn, or "
              "what is refused, has changed", file=sys.stderr)
        return 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
