"""Tables of a sweep's summary: a row a layer, a variant or a network."""

import math
import re
import statistics

from tables import fidelity_means as fidelity_of
from tables.text import UserError, markdown, number

# Quantiles of Student's t for intervals of 95 %, for 2 to 10 values.
STUDENT_95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262]


def layers(results, experiment, column, *variants):
    decimals = 0 if column.endswith("cycles") else 1
    rows = [[layer] + [number(results.value(experiment, layer, variant, column), decimals) for variant in variants]
            for layer in results.layers(experiment)]
    rows.append(["**mean**"] + [number(results.mean(experiment, variant, column), decimals) for variant in variants])
    return markdown(["layer"] + [f"`{variant}`" for variant in variants], rows)


def ratios(results, experiment, column, *variants):
    found = {layer: [results.ratio(experiment, layer, variant, column) for variant in variants]
             for layer in results.layers(experiment)}
    rows = [[layer] + [number(value, 2) for value in values] for layer, values in found.items()]
    each = [[value for value in values if value is not None] for values in zip(*found.values())]
    rows.append(["**mean**"] + [number(sum(values) / len(values) if values else None, 2) for values in each])
    return markdown(["layer"] + [f"`{variant}`" for variant in variants], rows)


def spread(found, decimals=1):
    """Mean and half of the 95 % interval of it."""
    if not found:
        return "-"
    mean = sum(found) / len(found)
    if len(found) == 1:
        return number(mean, decimals)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in found) / (len(found) - 1))
    return f"{number(mean, decimals)} ± {STUDENT_95[len(found) - 2] * deviation / math.sqrt(len(found)):.{decimals}f}"


def deviations(results, experiment, column, *variants):
    found = {}
    for row in results.summary(experiment):
        if row.get(column):
            found.setdefault((row["layer"], row["variant"]), {})[row["seed"]] = float(row[column])
    layers_of = results.layers(experiment)

    def deviation(values):
        return number(statistics.stdev(values) if len(values) > 1 else None, 2)

    def of_mean(variant):
        by_layer = [found.get((layer, variant), {}) for layer in layers_of]
        return deviation([statistics.mean(of_layer[seed] for of_layer in by_layer)
                          for seed in by_layer[0] if all(seed in of_layer for of_layer in by_layer)])

    rows = [[layer] + [deviation(found.get((layer, variant), {}).values()) for variant in variants] for layer in layers_of]
    rows.append(["**of the mean**"] + [of_mean(variant) for variant in variants])
    return markdown(["layer"] + [f"`{variant}`" for variant in variants], rows)


def gains(results, experiment, column, *variants):
    times = {(row["layer"], row["variant"], row["seed"]): float(row[column]) for row in results.summary(experiment)}
    seeds = list(dict.fromkeys(row["seed"] for row in results.summary(experiment)))

    def gain(layer, variant, seed):
        return 100 * times[layer, results.baseline(experiment, variant), seed] / times[layer, variant, seed] - 100

    layers_of = results.layers(experiment)
    base = results.baseline(experiment, variants[0])
    rows = [[layer, number(results.value(experiment, layer, base, column), 0)]
            + [spread([gain(layer, variant, seed) for seed in seeds]) for variant in variants] for layer in layers_of]
    rows.append(["**mean**", ""] + [spread([sum(gain(layer, variant, seed) for layer in layers_of) / len(layers_of) for seed in seeds])
                                    for variant in variants])
    whole = [[100 * sum(times[layer, results.baseline(experiment, variant), seed] for layer in layers_of)
              / sum(times[layer, variant, seed] for layer in layers_of) - 100 for seed in seeds] for variant in variants]
    rows.append(["**all together**", number(sum(results.value(experiment, layer, base, column) for layer in layers_of), 0)]
                + [spread(found) for found in whole])
    return markdown(["layer", f"cycles, `{base}`"] + [f"`{variant}` [%]" for variant in variants], rows)


