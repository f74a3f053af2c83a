"""Charts of sweeps with matplotlib, the papers' numbers as marks in them.

>>> import tessera, tessera.plot
>>> tessera.plot.figures(tessera.sweep("duplo_fig9_fig10"))

Every function returns the matplotlib figure, which a notebook shows and `savefig` writes.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import matplotlib.pyplot as plt
import pandas as pd
import yaml
from matplotlib.figure import Figure

from tessera import program
from tessera.errors import ConfigError
from tessera.networks import Network
from tessera.result import unit_of
from tessera.sweeps import Sweep

PAPER = "#b2182b"
_MARK = {"linestyle": "", "marker": "D", "markersize": 6, "markerfacecolor": "white", "markeredgecolor": PAPER,
         "markeredgewidth": 1.6, "zorder": 4}


def paper_values() -> Dict[str, Any]:
    """The figures that the three papers state, by id."""
    folder = json.loads(program.call(["config", "--names", "--json"]))["folder"]
    path = Path(folder) / "reference" / "paper_results.yaml"
    papers = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {row["id"]: row["value"] for paper in papers.values() if isinstance(paper, dict)
            for row in paper.get("results", [])}


def _of_baseline(sweep: Sweep, column: str, change: Callable[[float, float], float]) -> pd.DataFrame:
    """A column of each variant against that of its baseline, layers down and variants across."""
    table = sweep.table(column)
    baselines = dict(zip(sweep.runs["variant"], sweep.runs["baseline"]))
    return pd.DataFrame({
        variant: [change(value, base) for value, base in zip(table[variant], table[baselines[variant]])]
        for variant in table.columns if baselines[variant] != variant}, index=table.index)


def _others(sweep: Sweep, column: str) -> pd.DataFrame:
    """A column of the variants that are no baselines."""
    runs = sweep.runs[sweep.runs["variant"] != sweep.runs["baseline"]]
    return sweep.table(column)[list(runs["variant"].unique())]


@dataclass(frozen=True)
class Panel:
    """One chart of a paper: its title, what it shows of a sweep, and the ids of the paper's means by variant."""

    title: str
    unit: str
    values: Callable[[Sweep], pd.DataFrame]
    paper: Mapping[str, Tuple[str, Optional[int]]] = field(default_factory=dict)


def _column(name: str) -> Callable[[Sweep], pd.DataFrame]:
    return lambda sweep: _others(sweep, name)


def _percent(column: str) -> Callable[[Sweep], pd.DataFrame]:
    return lambda sweep: _of_baseline(sweep, column, lambda value, base: 100 * (value / base - 1))


def _times(sweep: Sweep) -> pd.DataFrame:
    return _of_baseline(sweep, "total_cycles", lambda value, base: base / value)


FIGURES: Dict[str, List[Panel]] = {
    "duplo_fig9_fig10": [
        Panel("Figure 9: speedup of Duplo over the baseline", "%", _column("speedup_percent"),
              {"lhb1024": ("D.fig9.lhb1024.speedup", None), "oracle": ("D.fig9.oracle.speedup", None)}),
        Panel("Figure 10: hit rate of the load history buffer", "%", _column("hit_rate_percent"),
              {"oracle": ("D.fig10.hit_rate.saturation", None)}),
        Panel("Figure 11: sectors that DRAM serves, against the baseline", "%", _column("dram_services_change_percent"),
              {"lhb1024": ("D.fig11.dram_traffic", None)})],
    "dual_side_fig22": [
        Panel("Figure 22: times as fast as dense", "x", _times,
              {"single_explicit": ("S.fig22.cnn.single_explicit.mean", None),
               "single_implicit": ("S.fig22.cnn.single_implicit.mean", None),
               "dual_paper": ("S.fig22.cnn.dual_implicit.mean", None)})],
    "dual_side_fig22_nlp": [
        Panel("Figure 22, language models: times as fast as dense", "x", _times,
              {"single": ("S.fig22.nlp.single.mean", None), "dual_paper": ("S.fig22.nlp.dual.mean", None)})],
    "dual_side_fig21": [Panel("Figure 21: times as fast as CUTLASS", "x", _times)],
    "opportunistic": [
        Panel("Figure 5: IPC over the baseline", "%", _percent("ipc"),
              {"intra_c1": ("O.fig5.intra.c1.mean", None), "intra_c2": ("O.fig5.intra.c2.mean", None),
               "inter_c1": ("O.fig5.inter.mean", 0), "inter_c2": ("O.fig5.inter.mean", 1),
               "both_c1": ("O.fig5.both.mean", 0), "both_c2": ("O.fig5.both.mean", 1)}),
        Panel("Figure 6: time against the baseline", "%", _percent("total_cycles"),
              {"intra_c1": ("O.fig6.intra.c1.time", None), "intra_c2": ("O.fig6.intra.c2.time", None)}),
        Panel("Figure 9: predictions that were used", "%", _column("prediction_accuracy_percent"))],
}


