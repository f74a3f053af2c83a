"""Whole networks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Union

from tessera import program
from tessera.config import Config
from tessera.errors import ConfigError, reason
from tessera.result import Result, json_of, with_units

if TYPE_CHECKING:  # imported where it is used: that takes half a second, and a call may need no table
    import pandas as pd


def machine_argument(machine: Union[str, Path, Config]) -> str:
    """A machine or a mechanism as `tessera network` takes it: names and keys with commas between."""
    if not isinstance(machine, Config):
        return str(machine)
    parts = [*machine.parts, *(f"{key}={program.as_text(value)}" for key, value in machine.changes.items())]
    for part in parts:
        if "," in part:
            raise ConfigError(f"network: got {part!r}, expected a name or a key without a comma; a YAML file may hold it")
    return ",".join(parts)


class Network:
    """The results of a network. `Network(folder)` reads those that `tessera network` has left.

    `docs/networks.md` explains the numbers. Tables carry their units in `attrs["units"]`.
    """

    def __init__(self, folder: Union[str, Path]) -> None:
        import pandas as pd  # pylint: disable=import-outside-toplevel
        self.folder = Path(folder)
        path = self.folder / "network.json"
        try:
            exists = path.exists()
        except (OSError, ValueError) as error:
            raise ConfigError(f"{path}: {reason(error)}") from error
        if not exists:
            raise ConfigError(f"{path}: No such file or directory (no network has ended there)")
        self.text: str = program.call(["report", str(self.folder)])  # checks network.json
        self.data: Dict[str, Any] = json_of(path)
        try:
            rows = pd.read_csv(self.folder / "network.csv", float_precision="round_trip")
        except (OSError, ValueError) as error:
            raise ConfigError(f"{self.folder / 'network.csv'}: {reason(error)}") from error
        rows.insert(rows.columns.get_loc("cycles"), "us", rows["cycles"] / self.core_clock_mhz)
        self.layers: pd.DataFrame = with_units(rows)
        self.layers.attrs["units"].update(
            {"flop": "FLOP", "half_width": "cycles", "speedup": "x", "speedup_half_width": "x", "speedup_same_launches": "x"})

    @property
    def name(self) -> str:
        """The network's name: that of its file without the ending."""
        return str(self.data["network"])

    @property
    def core_clock_mhz(self) -> float:
        """Core clock of the machine alone, in which cycles become time."""
        return float(self.data["core_clock_mhz"])

    @property
    def page(self) -> Path:
        """The page of the network."""
        return self.folder / "network.html"

    @property
    def variants(self) -> pd.DataFrame:
        """A row for the machine alone and for each mechanism: time of all layers, and times as fast as the machine alone."""
        import pandas as pd  # pylint: disable=import-outside-toplevel
        rows = [{key: value for key, value in one.items() if key not in ("configs", "sets")} for one in self.data["variants"]]
        table = pd.DataFrame(rows).set_index("name")
        table.insert(0, "us", table["cycles"] / self.core_clock_mhz)
        table = with_units(table)
        units = table.attrs["units"]
        units.update({name: "x" for name in table.columns if str(name).startswith("speedup")})
        units.update({name: "cycles" for name in table.columns if str(name).startswith("cycles")})
        return table

    def table(self, column: str = "us") -> pd.DataFrame:
        """Layers down, the machine and its mechanisms across, of one column of `layers`."""
        if column not in self.layers.columns:
            raise ConfigError(f"table: got '{column}', expected a column of network.csv, one of "
                              f"{{{', '.join(self.layers.columns)}}}")
        table = self.layers.pivot(index="layer", columns="variant", values=column)
        table = table.reindex(index=self.layers["layer"].unique(), columns=self.layers["variant"].unique())
        unit = self.layers.attrs["units"].get(column)
        table.attrs["units"] = {name: unit for name in table.columns} if unit else {}
        return table

    @property
    def not_simulated(self) -> pd.DataFrame:
        """The nodes that `skip_unsupported` left out, with their share of the network's FLOP and the reason."""
        import pandas as pd  # pylint: disable=import-outside-toplevel
        columns = ["node", "operator", "flop", "percent_of_flop", "reason"]
        table = pd.DataFrame(self.data.get("not_simulated", []), columns=columns)
        table.attrs["units"] = {"flop": "FLOP", "percent_of_flop": "%"}
        return table

    def result(self, layer: str, variant: str = "", seed: int = 0) -> Result:
        """The run that a layer's time is of; `seed` counts from 0 where there are several. Raises ConfigError for another.

        A layer that a mechanism has no kernel for runs as on the machine alone.
        """
        layers = {one["name"]: one for one in self.data["layers"]}
        if layer not in layers:
            raise ConfigError(f"result: got layer '{layer}', expected one of {{{', '.join(layers)}}}")
        runs: Dict[str, List[str]] = {time["variant"]: time["runs"] for time in layers[layer]["times"]}
        wanted = variant or next(iter(runs))
        if wanted not in runs:
            raise ConfigError(f"result: got '{variant}', expected one of {{{', '.join(runs)}}}")
        if not 0 <= seed < len(runs[wanted]):
            raise ConfigError(f"result: got seed {seed}, expected 0 to {len(runs[wanted]) - 1}")
        return Result(self.folder / runs[wanted][seed])

    def __repr__(self) -> str:
        return f"<Network {self.name}: {self.layers['layer'].nunique()} layers on {', '.join(self.variants.index)}>"

    def _repr_html_(self) -> str:
        return str(self.variants._repr_html_())