def variant_times(results, experiment, column, labels=()):
    if not labels or labels[0][0] != "rows" or len(labels) == 1:
        raise UserError("variant_times: expected 'rows:' and, below it, 'VARIANT: label'")
    times = {(row["layer"], row["variant"], row["seed"]): float(row[column]) for row in results.summary(experiment)}
    seeds = list(dict.fromkeys(row["seed"] for row in results.summary(experiment)))
    layers_of = results.layers(experiment)
    rows = []
    for variant, label in labels[1:]:
        if not any(row["variant"] == variant for row in results.summary(experiment)):
            raise UserError(f"variant_times: {experiment} has no variant '{variant}'")
        base = results.baseline(experiment, variant)
        rows.append([label] + [spread([times[layer, base, seed] / times[layer, variant, seed] for seed in seeds], 2)
                               for layer in layers_of])
    return markdown([labels[0][1]] + [layer.split(".")[-1] for layer in layers_of], rows)


def means(results, experiment, *arguments):
    if "--" not in arguments:
        raise UserError("means: expected VARIANT... -- COLUMN...")
    split = arguments.index("--")
    variants, columns = arguments[:split], arguments[split + 1:]
    rows = [[f"`{variant}`"] + [number(results.mean(experiment, variant, column)) for column in columns]
            for variant in variants]
    return markdown(["variant"] + [column.replace("_", " ").replace(" percent", " [%]") for column in columns], rows)


WORTH = ["speedup_percent", "hit_rate_of_accesses_percent", "hit_rate_percent", "duplo_area_of_register_file_percent",
         "energy_storage_uj_change_percent"]


def worth(results, experiment, ideal, *variants):
    best = results.mean(experiment, ideal, "speedup_percent")
    seeds = list(dict.fromkeys(row["seed"] for row in results.summary(experiment)))
    rows = []
    for variant in (ideal, *variants):
        found = [results.mean(experiment, variant, column) for column in WORTH]
        of_seeds = [[float(row[WORTH[0]]) for row in results.summary(experiment)
                     if (row["variant"], row["seed"]) == (variant, seed) and row[WORTH[0]]] for seed in seeds]
        rows.append([f"`{variant}`", spread([statistics.fmean(values) for values in of_seeds if values]), number(100 * found[0] / best, 0)]
                    + [number(value) for value in found[1:]])
    return markdown(["variant", "speedup [%]", "of the first's [%]", "accesses spared [%]", "hit rate [%]",
                     "area [% of the register file]", "energy of storage [%]"], rows)


NETWORK_TIMES = ["cycles", "total_cycles"]


def network_times(results, experiment, *variants):
    rows, changes = [], {variant: [] for variant in variants}
    for network in dict.fromkeys(layer.split(".")[0] for layer in results.layers(experiment)):
        for variant in variants:
            layers_of = [layer for layer in results.layers(experiment) if layer.split(".")[0] == network]
            baseline = next(row["baseline"] for row in results.summary(experiment) if row["variant"] == variant)
            row = [network, f"`{variant}`"]
            found = []
            for column in NETWORK_TIMES:
                before = sum(results.value(experiment, layer, baseline, column) for layer in layers_of)
                after = sum(results.value(experiment, layer, variant, column) for layer in layers_of)
                row += [number(before, 0), number(after, 0), number(100 * after / before - 100)]
                found.append(100 * after / before - 100)
            rows.append(row)
            changes[variant].append(found)
    for variant, found in changes.items():
        means_of = [number(sum(values) / len(values)) for values in zip(*found)]
        rows.append(["**mean**", f"`{variant}`", "", "", means_of[0], "", "", means_of[1]])
    return markdown(["network", "variant", "product, baseline", "with Duplo", "change [%]", "with im2col, baseline", "with Duplo",
                     "change [%]"], rows)


