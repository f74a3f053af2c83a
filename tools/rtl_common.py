"""Shared by the tools/rtl_* scripts: the blocks of rtl/, programs they need, tables, exit codes."""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class UserError(Exception):
    """One line for the user, exit code 2."""


class Block:
    """A tessera_rtl_block() of rtl/*/CMakeLists.txt. `sources` are absolute paths, packages first."""

    def __init__(self, entry):
        self.name = entry["name"]
        self.top = entry["top"]
        self.folder = os.path.realpath(entry["folder"])
        self.sources = [os.path.realpath(source) for source in entry["sources"]]
        self.parameters = dict(word[2:].split("=", 1) for word in entry["args"] if word.startswith("-G"))
        self.own_sources = []  # the others belong to another block, which reports on them

    def packages(self):
        """The sources that hold constants, types and functions only."""
        return [source for source in self.sources if source.endswith("_pkg.sv")]


def rtl_blocks():
    """All blocks by name. A file belongs to the first block listed in the file's own folder."""
    require("cmake")
    with tempfile.TemporaryDirectory() as scratch:
        listing = os.path.join(scratch, "blocks")
        run_checked(["cmake", f"-DOUTPUT={listing}", "-P", os.path.join(ROOT, "cmake/TesseraListRtl.cmake")])
        with open(listing, encoding="utf-8") as handle:
            blocks = [Block(json.loads(line)) for line in handle]
    owned = set()
    for block in blocks:
        block.own_sources = [source for source in block.sources
                             if os.path.dirname(source) == block.folder and source not in owned]
        owned.update(block.own_sources)
    return {block.name: block for block in blocks}


def chosen_blocks(names):
    """The named blocks, or all of them."""
    blocks = rtl_blocks()
    for name in names:
        if name not in blocks:
            raise UserError(f"got block '{name}', expected one of {{{', '.join(blocks)}}}")
    return [blocks[name] for name in names or blocks]


def require(*programs):
    """Stops with one line if a program is not installed."""
    for program in programs:
        if shutil.which(program) is None:
            raise UserError(f"{program} is missing; run tools/setup")


def read_yaml(path, default):
    """The content of a YAML file, `default` if there is no such file."""
    try:
        with open(path, encoding="utf-8") as handle:
            content = yaml.safe_load(handle)
    except FileNotFoundError:
        return default
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise UserError(f"{relative(path)}{where}: {getattr(error, 'problem', 'not YAML')}") from None
    return default if content is None else content


def check_entries(path, entries, required, optional=()):
    """A list of maps with the known keys only."""
    if not isinstance(entries, list):
        raise UserError(f"{relative(path)}: expected a list")
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict):
            raise UserError(f"{relative(path)}: entry {number}: expected a map")
        for key in required:
            if key not in entry:
                raise UserError(f"{relative(path)}: entry {number}: '{key}' is missing")
        for key in entry:
            if key not in required and key not in optional:
                raise UserError(f"{relative(path)}: entry {number}: got key '{key}', expected one of "
                                f"{{{', '.join([*required, *optional])}}}")
    return entries


def relative(path):
    """A path relative to the project's root."""
    return os.path.relpath(os.path.realpath(path), ROOT)


class Stopped(BaseException):
    """A signal ends the tool, and with it the commands that it runs."""

    def __init__(self, number):
        super().__init__(number)
        self.number = number


class Children:
    """Commands under way. Each has a process group of its own: a solver that it started ends with it."""

    running = set()
    lock = threading.RLock()  # the handler may come while its own thread has it
    stopped_by = 0  # signal

    @classmethod
    def run(cls, command, timeout=None, **options):
        """(exit code or None after `timeout` seconds, standard output) of a command."""
        with cls.lock:
            if cls.stopped_by:
                raise Stopped(cls.stopped_by)
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, **options)
            cls.running.add(process)
        try:
            output, _ = process.communicate(timeout=timeout)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            return None, ""
        finally:
            if process.poll() is None:
                cls.kill(process)
                process.wait()
            with cls.lock:
                cls.running.discard(process)

    @staticmethod
    def kill(process):
        """Ends a command and what it started."""
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # has just ended

    @classmethod
    def stop(cls, number, _frame):
        """Handler of a signal: ends all commands, those of other threads, too, and the tool."""
        for each in ENDING_SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        with cls.lock:
            cls.stopped_by = number
            for process in cls.running:
                cls.kill(process)  # and no more: somebody is waiting for it already
        raise Stopped(number)


ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_logged(command, log, timeout=None, cwd=ROOT, append=False):
    """Exit code of a command whose output goes to a file; None after `timeout` seconds."""
    with open(log, "a" if append else "w", encoding="utf-8") as handle:
        return Children.run(command, timeout, stdout=handle, stderr=subprocess.STDOUT, cwd=cwd)[0]


