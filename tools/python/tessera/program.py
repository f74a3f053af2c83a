"""The tessera program: where it is, and how it is called."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from tessera.errors import BY_EXIT_CODE, ConfigError, TesseraError, reason

INTERRUPTED = 130  # exit code of the program


@dataclass(frozen=True)
class Progress:
    """How far a run or a sweep is.

    `done` of `total` are CTAs of `kernel` in a run, and runs in a sweep; `share` is that of all the work, 0 to 1.
    `eta_seconds` is the time left, None as long as it is not known. `details` has whatever else the program said:
    of a sweep the `layer`, `variant` and `seed` of the run that ended, and the `seconds` it took or how it `failed`.
    """

    done: int
    total: int
    share: float
    eta_seconds: Optional[float]
    kernel: str = ""
    details: Dict[str, Any] = field(default_factory=dict)


ProgressCallback = Callable[[Progress], None]


def find() -> str:
    """The path of the program. Raises ConfigError if it is nowhere."""
    named = os.environ.get("TESSERA_PROGRAM")
    if named:
        if os.access(named, os.X_OK):
            return named
        raise ConfigError(f"TESSERA_PROGRAM: got '{named}', expected a program that can be run")
    for folder in Path(os.path.abspath(__file__)).parents:
        candidate = folder / "bin" / "tessera"
        if os.access(candidate, os.X_OK) and candidate.is_file():
            return str(candidate)
    found = shutil.which("tessera")
    if found is None:
        raise ConfigError("the tessera program was not found beside this package, in TESSERA_PROGRAM or in PATH")
    return found


def as_text(value: Any) -> str:
    """A value of Python as the program reads it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(as_text(item) for item in value) + "]"
    return str(value)


def assignments(sets: Dict[str, Any]) -> List[str]:
    """The --set arguments for these keys."""
    arguments: List[str] = []
    for key, value in sets.items():
        arguments += ["--set", f"{key}={as_text(value)}"]
    return arguments


def options(values: Mapping[str, Any]) -> List[str]:
    """Options with their values; True gives the option alone, None and False leave it out, a list repeats it."""
    arguments: List[str] = []
    for option, value in values.items():
        if value is None or value is False:
            continue
        if value is True:
            arguments.append(option)
            continue
        for one in value if isinstance(value, (list, tuple)) else [value]:
            arguments += [option, str(one)]
    return arguments


def _raise(code: int, errors: str) -> None:
    if code in (INTERRUPTED, -signal.SIGINT):
        raise KeyboardInterrupt
    message = errors.strip() or f"the program ended with exit code {code} and said nothing"
    if message.startswith("tessera: "):
        message = message[len("tessera: "):]
    raise BY_EXIT_CODE.get(code, TesseraError)(message)


def _not_started(command: Sequence[str], error: Exception) -> ConfigError:
    return ConfigError(f"cannot run {command[0]} {command[1]}: {reason(error)}")


def call(arguments: Sequence[str]) -> str:
    """Calls the program; returns what it prints. Raises the error of its exit code."""
    command = [find(), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except (OSError, ValueError) as error:  # an argument too long, or with a NUL in it
        raise _not_started(command, error) from error
    if done.returncode != 0:
        _raise(done.returncode, done.stderr)
    return done.stdout


def _progress_of(said: Dict[str, Any]) -> Progress:
    known = {"done", "total", "share", "eta_seconds", "kernel"}
    total = max(said["total"], 1)
    return Progress(said["done"], said["total"], said.get("share", said["done"] / total),
                    said.get("eta_seconds") or None, said.get("kernel", ""),
                    {key: value for key, value in said.items() if key not in known})


def call_with_progress(arguments: Sequence[str], callback: ProgressCallback) -> str:
    """Same as `call`, for commands with --progress; `callback` receives each step.

    An exception of the callback, and Ctrl-C, end the program as Ctrl-C on the command line would, so that a sweep
    keeps what is done; then they go on.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as printed:
        command = [find(), *arguments, "--progress", "json"]
        try:
            started = subprocess.Popen(command, stdout=printed, stderr=subprocess.PIPE, text=True)
        except (OSError, ValueError) as error:
            raise _not_started(command, error) from error
        with started as process:
            errors: List[str] = []
            try:
                assert process.stderr is not None
                for line in process.stderr:
                    if line.startswith("{"):
                        callback(_progress_of(json.loads(line)))
                    else:
                        errors.append(line)
            except BaseException:
                process.send_signal(signal.SIGINT)
                process.communicate()
                raise
            code = process.wait()
        if code != 0:
            _raise(code, "".join(errors))
        printed.seek(0)
        return printed.read()


class _Bar:
    """A bar of tqdm, where that is there, and otherwise a line that is drawn over."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._bar: Any = None
        try:
            from tqdm.auto import tqdm
            self._tqdm: Any = tqdm
        except ImportError:
            self._tqdm = None

    def show(self, progress: Progress) -> None:
        what = progress.kernel or self._what
        if self._tqdm is None:
            left = "" if progress.eta_seconds is None else f", {progress.eta_seconds:.0f} s left"
            print(f"\r{what}: {100 * progress.share:.0f} %{left} ", end="", file=sys.stderr, flush=True)
            self._bar = True
            return
        if self._bar is None:
            self._bar = self._tqdm(total=100, desc=self._what, bar_format="{desc}: {percentage:3.0f} % |{bar}| {postfix}")
        self._bar.n = round(100 * progress.share)
        left = "" if progress.eta_seconds is None else f"{progress.eta_seconds:.0f} s left"
        self._bar.set_postfix_str(left)

    def close(self) -> None:
        if self._tqdm is None:
            if self._bar:
                print(file=sys.stderr)
        elif self._bar is not None:
            self._bar.close()


def call_shown(arguments: Sequence[str], progress: Union[bool, ProgressCallback], what: str) -> str:
    """Calls a command with --progress: True draws a bar, a callback is called, False shows nothing."""
    if progress is False:
        return call(arguments)
    if progress is not True:
        return call_with_progress(arguments, progress)
    bar = _Bar(what)
    try:
        return call_with_progress(arguments, bar.show)
    finally:
        bar.close()


def version() -> str:
    """The program's version and revision, as it prints them."""
    return call(["--version"]).strip()