def network(model: Union[str, Path], machine: Union[str, Path, Config], *mechanisms: Union[str, Path, Config],
            set: Optional[Mapping[str, Any]] = None, dims: Optional[Mapping[str, int]] = None,
            inputs: Optional[Mapping[str, Union[str, Path]]] = None, prune: str = "none", fuse: bool = True,
            skip_unsupported: bool = False, sample: bool = False, seeds: Optional[int] = None,
            out: Union[str, Path, None] = None, jobs: Optional[int] = None, keep: bool = False,
            progress: Union[bool, program.ProgressCallback] = True) -> Network:
    """Runs every layer of a network on a machine and with mechanisms, and returns times and speedups.

    `model` is an .onnx file or a network in YAML. `machine` and each of the `mechanisms` are a configuration, several
    and keys with commas ("v100,gpu.sms=2"), or a Config. `set` has keys of every run. `dims` has the sizes of sides
    that a model leaves open, `inputs` files of its inputs (.npy or .pb). `prune` makes weights zero ("0.8" or "2:4"),
    `fuse=False` leaves activations nodes of their own, `sample` simulates some waves of the CTAs of large kernels.
    `skip_unsupported` leaves out nodes that no kernel computes. `seeds` runs every layer so many times.
    Results go to `out`, by default results/NAME, and what is there is not run again. `progress` is True for a bar,
    False for none, or a function that is called with a Progress for each run.

    Raises ConfigError before anything runs if anything is wrong, and CheckError if runs failed.
    """
    arguments = ["network", str(model), machine_argument(machine), *map(machine_argument, mechanisms),
                 *program.assignments(dict(set or {}))]
    for name, size in dict(dims or {}).items():
        arguments += ["--dim", f"{name}={size}"]
    for name, file in dict(inputs or {}).items():
        arguments += ["--input", f"{name}={file}"]
    if prune != "none":
        arguments += ["--prune", prune]
    folder = Path(out) if out is not None else Path("results") / Path(model).stem
    arguments += program.options({"--no-fuse": not fuse, "--skip-unsupported": skip_unsupported, "--sample": sample,
                                  "--seeds": seeds, "--jobs": jobs, "--keep": keep, "--out": folder})
    program.call_shown(arguments, progress, Path(model).stem)
    return Network(folder)

