"""Configurations: names of machines, mechanisms and layers, and keys over them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple, Union

import yaml

from tessera import program

if TYPE_CHECKING:  # imported where it is used: that takes half a second, and a run may need no table
    import pandas as pd


class Config:
    """The configuration of a run.

    `parts` are short names (`duplo_titan_v`, `resnet.C2`) or paths of YAML files, in any order; `set` has keys over
    them. The program checks every change at once: a wrong one raises ConfigError and leaves the configuration as it
    was. Where two keys only make sense together, `update` takes both.

    >>> config = Config("duplo_titan_v", "duplo_paper", "resnet.C2", set={"duplo.lhb.entries": 512})
    >>> config["duplo.lhb.entries"] = 2048
    >>> config["l1.hit_latency_cycles"]
    28
    """

    def __init__(self, *parts: Union[str, Path], set: Optional[Mapping[str, Any]] = None) -> None:
        self._parts: Tuple[str, ...] = tuple(str(part) for part in parts)
        self._set: Dict[str, Any] = dict(set or {})
        self._text = self._load(self._set)

    def _load(self, sets: Mapping[str, Any]) -> str:
        return program.call(["config", *self._parts, *program.assignments(dict(sets)), "--print"])

    @property
    def arguments(self) -> List[str]:
        """The command-line arguments that select this configuration."""
        return [*self._parts, *program.assignments(self._set)]

    @property
    def parts(self) -> Tuple[str, ...]:
        """The names and files it is made of."""
        return self._parts

    @property
    def changes(self) -> Dict[str, Any]:
        """The keys that were set over them."""
        return dict(self._set)

    @property
    def hash(self) -> str:
        """16 digits that depend on every key that can change a result."""
        return self._text.split("\n", 1)[0].split()[-1]

    def to_yaml(self) -> str:
        """The effective configuration; a file with it is a whole run."""
        return self._text

    def to_dict(self) -> Dict[str, Any]:
        """The effective configuration, section by section."""
        return dict(yaml.safe_load(self._text))

    def __getitem__(self, key: str) -> Any:
        value: Any = self.to_dict()
        for part in key.split("."):
            if not isinstance(value, dict) or part not in value:
                keys(key)  # raises what the program says of it
                raise KeyError(key)
            value = value[part]
        return value

    def __setitem__(self, key: str, value: Any) -> None:
        self.update({key: value})

    def update(self, changes: Mapping[str, Any]) -> None:
        """Sets several keys at once."""
        sets = {**self._set, **changes}
        self._text = self._load(sets)
        self._set = sets

    def copy(self, *parts: Union[str, Path], set: Optional[Mapping[str, Any]] = None) -> "Config":
        """Another configuration: this one with more parts and keys over it."""
        return Config(*self._parts, *parts, set={**self._set, **(set or {})})

    def sources(self) -> pd.DataFrame:
        """Every value of the machine, what set it, and where it is from: a paper, a measurement, a choice."""
        import pandas as pd  # pylint: disable=import-outside-toplevel
        return pd.DataFrame(json.loads(program.call(["config", *self.arguments, "--sources", "--json"])))

    def differences(self, other: "Config") -> pd.DataFrame:
        """The keys whose values differ, with the value here and the value there."""
        import pandas as pd  # pylint: disable=import-outside-toplevel
        here, there = _flat(self.to_dict()), _flat(other.to_dict())
        rows = [(key, here.get(key), there.get(key)) for key in {**here, **there} if here.get(key) != there.get(key)]
        return pd.DataFrame(rows, columns=["key", "here", "there"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Config) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        parts = [repr(part) for part in self._parts]
        if self._set:
            parts.append(f"set={self._set!r}")
        return f"Config({', '.join(parts)})"


def _flat(sections: Mapping[str, Any], prefix: str = "") -> Dict[str, Any]:
    flat: Dict[str, Any] = {}
    for key, value in sections.items():
        if isinstance(value, dict):
            flat.update(_flat(value, f"{prefix}{key}."))
        else:
            flat[prefix + key] = value
    return flat


def keys(pattern: str = "") -> pd.DataFrame:
    """Every key with its default, unit, what is allowed and what it means.

    `pattern` picks those of a section ("duplo", "dram"), or those that have it in name or meaning. Raises ConfigError
    if there is none.
    """
    import pandas as pd  # pylint: disable=import-outside-toplevel
    return pd.DataFrame(json.loads(program.call(["config", "--list", *([pattern] if pattern else []), "--json"])))


def names() -> Dict[str, List[str]]:
    """The configurations that have a short name: `gpus`, `mechanisms`, `layers`, `experiments`, `layers of networks`."""
    return dict(json.loads(program.call(["config", "--names", "--json"])))
