"""Times measured on a card beside the model's."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Union

from tessera import program
from tessera.config import Config
from tessera.errors import ConfigError
from tessera.result import json_of, with_units

if TYPE_CHECKING:  # imported where it is used: that takes half a second, and a call may need no table
    import pandas as pd


class Correlation:
    """Rows of a table of times with the model's. `Correlation(folder)` reads those that `tessera correlate` has left."""

    def __init__(self, folder: Union[str, Path]) -> None:
        self.folder = Path(folder)
        path = self.folder / "correlation.json"
        self.data: Dict[str, Any] = json_of(path)
        if not isinstance(self.data.get("rows"), list):
            raise ConfigError(f"{path}: not the rows of tessera correlate")

    @property
    def rows(self) -> pd.DataFrame:
        """A row for each of the table: time on the card and in the model in microseconds, and the model's error."""
        import pandas as pd  # pylint: disable=import-outside-toplevel
        return with_units(pd.DataFrame(self.data["rows"], columns=["line", "name", "set", "card_us", "model_us", "error_percent"]))

    @property
    def agreement(self) -> pd.Series:
        """Errors and coefficients over all rows that ran; `attrs["units"]` has their units."""
        import pandas as pd  # pylint: disable=import-outside-toplevel
        series = pd.Series({key: value for key, value in self.data.items() if isinstance(value, (int, float)) and key != "every"})
        series.attrs["units"] = {"mean_absolute_error_percent": "%"}
        return series

    @property
    def page(self) -> Path:
        """The page with the chart."""
        return self.folder / "correlation.html"

    def __repr__(self) -> str:
        return f"<Correlation: {len(self.data['rows'])} rows, mean absolute error {self.agreement['mean_absolute_error_percent']:.1f} %>"

    def _repr_html_(self) -> str:
        return str(self.rows._repr_html_())


def correlate(table: Union[str, Path, pd.DataFrame], *configs: Union[str, Path, Config],
              set: Optional[Mapping[str, Any]] = None, columns: Optional[Mapping[str, str]] = None,
              ignore: Sequence[str] = (), time: str = "", every: Optional[int] = None, within: Optional[float] = None,
              sample: bool = False, allow_unused: bool = False, out: Union[str, Path, None] = None,
              jobs: Optional[int] = None, keep: bool = False,
              progress: Union[bool, program.ProgressCallback] = True) -> Correlation:
    """Runs each row of a table of measured times, and returns the model's times beside them.

    `table` is a CSV file or a DataFrame, with a name, a time whose column ends in its unit (`milliseconds`,
    `forward_ms`), sides of products or layers, and keys of configurations (docs/machine.md). `configs` are names,
    files or Configs. `columns` says which key a column of another name sets, `ignore` which columns set nothing, and
    `time` which column has the times. `every` takes the first of each so many rows. Results go to `out`, by default
    results/correlation, and what is there is not run again. `progress` is True for a bar, False for none, or a
    function that is called with a Progress for each run.

    Raises ConfigError before anything runs if anything is wrong, and CheckError if runs failed or the mean absolute
    error is above `within` percent; what did run is in the folder, and `Correlation(folder)` reads it.
    """
    arguments: List[str] = []
    for config in configs:
        arguments += config.arguments if isinstance(config, Config) else [str(config)]
    arguments += program.assignments(dict(set or {}))
    folder = Path(out) if out is not None else Path("results") / "correlation"
    arguments += program.options(
        {"--column": [f"{name}={key}" for name, key in dict(columns or {}).items()], "--ignore": list(ignore),
         "--time": time or None, "--every": every, "--within": within, "--sample": sample,
         "--allow-unused": allow_unused, "--jobs": jobs, "--keep": keep, "--out": folder})
    if isinstance(table, (str, Path)):
        program.call_shown(["correlate", str(table), *arguments], progress, "correlation")
        return Correlation(folder)
    with tempfile.TemporaryDirectory(prefix="tessera-") as temporary:
        path = Path(temporary) / "table.csv"
        table.to_csv(path, index=False)
        program.call_shown(["correlate", str(path), *arguments], progress, "correlation")
    return Correlation(folder)