def _bars(axis: Any, values: pd.DataFrame, unit: str, paper: Mapping[str, float]) -> None:
    """A group of bars for each layer, and apart from them the means, the paper's as diamonds."""
    width = 0.84 / max(len(values.columns), 1)
    colours = plt.get_cmap("viridis")
    for rank, variant in enumerate(values.columns):
        colour = colours(0.85 - 0.75 * rank / max(len(values.columns) - 1, 1))
        offset = (rank - (len(values.columns) - 1) / 2) * width
        axis.bar([place + offset for place in range(len(values))], values[variant], width, color=colour,
                 label=str(variant), zorder=2)
        place = len(values) + 0.7 + rank * 0.9
        axis.bar(place, values[variant].mean(), 0.78, color=colour, zorder=2)
        axis.annotate(f"{values[variant].mean():.1f}", (place, values[variant].mean()), (0, 2), fontsize=8,
                      textcoords="offset points", ha="center", va="bottom")
        if variant in paper:
            axis.plot(place, paper[variant], **_MARK)
    axis.axvline(len(values), color="#555555", linewidth=0.8)
    axis.set_xticks([*range(len(values)), len(values) + 0.7 + 0.45 * (len(values.columns) - 1)])
    axis.set_xticklabels([*values.index, f"mean of {len(values)}"], rotation=60 if len(values) > 8 else 0,
                         ha="right" if len(values) > 8 else "center", fontsize=8)
    axis.set_ylabel(f"[{unit}]")
    axis.grid(axis="y", color="#e3e3e3", zorder=0)
    axis.axhline(0, color="#333333", linewidth=0.8)


def figures(sweep: Union[Sweep, str, Path]) -> Figure:
    """Draws the figures of a paper that a shipped experiment is made for, the paper's means as diamonds.

    Raises ConfigError for another experiment; `layers` and `over` draw any.
    """
    sweep = sweep if isinstance(sweep, Sweep) else Sweep(sweep)
    panels = FIGURES.get(sweep.experiment)
    if panels is None:
        raise ConfigError(f"figures: got a sweep of '{sweep.experiment}', expected one of {{{', '.join(FIGURES)}}}")
    stated = paper_values()
    figure, axes = plt.subplots(len(panels), 1, figsize=(13, 4.2 * len(panels)), squeeze=False)
    for axis, panel in zip(axes[:, 0], panels):
        values = panel.values(sweep)
        marks = {variant: stated[key] if at is None else stated[key][at]
                 for variant, (key, at) in panel.paper.items() if variant in values.columns}
        _bars(axis, values, panel.unit, marks)
        axis.set_title(panel.title, loc="left", fontweight="bold")
        if marks:
            axis.plot([], [], label="mean that the paper states", **_MARK)
        axis.legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    figure.tight_layout()
    return figure


def layers(sweep: Union[Sweep, str, Path], column: str = "speedup_percent",
           variants: Optional[Sequence[str]] = None) -> Figure:
    """One column of summary.csv as bars, layer by layer and in the mean."""
    sweep = sweep if isinstance(sweep, Sweep) else Sweep(sweep)
    values = sweep.table(column)
    unknown = [name for name in variants or [] if name not in values.columns]
    if unknown:
        raise ConfigError(f"layers: got variant '{unknown[0]}', expected some of {{{', '.join(values.columns)}}}")
    figure, axis = plt.subplots(figsize=(13, 4.2))
    _bars(axis, values[list(variants)] if variants else values, unit_of(column) or column, {})
    axis.set_title(column.replace("_", " "), loc="left", fontweight="bold")
    axis.legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    figure.tight_layout()
    return figure


def _tick(value: Any) -> str:
    """A value of a grid as its file has it: a whole number without a fraction."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def over(sweep: Union[Sweep, str, Path], key: str, column: str = "speedup_percent") -> Figure:
    """One column over a key of the experiment's grid: a line for each layer and whatever else was varied."""
    sweep = sweep if isinstance(sweep, Sweep) else Sweep(sweep)
    if key not in sweep.varied:
        raise ConfigError(f"over: got '{key}', expected a key of the grid, one of {{{', '.join(sweep.varied)}}}")
    others = [other for other in sweep.varied if other != key]
    figure, axis = plt.subplots(figsize=(8, 4.5))
    runs = sweep.runs.dropna(subset=[key, column])
    for names, rows in runs.groupby(["layer", *others] if others else "layer", sort=False, dropna=False):
        label = ", ".join(map(str, names)) if isinstance(names, tuple) else str(names)
        means = rows.groupby(key)[column].mean()
        axis.plot([_tick(value) for value in means.index], means.values, marker="o", label=label)
    axis.set_xlabel(key)
    axis.set_ylabel(column.replace("_", " "))
    axis.grid(color="#e3e3e3")
    axis.legend(fontsize=8, frameon=False)
    figure.tight_layout()
    return figure


def network(results: Union[Network, str, Path], column: str = "us") -> Figure:
    """One column of network.csv as bars, layer by layer, for the machine alone and with each mechanism."""
    results = results if isinstance(results, Network) else Network(results)
    values = results.table(column)
    figure, axis = plt.subplots(figsize=(max(8.0, 0.34 * len(values) + 3), 4.6))
    width = 0.84 / len(values.columns)
    colours = plt.get_cmap("viridis")
    for rank, variant in enumerate(values.columns):
        places = [place + (rank - (len(values.columns) - 1) / 2) * width for place in range(len(values))]
        colour = colours(0.85 - 0.75 * rank / max(len(values.columns) - 1, 1))
        axis.bar(places, values[variant], width, color=colour, label=str(variant), zorder=2)
    axis.set_xticks(range(len(values)))
    axis.set_xticklabels(values.index, rotation=60, ha="right", fontsize=8)
    axis.set_ylabel(f"[{results.layers.attrs['units'].get(column, column)}]")
    axis.grid(axis="y", color="#e3e3e3", zorder=0)
    axis.set_title(f"{results.name}: {'time' if column == 'us' else column.replace('_', ' ')}", loc="left", fontweight="bold")
    axis.legend(fontsize=8, frameon=False)
    figure.tight_layout()
    return figure
