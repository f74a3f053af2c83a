"""Two runs side by side."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Union

from tessera import program
from tessera.result import Result, unit_of

if TYPE_CHECKING:  # imported where it is used: that takes half a second, and a call may need no table
    import pandas as pd


class Comparison:
    """Two runs: the settings and the results that differ. `data` has all of it as the program says it."""

    def __init__(self, data: Dict[str, Any]) -> None:
        self.data = data

    @property
    def equal(self) -> bool:
        """Whether the results are equal but for the program that made them."""
        return bool(self.data["equal"])

    @property
    def sentences(self) -> List[str]:
        """Changes at each kernel, with the cause where a unit bounds the slower run."""
        return list(self.data["sentences"])

    @property
    def failed(self) -> List[str]:
        """Notes on runs that failed checks; empty if neither did."""
        return list(self.data["failed"])

    @property
    def settings(self) -> pd.DataFrame:
        """The keys that differ, with the value of either run."""
        import pandas as pd  # pylint: disable=import-outside-toplevel
        return pd.DataFrame(self.data["settings"], columns=["key", "a", "b"]).set_index("key")

    @property
    def metrics(self) -> pd.DataFrame:
        """All key figures of both runs with the change in percent; `attrs["units"]` has the unit of each row."""
        return self._numbers("metrics")

    @property
    def statistics(self) -> pd.DataFrame:
        """The statistics that differ, the largest relative difference first, those of one run last."""
        return self._numbers("statistics")

    @property
    def attribution(self) -> Optional[pd.DataFrame]:
        """The effect of each setting on the time of all kernels, alone and on top of the others; None if it was not asked for.

        `attrs["units"]` says whether times are cycles or ns. An effect whose machine could not run is missing.
        """
        import pandas as pd  # pylint: disable=import-outside-toplevel
        found = self.data.get("attribution")
        if found is None:
            return None
        times = ["alone", "on_top", "with_others"]
        table = pd.DataFrame(found["settings"], columns=["key", "a", "b", *times]).set_index("key")
        table = table.astype({name: float for name in times})
        table.attrs["units"] = {name: found["unit"] for name in times}
        return table

    @property
    def verdict(self) -> str:
        """Which setting did most of it, in words; empty without attribution or where one setting differs."""
        return str(self.data.get("attribution", {}).get("verdict", ""))

    def _numbers(self, which: str) -> pd.DataFrame:
        import pandas as pd  # pylint: disable=import-outside-toplevel
        columns = ["name", "a", "b", "change_percent"]
        table = pd.DataFrame(self.data[which], columns=columns).set_index("name").astype(float)
        table.attrs["units"] = {name: unit_of(str(name)) for name in table.index if unit_of(str(name))}
        return table

    def __repr__(self) -> str:
        return f"<Comparison: {len(self.data['settings'])} settings and {len(self.data['statistics'])} statistics differ>"

    def _repr_html_(self) -> str:
        return str(self.metrics._repr_html_())


def compare(a: Union[Result, str, Path], b: Union[Result, str, Path], *, attribute: bool = False,
            attribute_limit: Optional[int] = None, html: Union[str, Path, None] = None,
            out: Union[str, Path, None] = None, jobs: Optional[int] = None, keep: bool = False,
            progress: Union[bool, program.ProgressCallback] = False) -> Comparison:
    """Compares two runs: Results, or folders that runs have left.

    With `attribute` the machines between the two are run, one setting changed in each, into `out` (by default
    results/attribution), `jobs` at a time, for at most `attribute_limit` settings. `html` also writes the page.
    `progress` is that of these runs: True for a bar, or a function that is called with a Progress.

    Raises ConfigError for what is no result, and CheckError if runs of `attribute` failed.
    """
    with contextlib.ExitStack() as stack:
        paths = [str(stack.enter_context(one.as_file()) if isinstance(one, Result) else one) for one in (a, b)]
        arguments = ["compare", *paths, "--json", *program.options(
            {"--attribute": attribute, "--attribute-limit": attribute_limit, "--html": html, "--out": out,
             "--jobs": jobs, "--keep": keep})]
        said = program.call_shown(arguments, progress if attribute else False, "attribution")
    data = json.loads(said)
    for side, one in (("a", a), ("b", b)):
        if isinstance(one, Result):
            del data[side]  # a file that is gone
    return Comparison(data)
