#!/usr/bin/python3
"""Draws Figures 9 and 10 of the Duplo paper from a sweep: speedup and LHB hit rate, layer by layer.

Reads RESULTS/summary.csv (columns layer, variant, speedup_percent, hit_rate_percent; more are ignored) and
the paper's means from configs/reference/paper_results.yaml. Exit code 2 for a missing file or column.
"""

import argparse
import csv
import os
import re
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402 (the backend must be chosen first)
import yaml  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
REFERENCE = os.path.join(ROOT, "configs", "reference", "paper_results.yaml")
NETWORKS = {"resnet": "ResNet", "gan": "GAN", "yolo": "YOLO"}
SIZE_COLOURS = ["#c6dbef", "#85b8dc", "#3f8cc4", "#124f91"]  # light to dark with the size of the LHB
PAPER_COLOUR = "#b2182b"
PAPER_MARKER = {"linestyle": "", "marker": "D", "markersize": 6, "markerfacecolor": "white",
                "markeredgecolor": PAPER_COLOUR, "markeredgewidth": 1.6}
OTHER_COLOURS = ["#f0a04b", "#7a9a54", "#9a6fb0", "#7f7f7f"]  # the oracle, then anything unnumbered


class UserError(Exception):
    """One line for the user."""


def entries_of(variant):
    """The LHB size in a variant's name, its largest number ("lhb_1024" is 1024), or None ("oracle")."""
    return max(map(int, re.findall(r"\d+", variant)), default=None)


def read_summary(path):
    """{variant: {layer: (speedup, hit rate)}} and the layers, both in the order of the file."""
    try:
        with open(path, newline="", encoding="utf-8") as handle:
            reader = csv.DictReader(handle)
            wanted = ["layer", "variant", "speedup_percent", "hit_rate_percent"]
            missing = [name for name in wanted if name not in (reader.fieldnames or [])]
            if missing:
                raise UserError(f"{path}: no column {', '.join(missing)}")
            rows = list(reader)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror} (has tessera sweep run?)") from error

    table, layers = {}, []
    for line, row in enumerate(rows, start=2):
        if row["variant"].startswith("baseline") or not row["hit_rate_percent"]:
            continue
        try:
            values = float(row["speedup_percent"]), float(row["hit_rate_percent"])
        except (TypeError, ValueError):
            raise UserError(f"{path}:{line}: speedup_percent and hit_rate_percent must be numbers") from None
        table.setdefault(row["variant"], {})[row["layer"]] = values
        if row["layer"] not in layers:
            layers.append(row["layer"])
    if not table:
        raise UserError(f"{path}: no row has a hit rate")
    return table, layers


def read_paper():
    """The paper's means: {variant key: speedup}, {variant key: hit rate}, and the limit of the hit rate.

    A key is a number of entries, or None for the oracle. The 2048-entry speedup is stated as a distance
    from the oracle's.
    """
    try:
        with open(REFERENCE, encoding="utf-8") as handle:
            results = {entry["id"]: entry["value"] for entry in yaml.safe_load(handle)["duplo"]["results"]}
    except OSError as error:
        raise UserError(f"{REFERENCE}: {error.strerror}") from error
    oracle = results["D.fig9.oracle.speedup"]
    speedups = {
        1024: results["D.fig9.lhb1024.speedup"],
        2048: oracle - results["D.fig9.lhb2048.gap_to_oracle"],
        None: oracle,
    }
    return speedups, {None: results["D.fig10.hit_rate.saturation"]}, results["D.fig10.hit_rate.limit"]


def colours_and_labels(variants):
    """(colour, legend text) of every variant, darker with the size of the LHB."""
    styles, numbered, others = {}, 0, 0
    sized = sum(entries_of(variant) is not None for variant in variants)
    for variant in variants:
        entries = entries_of(variant)
        if entries is not None and sized <= len(SIZE_COLOURS):
            styles[variant] = SIZE_COLOURS[len(SIZE_COLOURS) - sized + numbered], f"{entries} entries"
            numbered += 1
        else:
            styles[variant] = OTHER_COLOURS[others % len(OTHER_COLOURS)], variant.replace("_", " ")
            others += 1
    return styles


def positions(layers):
    """x of every layer and of the mean, with a gap between networks; and the networks' (name, first, last)."""
    xs, spans, x = [], [], 0.0
    for index, layer in enumerate(layers):
        network = layer.split(".")[0]
        if index and network != layers[index - 1].split(".")[0]:
            x += 0.6
        if not spans or spans[-1][0] != network:
            spans.append([network, x, x])
        spans[-1][2] = x
        xs.append(x)
        x += 1.0
    return xs, x + 0.6, spans


