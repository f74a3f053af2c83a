"""How far `timing: lt` is from `timing: at` in the means of a sweep."""

import statistics

COLUMNS = ("lt", "at", "lt_lhb1024", "at_lhb1024")
# Stored columns of a layer: means over seeds, and the largest standard deviation of the four columns in percent.
STORED = ("layer", *COLUMNS, "chance_percent", "seeds")
HEADER = ["layer", "baseline lt", "at", "error", "Duplo lt", "at", "error", "speedup lt", "at", "chance"]


def cycles_by_layer(rows):
    """Cycles of every seed, by layer and column; layers that lack a column are left out. KeyError, TypeError or ValueError for a
    row of another kind."""
    layers = {}
    for row in rows:
        layers.setdefault(row["layer"], {}).setdefault(row["variant"], []).append(float(row["cycles"]))
    return {name: runs for name, runs in layers.items() if all(column in runs for column in COLUMNS)}


def means_of(layers):
    """A row of STORED for each layer of cycles_by_layer()."""
    rows = []
    for layer, runs in layers.items():
        row = {column: statistics.fmean(runs[column]) for column in COLUMNS}
        row["chance_percent"] = max(100 * statistics.pstdev(runs[column]) / row[column] for column in COLUMNS)
        rows.append({"layer": layer, **row, "seeds": min(len(runs[column]) for column in COLUMNS)})
    return rows


def change(before, after):
    return 100 * (after / before - 1)


def differences(row):
    """Errors of lt without and with Duplo, and Duplo's speedups at lt and at, in percent."""
    lt, at, duplo_lt, duplo_at = (float(row[column]) for column in COLUMNS)
    return [change(lt, at), change(duplo_lt, duplo_at), change(duplo_lt, lt), change(duplo_at, at)]


def cells(row):
    """A row of the table below HEADER."""
    lt, at, duplo_lt, duplo_at = (f"{float(row[column]):.0f}" for column in COLUMNS)
    errors = [f"{value:+.1f}" for value in differences(row)]
    return [row["layer"], lt, at, errors[0], duplo_lt, duplo_at, errors[1], errors[2], errors[3], f"{float(row['chance_percent']):.1f}"]


def means_of_errors(rows):
    """Without and with Duplo: the mean error, the mean of its size, the largest and its layer."""
    found = []
    for index in range(2):
        errors = {row["layer"]: differences(row)[index] for row in rows}
        worst = max(errors, key=lambda layer, of=errors: abs(of[layer]))
        found.append((statistics.fmean(errors.values()), statistics.fmean(map(abs, errors.values())), errors[worst], worst))
    return found


def mean_speedups(rows):
    """Mean speedups of Duplo at lt and at."""
    return [statistics.fmean(differences(row)[index] for row in rows) for index in (2, 3)]
