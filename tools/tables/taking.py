"""Takes results over into configs/reference/results, with no more than tables use."""

import csv
import json
import os

from tables import fidelity_means as fidelity_of
from tables import networks
from tables.results import DATA
from tables.text import UserError, read

IDENTITY = ["layer", "variant", "baseline", "seed"]


def write_rows(root, experiment, columns, rows):
    with open(os.path.join(root, DATA, experiment + ".csv"), "w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def take_fidelity(root, experiment, rows, source):
    """Stores means over seeds, a row a layer."""
    means = fidelity_of.means_of(fidelity_of.cycles_by_layer(rows))
    if not means:
        raise UserError(f"{source}: no layer has all of {', '.join(fidelity_of.COLUMNS)}")
    for row in means:
        row.update({column: f"{row[column]:.1f}" for column in fidelity_of.COLUMNS}, chance_percent=f"{row['chance_percent']:.2f}")
    write_rows(root, experiment, fidelity_of.STORED, means)


def take_summary(root, experiment, columns, source):
    """Stores the columns of an experiment's summary that tables use."""
    rows = list(csv.DictReader(read(source).splitlines()))
    if columns == set(fidelity_of.STORED):
        take_fidelity(root, experiment, rows, source)
        return
    missing = sorted(columns - set(rows[0])) if rows else []
    if missing:
        raise UserError(f"{source}: no column {missing[0]}, which a table has")
    write_rows(root, experiment, IDENTITY + sorted(columns), rows)


def is_part(root, experiment, source):
    """Whether a layer with a variant that is stored of the experiment is not in its summary `source`."""
    stored = os.path.join(root, DATA, experiment + ".csv")
    if not os.path.exists(stored):
        return False
    runs = [{(row["layer"], row.get("variant")) for row in csv.DictReader(read(path).splitlines())} for path in (stored, source)]
    return not runs[0] <= runs[1]


def take_sweep(root, experiment, used, folder):
    """Takes the summary and the host's costs over from a sweep's folder, if tables use them; False if none does."""
    found = [(name, file) for name, file in ((experiment, "summary.csv"), (experiment + "_host", "host.csv")) if name in used]
    for name, file in found:
        take_summary(root, name, used[name], os.path.join(folder, file))
    return bool(found)


def with_other_figures(stored, atlas):
    """The atlas's studies, and before or after them those of the stored figures that it lacks, in their order."""
    taken = {study["figure"]: study for study in atlas}
    studies = [taken.pop(study["figure"], study) for study in stored] + list(taken.values())
    return json.dumps(studies, indent=2, ensure_ascii=False) + "\n"


def with_other_readings(stored, taken):
    """The readings that were taken, after those of the stored ones that they lack."""
    names = {(reading["paper"], reading["name"]) for reading in taken}
    readings = [reading for reading in stored if (reading["paper"], reading["name"]) not in names] + taken
    readings.sort(key=lambda reading: (reading["paper"], reading["name"] != "shipped", reading["name"]))
    return json.dumps(readings, indent=1, ensure_ascii=False) + "\n"


def update(root, source, used):
    """Takes over the folder `source`; `used`: of each experiment the columns that tables have."""
    target = os.path.join(root, DATA)
    os.makedirs(target, exist_ok=True)
    summary = os.path.join(source, "summary.json")
    if os.path.exists(summary):
        experiment = json.loads(read(summary))["experiment"]
        if not take_sweep(root, experiment, used, source):
            raise UserError(f"{source}: no table is made of {experiment}")
        return
    for name in ("correlation", "tune"):
        path = os.path.join(source, f"{name}.json")
        if not os.path.exists(path):
            continue
        found = json.loads(read(path))
        for row in found["rows"]:
            row["kernels"] = row.get("kernels", [])[:1]  # the best
        with open(os.path.join(target, f"{found['table']}_{name}.json"), "w", encoding="utf-8") as handle:
            handle.write(json.dumps(found, indent=1) + "\n")
        if name == "correlation":
            with open(os.path.join(root, "docs", "images", f"{found['table']}_correlation.svg"), "w", encoding="utf-8") as handle:
                handle.write(read(os.path.join(source, "correlation.svg")))
        return
    network = os.path.join(source, "network.json")
    if os.path.exists(network):
        networks.take(target, network)
        return
    found = [name for name in ("reproduction.json", "atlas.json", "readings.json", "im2col_table.json", "bench.json", "bench_threads.json", "v100_power.json") if os.path.exists(os.path.join(source, name))]
    if not found:
        raise UserError(f"{source}: no results of tessera reproduce, atlas, sweep, network, correlate, tune, tools/bench (bench.json, bench_threads.json), tools/fit_power (v100_power.json) or im2col-table (im2col_table.json)")
    for name in found:
        text = read(os.path.join(source, name))
        path = os.path.join(target, name)
        if name == "atlas.json" and os.path.exists(path):
            text = with_other_figures(json.loads(read(path)), json.loads(text))
        if name == "readings.json":
            text = with_other_readings(json.loads(read(path)) if os.path.exists(path) else [], json.loads(text))
        with open(path, "w", encoding="utf-8") as handle:
            handle.write(text)
    if "reproduction.json" not in found:
        return
    for experiment, columns in sorted(used.items()):
        path = os.path.join(source, experiment, "summary.csv")
        if not os.path.exists(path):
            print(f"{experiment}: not in {source}, left as it is")
        elif is_part(root, experiment, path):
            print(f"{experiment}: a part is in {source}, left as it is")
        else:
            take_summary(root, experiment, columns, path)
