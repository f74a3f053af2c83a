"""Experiments made in Python."""

from pathlib import Path
from typing import Any, Dict, Mapping, Optional, Sequence, Union

import yaml


class Experiment:
    """The same layers on several variants of a machine, as a YAML file would describe it (docs/experiments.md).

    `variants` maps a name to a mapping with `configs`, `set`, `grid` and `baseline`, or to a list of configurations
    for short. The first variant is what the others are compared with. `grid` lists values by key; every variant is
    run with every combination of them.

    >>> Experiment("sizes", base=["duplo_titan_v"], layers=["resnet.C2"],
    ...            variants={"baseline": ["baseline"],
    ...                      "duplo": {"configs": ["duplo_paper"], "grid": {"duplo.lhb.entries": [256, 1024]}}})
    """

    def __init__(self, name: str, *, base: Sequence[Union[str, Path]], variants: Mapping[str, Any],
                 layers: Optional[Sequence[str]] = None, networks: Optional[Sequence[str]] = None,
                 grid: Optional[Mapping[str, Sequence[Any]]] = None, seeds: Optional[Sequence[int]] = None,
                 title: str = "") -> None:
        self.name = name
        self.data: Dict[str, Any] = {"name": name}
        if title:
            self.data["title"] = title
        self.data["base"] = [str(part) for part in base]
        if layers is not None:
            self.data["layers"] = list(layers)
        if networks is not None:
            self.data["networks"] = list(networks)
        if grid is not None:
            self.data["grid"] = {key: list(values) for key, values in grid.items()}
        self.data["variants"] = {
            name: dict(body) if isinstance(body, Mapping) else {"configs": [str(part) for part in body]}
            for name, body in variants.items()}
        if seeds is not None:
            self.data["seeds"] = list(seeds)

    def to_yaml(self) -> str:
        """The experiment as the file that `tessera sweep` takes. Paths in it are relative to that file."""
        return str(yaml.safe_dump(self.data, sort_keys=False))

    def __repr__(self) -> str:
        return f"<Experiment {self.name}: {', '.join(self.data['variants'])}>"
