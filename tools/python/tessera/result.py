"""Results of a run."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Union

import yaml

from tessera import program
from tessera.errors import ConfigError, read_text

if TYPE_CHECKING:  # imported where it is used: that takes half a second, and a run may need no table
    import pandas as pd

SCHEMA_VERSION = 1

_UNITS = {"_percent": "%", "_bytes": "bytes", "_uj": "uJ", "_pj": "pJ", "_mm2": "mm^2", "_w": "W", "_mhz": "MHz", "_cycles": "cycles",
          "_us": "us"}


def unit_of(name: str) -> str:
    """The unit that a column's or a metric's name says, or nothing."""
    return next((unit for end, unit in _UNITS.items() if f"_{name}".endswith(end)), "")


def with_units(table: pd.DataFrame) -> pd.DataFrame:
    """The table with `attrs["units"]`: the unit of each column that has one."""
    units = {column: unit_of(str(column)) for column in table.columns}
    table.attrs["units"] = {column: unit for column, unit in units.items() if unit}
    return table


def is_file(path: Path) -> bool:
    """Whether there is such a file; there is none of a name that can be none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def json_of(path: Path) -> Dict[str, Any]:
    """The object in a JSON file. Raises ConfigError with the file's name."""
    text = read_text(path)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: is no JSON ({error})") from error
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: got a {type(data).__name__}, expected an object")
    return data


class Result:
    """The results of one run.

    `docs/output.md` explains every number. `Result(folder)` reads those of a run that `--out` or a sweep has left.
    """

    def __init__(self, folder: Union[str, Path]) -> None:
        folder = Path(folder)
        path = folder / "result.json"
        try:
            self.data: Dict[str, Any] = json_of(path)
        except ConfigError as error:
            raise error if is_file(path) else ConfigError(f"{error} (no run has ended there)") from error
        if self.data.get("schema_version") != SCHEMA_VERSION:
            raise ConfigError(f"{path}: got schema_version {self.data.get('schema_version')}, expected {SCHEMA_VERSION}")
        program.call(["report", str(path)])  # checks all of it
        self.summary: str = read_text(folder / "summary.txt")
        self.host: Dict[str, Any] = json_of(folder / "host.json")
        self._statistics: Dict[str, str] = {
            kernel["name"]: read_text(folder / f"{kernel['name']}.stats.csv") for kernel in self.data["kernels"]}

    @property
    def workload(self) -> str:
        """Name of the layer, the product or the trace."""
        return str(self.data["workload"])

    @property
    def cycles(self) -> int:
        """Core cycles of the last kernel, the matrix product."""
        return int(self.data["metrics"]["cycles"])

    @property
    def metrics(self) -> pd.Series:
        """The key figures by name; `attrs["units"]` has their units."""
        import pandas as pd  # pylint: disable=import-outside-toplevel
        series = pd.Series(self.data["metrics"], name=self.workload, dtype=object).infer_objects()
        series.attrs["units"] = {name: unit_of(name) for name in series.index if unit_of(name)}
        return series

    @property
    def kernels(self) -> pd.DataFrame:
        """A row for each kernel in the order of their launches."""
        import pandas as pd  # pylint: disable=import-outside-toplevel
        wanted = ["name", "cycles", "ctas", "ctas_per_sm", "occupancy_limited_by", "bound_by", "percent_of_peak"]
        rows = [{key: kernel.get(key) for key in wanted} for kernel in self.data["kernels"]]
        return with_units(pd.DataFrame(rows).set_index("name"))

    @property
    def issue_slots(self) -> pd.DataFrame:
        """For each kernel, the share of its issue slots that went to each reason; a row sums to 100 %."""
        import pandas as pd  # pylint: disable=import-outside-toplevel
        rows = {kernel["name"]: kernel["issue_slots"] for kernel in self.data["kernels"]}
        slots = pd.DataFrame.from_dict(rows, orient="index").fillna(0)
        slots = slots.drop(columns=[column for column in slots if column == "total"])
        shares = 100 * slots.div(slots.sum(axis=1), axis=0)
        shares.attrs["units"] = {column: "%" for column in shares.columns}
        return shares

    @property
    def energy(self) -> pd.DataFrame:
        """The energy of the run by event; the sum is the run's energy in microjoules."""
        import pandas as pd  # pylint: disable=import-outside-toplevel
        return with_units(pd.DataFrame(self.data.get("energy", {}).get("parts", [])))

    @property
    def mechanisms(self) -> pd.DataFrame:
        """The mechanisms that are switched on: whether each acted, and its key figure or why it had nothing to do."""
        import pandas as pd  # pylint: disable=import-outside-toplevel
        return pd.DataFrame(self.data["mechanisms"])

    @property
    def violations(self) -> List[str]:
        """Invariants that do not hold; empty if all is well."""
        return list(self.data["violations"])

    @property
    def config(self) -> Dict[str, Any]:
        """The effective configuration."""
        return dict(yaml.safe_load(self.data["config"]))

    def statistics(self, kernel: str = "") -> pd.DataFrame:
        """All statistics of a kernel, the last one if none is named: name, value, unit and meaning."""
        import pandas as pd  # pylint: disable=import-outside-toplevel
        known = list(self._statistics)
        wanted = kernel or known[-1]
        matches = [name for name in known if name == wanted or name.endswith("." + wanted)]
        if not matches:
            raise ConfigError(f"statistics: got '{kernel}', expected a kernel of this run, one of {{{', '.join(known)}}}")
        return pd.read_csv(io.StringIO(self._statistics[matches[0]]))

    @contextlib.contextmanager
    def as_file(self) -> Iterator[Path]:
        """The path of a result.json with these results, for as long as the context lasts."""
        with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
            path = Path(folder) / "result.json"
            path.write_text(json.dumps(self.data), encoding="utf-8")
            yield path

    def __repr__(self) -> str:
        return f"<Result of {self.workload}: {self.cycles} cycles>"

    def _repr_html_(self) -> str:
        return str(self.metrics.to_frame("value")._repr_html_())
