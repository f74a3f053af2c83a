"""Errors of the package, one class for each exit code of the program."""

from pathlib import Path
from typing import Dict, Type


class TesseraError(Exception):
    """The program ended with an error; its message is the program's own."""


class ConfigError(TesseraError, ValueError):
    """Wrong input: an unknown key, a value out of range, a file that is not there (exit code 2)."""


class CheckError(TesseraError):
    """The run ended, and a check of its results failed (exit code 1)."""


class DeadlockError(TesseraError):
    """The machine deadlocked; the message says who waits for whom (exit code 3)."""


def reason(error: Exception) -> str:
    """Why a file or a program could not be used: the system's reason, or Python's for a name that can be none."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def read_text(path: Path) -> str:
    """The text of a file. Raises ConfigError with its name if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {reason(error)}") from error


BY_EXIT_CODE: Dict[int, Type[TesseraError]] = {1: CheckError, 2: ConfigError, 3: DeadlockError}
