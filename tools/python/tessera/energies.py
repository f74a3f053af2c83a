"""Energy of runs, sweeps and networks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Union

from tessera import program
from tessera.networks import Network
from tessera.result import Result, with_units
from tessera.sweeps import Sweep

if TYPE_CHECKING:  # imported where it is used: that takes half a second, and a call may need no table
    import pandas as pd

_RUN = ["layer", "variant", "baseline", "seed"]


class Energy:
    """The energy of a run, or of every run of a sweep or a network. `docs/energy.md` explains the numbers.

    `parts` and `totals` of a sweep or a network say in their first columns which run a row is of: layer, variant,
    baseline and seed. Energies are in microjoules, with the bounds that all prices too low or too high give.
    """

    def __init__(self, data: Dict[str, Any]) -> None:
        self.data = data
        self._runs: List[Dict[str, Any]] = data.get("runs", [{"energy": data.get("energy", {})}])

    @property
    def prices(self) -> str:
        """Name of the table of prices."""
        return str(self._runs[0]["energy"]["table"])

    @property
    def of(self) -> str:
        """The kernels that are counted: "the matrix product" or "all kernels"."""
        return str(self.data.get("of", "all kernels"))

    @property
    def parts(self) -> pd.DataFrame:
        """A row for each event of each run: part of the machine, event, count, price and energy."""
        import pandas as pd  # pylint: disable=import-outside-toplevel
        rows = [{**self._which(run), **part} for run in self._runs for part in run["energy"]["parts"]]
        return with_units(pd.DataFrame(rows))

    @property
    def totals(self) -> pd.DataFrame:
        """A row for each run: energy of everything, on the chip, and in registers, caches and mechanisms.

        `change_percent` is against the baseline's run of the same layer and seed, missing for baselines themselves.
        """
        import pandas as pd  # pylint: disable=import-outside-toplevel
        rows = []
        for run in self._runs:
            account = run["energy"]
            rows.append({**self._which(run), **account["total"], "on_chip_uj": account["on_chip"]["uj"],
                         "storage_uj": account["storage"]["uj"]})
        table = pd.DataFrame(rows)
        if "runs" in self.data:
            uj = {(row["layer"], row["variant"], row["seed"]): row["uj"] for row in rows}
            table["change_percent"] = [
                100 * (row["uj"] / base - 1) if row["variant"] != row["baseline"] and base else float("nan")
                for row in rows for base in [uj.get((row["layer"], row["baseline"], row["seed"]))]]
        return with_units(table)

    @property
    def by_part(self) -> pd.DataFrame:
        """Parts of the machine down, variants across: microjoules of all layers, the mean where there are seeds."""
        import pandas as pd  # pylint: disable=import-outside-toplevel
        parts = self.parts
        if "runs" not in self.data:
            parts = parts.assign(layer="", variant="uj", seed=0)
        order = [list(parts[name].unique()) for name in ("part", "variant")]
        sums = parts.groupby(["layer", "variant", "seed", "part"], sort=False)["uj"].sum()
        table = sums.groupby(["layer", "variant", "part"], sort=False).mean().groupby(["part", "variant"]).sum().unstack("variant")
        table = pd.DataFrame(table).reindex(index=order[0], columns=order[1]).fillna(0)
        table.attrs["units"] = {name: "uJ" for name in table.columns}
        return table

    @staticmethod
    def _which(run: Dict[str, Any]) -> Dict[str, Any]:
        return {name: run[name] for name in _RUN if name in run}

    def __repr__(self) -> str:
        return f"<Energy of {self.of}: {len(self._runs)} runs by the prices of {self.prices}>"

    def _repr_html_(self) -> str:
        return str(self.by_part._repr_html_())


def energy(results: Union[Result, Sweep, Network, str, Path], *, table: Union[str, Path, None] = None) -> Energy:
    """Prices the events of a run, a sweep or a network: an object of this package, or a folder.

    `table` has the prices: a file of configs/energy by its name, or a YAML file; those of the run if it is left out.
    Raises ConfigError for what has no account of energy.
    """
    arguments = ["--json", *program.options({"--table": table})]
    if isinstance(results, Result):
        with results.as_file() as path:
            return Energy(json.loads(program.call(["energy", str(path), *arguments])))
    path = results.folder if isinstance(results, (Sweep, Network)) else Path(results)
    return Energy(json.loads(program.call(["energy", str(path), *arguments])))
