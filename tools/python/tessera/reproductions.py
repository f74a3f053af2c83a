"""The figures of the papers beside the model's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Optional, Sequence, Union

from tessera import program
from tessera.errors import ConfigError, read_text, reason
from tessera.result import json_of, with_units

if TYPE_CHECKING:  # imported where it is used: that takes half a second, and a call may need no table
    import pandas as pd

_COLUMNS = ["id", "what", "unit", "paper", "ours", "half_width_95_percent", "seeds", "verdict", "layers", "experiment",
            "other_reading", "repeats", "remark", "why", "see"]


class Reproduction:
    """Every figure with a verdict. `Reproduction(folder)` reads those that `tessera reproduce` has left."""

    def __init__(self, folder: Union[str, Path]) -> None:
        self.folder = Path(folder)
        path = self.folder / "reproduction.json"
        self.data: Dict[str, Any] = json_of(path)
        if not all(name in self.data for name in ("figures", "counts", "headline")):
            raise ConfigError(f"{path}: not the figures of tessera reproduce")
        self.text: str = read_text(self.folder / "table.txt")

    @property
    def figures(self) -> pd.DataFrame:
        """A row for each figure: what the paper states, ours with half of its 95 % interval, and the verdict.

        The column `unit` says what `paper`, `ours` and the half width of a row are in. A figure that is also shown
        under another reading of the paper has a second row, with `other_reading`; one that says the same as another
        names it in `repeats`. Verdicts count neither.
        """
        import pandas as pd  # pylint: disable=import-outside-toplevel
        table = pd.DataFrame([{"other_reading": False, **row} for row in self.data["figures"]])
        return table.reindex(columns=[*_COLUMNS, *(name for name in table.columns if name not in _COLUMNS)]).set_index("id")

    @property
    def verdicts(self) -> pd.Series:
        """The number of figures by verdict."""
        import pandas as pd  # pylint: disable=import-outside-toplevel
        rules = [rule["verdict"] for rule in self.data["rule"]]
        return pd.Series({name: self.data["counts"][name] for name in rules}, name="figures")

    @property
    def headline(self) -> str:
        """The outcome in one sentence."""
        return str(self.data["headline"])

    @property
    def page(self) -> Path:
        """The page of the figures."""
        return self.folder / "report.html"

    def summary(self, experiment: str) -> pd.DataFrame:
        """summary.csv of one of the experiments, a row for each run. Raises ConfigError for another."""
        import pandas as pd  # pylint: disable=import-outside-toplevel
        known = [name for name in self.figures["experiment"].dropna().unique()
                 if (self.folder / name / "summary.csv").is_file()]
        if experiment not in known:
            raise ConfigError(f"summary: got '{experiment}', expected one of {{{', '.join(known)}}}")
        path = self.folder / experiment / "summary.csv"
        try:
            return with_units(pd.read_csv(path, float_precision="round_trip"))
        except (OSError, ValueError) as error:
            raise ConfigError(f"{path}: {reason(error)}") from error

    def __repr__(self) -> str:
        return f"<Reproduction {self.folder}: {self.headline}>"

    def _repr_html_(self) -> str:
        return str(self.figures[["what", "unit", "paper", "ours", "verdict"]]._repr_html_())


def reproduce(*what: str, quick: bool = False, run: bool = True, stored: bool = False,
              seeds: Optional[int] = None, readings: Sequence[str] = (), out: Union[str, Path, None] = None,
              jobs: Optional[int] = None, keep: bool = False,
              progress: Union[bool, program.ProgressCallback] = True) -> Reproduction:
    """Runs what the papers' figures need, and returns each beside ours with a verdict.

    `what` are papers ("duplo", "dual_side", "opportunistic") or figures by id or its beginning ("D.fig9"); all if
    left out, which takes hours. `quick` takes a part of the layers and experiments. `run=False` runs nothing, and
    `stored` takes rows that were not run here from the results that the documentation shows. `seeds` are launches
    drawn for what moves by chance. `readings` are names of configs/readings, or "all". Results go to `out`, by
    default results/reproduction, and what is there is not run again. `progress` is True for a bar, False for none,
    or a function that is called with a Progress for each run.

    Raises ConfigError before anything runs if anything is wrong, and CheckError if runs failed.
    """
    folder = Path(out) if out is not None else Path("results") / "reproduction"
    arguments = ["reproduce", *what, *program.options(
        {"--quick": quick, "--no-run": not run, "--stored": stored, "--seeds": seeds, "--reading": list(readings),
         "--jobs": jobs, "--keep": keep, "--out": folder})]
    program.call_shown(arguments, progress, "reproduction")
    return Reproduction(folder)
