"""What can go wrong, one class for each exit code of the program."""

from typing import Dict, Type


class TesseraError(Exception):
    """The program ended with an error; its message is the program's own."""


class ConfigError(TesseraError, ValueError):
    """Wrong input: an unknown key, a value out of range, a file that is not there (exit code 2)."""


class CheckError(TesseraError):
    """The run ended, and a check of its results failed (exit code 1)."""


class DeadlockError(TesseraError):
    """The machine deadlocked; the message says who waits for whom (exit code 3)."""


BY_EXIT_CODE: Dict[int, Type[TesseraError]] = {1: CheckError, 2: ConfigError, 3: DeadlockError}
