"""Many runs."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple, Union


from tessera import program
from tessera.errors import ConfigError, read_text, reason
from tessera.experiment import Experiment
from tessera.result import Result, json_of, with_units

if TYPE_CHECKING:  # imported where it is used: that takes half a second, and a run may need no table
    import pandas as pd


def _plan(path: Path) -> Tuple[str, List[Dict[str, Any]]]:
    """The experiment's name and the runs of a sweep. Raises ConfigError with the file's name."""
    plan = json_of(path)
    name, runs = plan.get("experiment"), plan.get("runs")
    fields = {"layer": str, "variant": str, "seed": int, "folder": str}
    good = isinstance(name, str) and isinstance(runs, list) and all(
        isinstance(run, dict) and isinstance(run.get("grid", {}), dict)
        and all(isinstance(run.get(field), kind) for field, kind in fields.items()) for run in runs)
    if not good:
        raise ConfigError(f"{path}: not the plan of a sweep")
    return str(name), list(runs or [])


class Sweep:
    """The results of a sweep. `Sweep(folder)` reads those that `tessera sweep` has left.

    `runs` is summary.csv, a row for each run; `varied` names its columns that are keys of the experiment's grid.
    """

    def __init__(self, folder: Union[str, Path]) -> None:
        import pandas as pd  # pylint: disable=import-outside-toplevel
        self.folder = Path(folder)
        path = self.folder / "summary.csv"
        try:
            self.runs: pd.DataFrame = with_units(pd.read_csv(path, float_precision="round_trip"))
        except OSError as error:
            raise ConfigError(f"{path}: {reason(error)} (no sweep has ended there)") from error
        except ValueError as error:
            raise ConfigError(f"{path}: {error}") from error
        self.tables: str = read_text(self.folder / "table.txt")
        self.experiment, self._planned = _plan(self.folder / "sweep.json")
        self.varied: List[str] = list(dict.fromkeys(key for run in self._planned for key in run.get("grid", {})))

    def table(self, column: str = "speedup_percent") -> pd.DataFrame:
        """Layers down, variants across, of one column of `runs`; the mean over seeds where there are several."""
        if column not in self.runs.columns:
            raise ConfigError(f"table: got '{column}', expected a column of summary.csv, one of "
                              f"{{{', '.join(self.runs.columns)}}}")
        table = self.runs.pivot_table(index="layer", columns="variant", values=column, sort=False)
        return table.reindex(columns=[name for name in self.runs["variant"].unique() if name in table.columns])

    def result(self, layer: str, variant: str, seed: Optional[int] = None) -> Result:
        """The results of one run. Raises ConfigError for one that the sweep does not have."""
        folders = {(run["layer"], run["variant"], run["seed"]): run["folder"] for run in self._planned}
        seeds = [run_seed for run_layer, run_variant, run_seed in folders if (run_layer, run_variant) == (layer, variant)]
        if not seeds:
            known = list(dict.fromkeys(f"{run_layer} {run_variant}" for run_layer, run_variant, _ in folders))
            raise ConfigError(f"result: got '{layer} {variant}', expected layer and variant, one of {{{', '.join(known)}}}")
        if seed is None and len(seeds) == 1:
            seed = seeds[0]
        if seed not in seeds:
            raise ConfigError(f"result: got seed={seed}, expected one of {{{', '.join(map(str, seeds))}}}")
        return Result(self.folder / folders[layer, variant, seed])

    def __repr__(self) -> str:
        return f"<Sweep {self.folder}: {len(self.runs)} runs>"

    def _repr_html_(self) -> str:
        return str(self.runs._repr_html_())


def sweep(experiment: Union[str, Path, Experiment], *, out: Union[str, Path, None] = None, jobs: Optional[int] = None,
          set: Optional[Mapping[str, Any]] = None, progress: Union[bool, program.ProgressCallback] = True,
          backend: str = "local", backend_options: Optional[Mapping[str, Any]] = None, keep: bool = False,
          allow_unused: bool = False) -> Sweep:
    """Runs all layers and variants of an experiment, `jobs` processes at a time, and returns the results.

    `experiment` is a file, the short name of a shipped one, or an Experiment. Results go to `out`, by default
    results/NAME. Runs that are there already are not run again, so that a sweep that was interrupted goes on.
    `backend` says where: "local", "slurm" or "parallel" (docs/clusters.md), and `backend_options` are its options by
    the names they have on the command line, as {"partition": "long", "pack": 10}; a list gives an option several times.
    `progress` is True for a bar, False for none, or a function that is called with a Progress for each run.

    Raises ConfigError before anything runs if anything is wrong, and CheckError if runs failed; what did not fail is
    in the folder, and `Sweep(folder)` reads it.
    """
    sets: Dict[str, Any] = dict(set or {})
    options = program.assignments(sets) + ["--backend", backend]
    for option, value in dict(backend_options or {}).items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            options += [f"--{option}", str(one)]
    if jobs is not None:
        options += ["--jobs", str(jobs)]
    if keep:
        options.append("--keep")
    if allow_unused:
        options.append("--allow-unused")
    name = experiment.name if isinstance(experiment, Experiment) else Path(experiment).stem
    folder = Path(out) if out is not None else Path("results") / name
    options += ["--out", str(folder)]
    if isinstance(experiment, Experiment):
        # Beside the working directory's other files, since paths in it are relative to it.
        try:
            handle, path = tempfile.mkstemp(prefix=f".{name}-", suffix=".yaml", dir=os.getcwd(), text=True)
        except (OSError, ValueError) as error:
            raise ConfigError(f"name: got {name[:60]!r}, expected one that a file can have ({reason(error)})") from error
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(experiment.to_yaml())
            program.call_shown(["sweep", path, *options], progress, name)
        finally:
            os.unlink(path)
    else:
        program.call_shown(["sweep", str(experiment), *options], progress, name)
    return Sweep(folder)
