"""One run."""

import tempfile
from pathlib import Path
from typing import Any, Mapping, Optional, Union

from tessera import program
from tessera.config import Config
from tessera.result import Result


def run(config: Union[Config, str, Path], *parts: Union[str, Path], set: Optional[Mapping[str, Any]] = None,
        out: Union[str, Path, None] = None, progress: Union[bool, program.ProgressCallback] = False,
        wave: Union[str, Path, None] = None, timeline: Union[str, Path, None] = None,
        wave_window: str = "", wave_scope: str = "", sample: bool = False, allow_unused: bool = False) -> Result:
    """Runs one workload on one machine and returns its results.

    `config` is a Config, or names and files as Config takes them. `out` keeps the results in a folder; otherwise they
    are in the returned object alone. `progress` is True for a bar, or a function that is called with a Progress.
    `wave` (.vcd or .fst) and `timeline` (.json or .html) watch the run, in the window and the scope that are given.

    Raises ConfigError, CheckError or DeadlockError.
    """
    if isinstance(config, Config):
        arguments = (config.copy(*parts, set=set) if parts or set else config).arguments
    else:
        arguments = [str(config), *map(str, parts), *program.assignments(dict(set or {}))]
    for option, value in (("--wave", wave), ("--timeline", timeline), ("--wave-window", wave_window),
                          ("--wave-scope", wave_scope)):
        if value:
            arguments += [option, str(value)]
    if sample:
        arguments.append("--sample")
    if allow_unused:
        arguments.append("--allow-unused")
    if out is not None:
        program.call_shown(["run", *arguments, "--quiet", "--out", str(out)], progress, "run")
        return Result(out)
    with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
        program.call_shown(["run", *arguments, "--quiet", "--out", folder], progress, "run")
        return Result(folder)