def reason_in(log):
    """The first line of a log file that says error, or its last line."""
    with open(log, encoding="utf-8", errors="replace") as handle:
        lines = [line.strip() for line in handle if line.strip()]
    errors = [line for line in lines if re.search(r"\berror\b.*?: ", line, re.IGNORECASE) and " -o " not in line]
    return (errors or lines[-1:] or ["no output"])[0]


def run_checked(command, cwd=ROOT):
    """Output of a command that must succeed."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        code, output = Children.run(command, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=cwd)
        errors.seek(0)
        lines = (errors.read() or output).strip().splitlines() or ["no output"]
    if code != 0:
        raise UserError(f"{' '.join(command[:3])} ... failed: {lines[-1]}")
    return output


def run_yosys(script, log, cwd=ROOT):
    """Runs a yosys script (a list of commands); a failure is the project's fault and names the log."""
    text = "\n".join(script) + "\n"
    with open(log + ".ys", "w", encoding="utf-8") as handle:
        handle.write(text)
    if run_logged(["yosys", "-Q", "-T", "-s", log + ".ys"], log, cwd=cwd) != 0:
        raise UserError(f"yosys failed: {reason_in(log)} (whole log: {log})")


def build_tessera(preset, log, jobs, definitions=()):
    """Configures and builds the tessera program of a preset; its path."""
    require("cmake", "ninja", "verilator")
    configure = ["cmake", "--preset", preset, "-DTESSERA_RTL_SECOND_SETS=OFF",
                 *(f"-D{name}={value}" for name, value in definitions)]
    build = ["cmake", "--build", f"build/{preset}", "--target", "tessera", "--parallel", str(jobs)]
    for number, command in enumerate([configure, build]):
        if run_logged(command, log, append=number > 0) != 0:
            raise UserError(f"the build of preset {preset} failed: {reason_in(log)} (whole log: {log})")
    return os.path.join(ROOT, "build", preset, "bin", "tessera")


def say(text):
    """A line of progress."""
    print(f"== {text}", flush=True)


def table(header, rows):
    """A Markdown table; all columns but the first are numbers."""
    lines = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    text = []
    for number, line in enumerate(lines):
        cells = [cell.ljust(width) if column == 0 else cell.rjust(width)
                 for column, (cell, width) in enumerate(zip(line, widths))]
        text.append(f"| {' | '.join(cells)} |")
        if number == 0:
            rules = ["-" * width if column == 0 else "-" * (width - 1) + ":"
                     for column, width in enumerate(widths)]
            text.append(f"| {' | '.join(rules)} |")
    return "\n".join(text)


def write_rows(path, rows, *key):
    """Puts rows (maps) into a JSON file; rows of earlier runs with other values of `key` stay in it."""
    os.makedirs(os.path.dirname(path), exist_ok=True)

    def identity(row):
        return [row.get(name) for name in key]

    try:
        with open(path, encoding="utf-8") as handle:
            earlier = json.load(handle)
    except (FileNotFoundError, json.JSONDecodeError):
        earlier = []
    if not isinstance(earlier, list):
        earlier = []
    new = [identity(row) for row in rows]
    kept = [row for row in earlier if identity(row) not in new]
    with open(path, "w", encoding="utf-8") as handle:
        json.dump(sorted([*kept, *rows], key=identity), handle, indent=2)
        handle.write("\n")
    say(f"wrote {relative(path)}")


class Parser(argparse.ArgumentParser):
    """Mistakes on the command line in one line."""

    def error(self, message):
        raise UserError(f"{message} (try --help)")


def parser(description):
    """With the arguments that all tools/rtl_* have."""
    made = Parser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("blocks", metavar="BLOCK", nargs="*", help="names of blocks; all if none is given")
    made.add_argument("--out", metavar="DIR", default=os.path.join(ROOT, "results"),
                      help="where the report goes (default results/)")
    return made


def count(text):
    """An argument that is a number of at least 1."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"got '{text}', expected a whole number of at least 1")
    return value


def main(entry):
    """Runs `entry` (it returns the exit code) with the exit codes of the project."""
    for number in ENDING_SIGNALS:
        signal.signal(number, Children.stop)
    try:
        code = entry()
    except UserError as error:
        print(f"{os.path.basename(sys.argv[0])}: {error}", file=sys.stderr)
        code = 2
    except Stopped as stopped:
        code = 128 + stopped.number
    sys.exit(code)