def networks(results, experiment, variant, chosen, *repeated):
    times = {}
    for argument in repeated:
        layer, _, count = argument.rpartition("=")
        if layer not in results.layers(experiment) or not count.isdigit():
            raise UserError(f"networks: got '{argument}', expected a layer of {experiment}, '=' and how often it runs")
        times[layer] = int(count)
    found = {}
    for layer in results.layers(experiment):
        found.setdefault(layer.split(".")[0], []).append(layer)
    rows = []
    for network, members in found.items():
        ours = {layer: results.value(experiment, layer, variant, "cycles") for layer in members}
        gain = {layer: results.ratio(experiment, layer, variant, "cycles") for layer in members}
        if None in ours.values() or None in gain.values():
            raise UserError(f"networks: {experiment} has no cycles of all layers of {network}")
        listed = [layer for layer in members if layer in results.layers(chosen)]
        time = sum(ours[layer] * times.get(layer, 1) for layer in members)
        dense = sum(ours[layer] * gain[layer] * times.get(layer, 1) for layer in members)
        rows.append([network, str(len(listed)), number(sum(gain[layer] for layer in listed) / len(listed), 2) if listed else "-",
                     str(len(members)), number(sum(gain.values()) / len(members), 2), number(dense / time, 2)])
    return markdown(["network", f"layers of `{chosen}`", "their mean", "all layers", "their mean", "whole network"], rows)


def fidelity(results, experiment):
    return markdown(fidelity_of.HEADER, [fidelity_of.cells(row) for row in results.summary(experiment)])


def signed(value):
    """With its sign, as pages have it."""
    return f"{value:+.1f} %"


def fidelity_means(results, experiment):
    rows = results.summary(experiment)
    (mean, size, worst, layer), (duplo_mean, duplo_size, duplo_worst, duplo_layer) = fidelity_of.means_of_errors(rows)
    lt, at = fidelity_of.mean_speedups(rows)
    return markdown(["", "baseline", "Duplo", "wanted"], [
        ["error, mean of the layers", signed(mean), signed(duplo_mean), "within 5 %"],
        ["error, mean of its size", f"{size:.1f} %", f"{duplo_size:.1f} %", ""],
        ["largest error of a layer", f"{signed(worst)} ({layer})", f"{signed(duplo_worst)} ({duplo_layer})", "within 10 %"],
        ["mean speedup of Duplo", f"lt {lt:.1f} %", f"at {at:.1f} %", "at most 2 points apart"]])


def points(results, experiment, reference, paper_dense, megahertz, *variants):
    try:
        paper_dense, megahertz = float(paper_dense), float(megahertz)
    except ValueError as error:
        raise UserError(f"points: {error}") from error
    layer_of = {re.sub(".*(?=a[0-9]{4}_b[0-9]{4}$)", "", layer): layer for layer in results.layers(experiment)}
    table, errors = [], []
    for point in results.reference(reference):
        zeros = [round(1000 * (1 - float(point[density]))) for density in ("dA", "dB")]
        layer = layer_of.get("a{:04}_b{:04}".format(*zeros))
        paper = float(point["time_units"])
        times, gains = [], [number(paper_dense / paper, 2)]
        for variant in variants:
            cycles = results.value(experiment, layer, variant, "cycles")
            if cycles is None:
                raise UserError(f"points: {experiment} has no cycles of '{variant}' at zeros of {zeros[0]} and {zeros[1]} thousandths")
            times.append(number(cycles / megahertz, 0))
            gains.append(number(results.mean(experiment, results.baseline(experiment, variant), "cycles") / cycles, 2))
            if variant == variants[0]:
                errors.append(100 * cycles / megahertz / paper - 100)
                times.append(number(errors[-1]))
        table.append([f"{zeros[0] / 10:g}", f"{zeros[1] / 10:g}", number(paper, 0), *times, *gains])
    mean_error = sum(abs(error) for error in errors) / len(errors)
    table.append(["**mean error**", "", "", "", number(mean_error)] + [""] * (2 * len(variants)))
    names = [f"`{variant}`" for variant in variants]
    return markdown(["zeros of A [%]", "of B [%]", "paper [us]", names[0], "error [%]", *names[1:], "times as fast: paper", *names], table)