def draw_panel(axis, table, layers, value_index, paper, styles):
    """One figure: a group of bars for every layer, the group of means, the paper's means as diamonds."""
    xs, mean_x, _ = positions(layers)
    width = 0.84 / len(table)
    for rank, (variant, by_layer) in enumerate(table.items()):
        offset = (rank - (len(table) - 1) / 2) * width
        colour, label = styles[variant]
        values = [by_layer[layer][value_index] for layer in layers if layer in by_layer]
        places = [x + offset for x, layer in zip(xs, layers) if layer in by_layer]
        axis.bar(places, values, width, color=colour, label=label, zorder=2)

        # The means stand apart and wide, so that their numbers can be read.
        mean = sum(values) / len(values)
        place = mean_x + rank * 0.9
        axis.bar(place, mean, 0.78, color=colour, zorder=2)
        key = entries_of(variant)
        stated = paper.get(key) if key is not None or "oracle" in variant else None
        dark = colour == SIZE_COLOURS[-1] and mean > 0.1 * axis.get_ylim()[1]  # else it is beside the bar
        axis.annotate(f"{mean:.1f}", (place, 0), (0, 4), textcoords="offset points", ha="center", va="bottom",
                      fontsize=9, color="white" if dark else "black", zorder=4)
        if stated is not None:
            axis.plot(place, stated, zorder=4, **PAPER_MARKER)
            axis.annotate(f"{stated:.1f}", (place, stated), (0, 7), textcoords="offset points", ha="center",
                          va="bottom", fontsize=9, color=PAPER_COLOUR)


def decorate(axis, layers, variants):
    """Names of layers and networks, separators, light grid."""
    xs, mean_x, spans = positions(layers)
    mean_end = mean_x + 0.9 * (variants - 1)
    axis.set_xticks(xs + [(mean_x + mean_end) / 2])
    axis.set_xticklabels([layer.split(".", 1)[-1] for layer in layers] + [f"mean of {len(layers)}"])
    axis.set_xlim(-0.7, mean_end + 0.7)
    axis.tick_params(axis="x", length=0)
    for _, first, _ in spans[1:]:
        axis.axvline(first - 0.8, color="#bbbbbb", linewidth=0.8)
    axis.axvline(mean_x - 0.8, color="#555555", linewidth=1.0)
    for network, first, last in spans:
        axis.annotate(NETWORKS.get(network, network), ((first + last) / 2, 0), (0, -20),
                      xycoords=("data", "axes fraction"), textcoords="offset points", ha="center", va="top",
                      fontsize=10, fontweight="bold")
    axis.grid(axis="y", color="#e3e3e3", linewidth=0.8, zorder=0)
    axis.axhline(0, color="#333333", linewidth=0.8, zorder=3)
    for side in ("top", "right", "left", "bottom"):
        axis.spines[side].set_visible(False)


def plot(table, layers, output):
    """Writes the PNG."""
    speedups, hit_rates, limit = read_paper()
    styles = colours_and_labels(table)
    figure, (upper, lower) = plt.subplots(2, 1, figsize=(15, 8.5))

    draw_panel(upper, table, layers, 0, speedups, styles)
    decorate(upper, layers, len(table))
    upper.set_title("Speedup of Duplo over the baseline (Figure 9)", loc="left", fontweight="bold", pad=10)
    upper.set_ylabel("speedup [%]")

    draw_panel(lower, table, layers, 1, hit_rates, styles)
    decorate(lower, layers, len(table))
    lower.set_title("Hit rate of the load history buffer (Figure 10)", loc="left", fontweight="bold", pad=10)
    lower.set_ylabel("hit rate [%]")
    lower.set_ylim(0, 100)
    lower.axhline(limit, color=PAPER_COLOUR, linestyle=(0, (5, 3)), linewidth=1.1, zorder=3,
                  label=f"paper: upper limit {limit}%")

    handles, labels = lower.get_legend_handles_labels()
    limit_at = next(i for i, label in enumerate(labels) if label.startswith("paper"))
    handles.append(handles.pop(limit_at))
    labels.append(labels.pop(limit_at))
    handles.append(plt.Line2D([], [], **PAPER_MARKER))
    labels.append("paper: stated mean")
    figure.legend(handles, labels, loc="lower center", ncol=len(labels), frameon=False, fontsize=9.5)
    figure.tight_layout(rect=(0, 0.045, 1, 1), h_pad=2.5)
    figure.savefig(output, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", metavar="RESULTS", help="folder of a sweep (holds summary.csv)")
    parser.add_argument("-o", "--output", metavar="PNG", help="image to write (default: RESULTS/figures.png)")
    parser.add_argument("--variants", metavar="A,B,...", help="draw only these variants, in this order")
    arguments = parser.parse_args()
    output = arguments.output or os.path.join(arguments.results, "figures.png")
    try:
        table, layers = read_summary(os.path.join(arguments.results, "summary.csv"))
        if arguments.variants:
            chosen = arguments.variants.split(",")
            unknown = [name for name in chosen if name not in table]
            if unknown:
                raise UserError(f"no variant '{unknown[0]}', expected some of {{{', '.join(table)}}}")
            table = {name: table[name] for name in chosen}
        try:
            plot(table, layers, output)
        except OSError as error:
            raise UserError(f"{output}: {error.strerror}") from error
    except UserError as error:
        print(f"plot_duplo: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
