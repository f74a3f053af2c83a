"""The table `cells`: any figure of a sweep's summary for each of the rows and columns that its further lines name."""

import fnmatch
import itertools

from tables.text import UserError, markdown, number

AGGREGATES = {"mean": lambda values: sum(values) / len(values), "sum": sum, "least": min, "most": max}
MODIFIERS = {"base": lambda ours, base: base, "times": lambda ours, base: base / ours,
             "gain": lambda ours, base: 100 * base / ours - 100, "change": lambda ours, base: 100 * ours / base - 100}


# Columns of which tables have two decimals.
FINE = ("duplo_area_of_register_file_percent", "accumulation_buffer_area_mm2", "accumulation_buffer_power_w",
        "accumulation_adders_power_w")


def sections(labels):
    """Rows and columns of the further lines: what stands above the rows, and names with what they are called."""
    found = {"rows": ("", []), "columns": ("", [])}
    section = None
    for name, label in labels:
        if name in found:
            section = name
            found[section] = (label, [])
        elif section is None or not label:
            raise UserError(f"cells: got '{name}:', expected 'rows:', 'columns:' or, below one of them, 'NAME: label'")
        else:
            found[section][1].append((name, label))
    for section, (_, entries) in found.items():
        if not entries:
            raise UserError(f"cells: no {section} are named")
    return found["rows"], found["columns"]


def asked(pattern, row, column):
    """The names that LAYER, VARIANT or COLUMN of `cells` stands for in a cell: one or several."""
    words = {"row": row, "column": column}
    for which in ("row", "column"):
        words.update({f"{which}{index}": word for index, word in enumerate(words[which].split(), 1)})
    try:
        return pattern.format(**words).split(",")
    except (KeyError, ValueError, IndexError) as error:
        raise UserError(f"cells: '{pattern}' does not fit row '{row}' and column '{column}'") from error


def modified(column):
    """The modifier of a column, and the column's name."""
    modifier, _, name = column.rpartition(":")
    if modifier and modifier != "first" and modifier not in MODIFIERS:
        raise UserError(f"cells: got '{column}', expected {', '.join(MODIFIERS)} or first before the ':'")
    return modifier, name


def one_value(results, experiment, layer, variant, column):
    """A value of `cells`; for `first`, not yet divided by the first row's. None if it is unknown."""
    modifier, column = modified(column)
    aggregate, _, patterns = layer.partition(":")
    if aggregate not in AGGREGATES:
        aggregate, patterns = "mean", layer
    names = [name for name in results.layers(experiment)
             if any(fnmatch.fnmatchcase(name, pattern) for pattern in (patterns or "*").split("+"))]
    variant, _, other = variant.partition("/")
    rows = results.summary(experiment)
    known = {"layer": bool(names), "variant": any(row["variant"] == variant for row in rows),
             "baseline": not other or any(row["variant"] == other for row in rows), "column": any(column in row for row in rows)}
    for what, name in (("layer", layer), ("variant", variant), ("baseline", other), ("column", column)):
        if not known[what]:
            raise UserError(f"cells: {experiment} has no {what} '{name}'")
    baseline = other or results.baseline(experiment, variant)
    pairs = [(results.value(experiment, name, variant, column), results.value(experiment, name, baseline, column)) for name in names]
    if modifier in MODIFIERS:
        pairs = [pair for pair in pairs if None not in pair]
        if aggregate == "sum" and pairs:
            pairs = [tuple(map(sum, zip(*pairs)))]
        try:
            found = [MODIFIERS[modifier](ours, base) for ours, base in pairs]
        except ZeroDivisionError:
            return None
    else:
        found = [ours for ours, _ in pairs if ours is not None]
    return AGGREGATES[aggregate](found) if found else None


def text_of_cell(results, experiment, layer, variant, column):
    """A single value as text, for a sentence."""
    return number(one_value(results, experiment, layer, variant, column), 2 if modified(column)[0] == "times" else 1)


def cells(results, experiment, layer, variant, column, labels=()):
    (corner, rows), (_, columns) = sections(labels)
    table, first = [], {}
    for row, label in rows:
        texts = [label]
        for place, _ in columns:
            values = []
            for names in itertools.product(*(asked(pattern, row, place) for pattern in (layer, variant, column))):
                value = one_value(results, experiment, *names)
                modifier, name = modified(names[2])
                whole = name.endswith(("cycles", "bytes")) and modifier in ("", "base", "first")
                decimals = 2 if modifier == "times" or (not modifier and name in FINE) else 0 if whole else 1
                if modifier == "first" and first.setdefault((place, len(values)), (row, value))[0] != row:
                    base = first[place, len(values)][1]
                    value, decimals = value / base if value is not None and base else None, 2
                values.append(number(value, decimals))
            texts.append(", ".join(values))
        table.append(texts)
    return markdown([corner] + [label for _, label in columns], table)


def columns_of_cells(column, labels):
    (_, rows), (_, columns) = sections(labels)
    return {modified(name)[1] for row, _ in rows for place, _ in columns for name in asked(column, row, place)}
