"""Tables of `tessera reproduce`, `atlas`, `im2col-table`, `correlate` and `tune`, and of tools/bench and tools/fit_power."""

from tables.text import UserError, markdown, number

UNITS = {"percent": " %", "percent_points": " points", "percent_sparsity": " % zeros", "x": " x",
         "x_of_dense_time": " x", "bytes": " B"}


def decimals_of(figure):
    stated = figure["stated"]
    if "." in stated:
        return len(stated) - stated.index(".") - 1
    return 0 if figure["kind"] == "exact" else 1


def cell(figure, key):
    value = figure.get(key)
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return number(value, decimals_of(figure)) + UNITS.get(figure["unit"], "")


def counts(results):
    found = results.reproduction()
    return [f"**{found['headline']}.**", "", found["summary"] + "."]


def rule(results):
    return markdown(["verdict", "when"], [[row["verdict"], row["when"]] for row in results.reproduction()["rule"]])


def point(results, figure_id, name):
    """A point of a figure's atlas."""
    found = next((each for each in results.atlas(figure_id)["points"] if each["name"] == name), None)
    if found is None:
        raise UserError(f"value: the atlas of {figure_id} has no point '{name}'")
    return found


def figure_row(results, figure_id, place=None):
    """The row of a figure on the shipped machine, or, with a place from 1, any of its rows."""
    found = [row for row in results.reproduction()["figures"] if row["id"] == figure_id and (place or "other_reading" not in row)]
    place = place or "1"
    if not place.isdigit() or not 0 < int(place) <= len(found):
        raise UserError(f"value: the results have no row {place} of '{figure_id}'")
    return found[int(place) - 1]


def value(results, kind, figure_id, *rest):
    """A number for a sentence: `ours`, `half` or `paper` of a row, or `atlas` of a point."""
    if kind == "atlas":
        return number(point(results, figure_id, *rest)["ours"])
    row = figure_row(results, figure_id, *rest)
    key = "half_width_95_percent" if kind == "half" else kind
    if kind != "paper" and key not in row:
        raise UserError(f"value: the results have no {kind} of '{figure_id}'")
    return row["stated"] if kind == "paper" else number(row[key], decimals_of(row))


def reproduction(results, paper, *prefixes):
    rows = []
    for figure in results.reproduction()["figures"]:
        wanted = not prefixes or any(figure["id"].startswith(prefix) for prefix in prefixes)
        if not figure["id"].startswith(paper + ".") or not wanted:
            continue
        stated = figure["stated"] + ("" if isinstance(figure["paper"], str) else UNITS.get(figure["unit"], ""))
        ours = cell(figure, "ours") or "-"
        same = isinstance(figure["paper"], str) and figure.get("ours") == figure["paper"]
        if "median" in figure:
            ours += f" (median {number(figure['median'], decimals_of(figure))}{UNITS.get(figure['unit'], '')})"
        half = figure.get("half_width_95_percent")
        seeds = figure.get("seeds", 1)
        rows.append([f"`{figure['id']}`", figure.get("what", ""), stated, "the same" if same else ours,
                     number(half, decimals_of(figure)) if half is not None else "",
                     str(seeds) if seeds > 1 else "", figure["verdict"] + (" *" if figure.get("repeats") else "")])
    return markdown(["figure", "what", "paper", "ours", "±", "seeds", "verdict"], rows)


def readings_of(results, paper):
    found = [reading for reading in results.read_json("readings.json") if reading["paper"] == paper]
    if not found:
        raise UserError(f"readings: no results of the paper {paper}")
    return found


def cell_of_reading(reading, figure):
    row = next((row for row in reading["figures"] if row["id"] == figure), None)
    if row is None:
        return ""
    half = row.get("half_width_95_percent")
    text = number(row["ours"], decimals_of(row)) + (f" ± {number(half, decimals_of(row))}" if half is not None else "")
    return f"**{text}**" if row["verdict"] == "reproduced" else f"{text}, {row['verdict']}"


def readings(results, paper):
    """Figures of a paper by reading, those that come out in bold."""
    found = readings_of(results, paper)
    figures = {row["id"]: row["stated"] + UNITS.get(row["unit"], "") for reading in found[1:] for row in reading["figures"]}
    rows = [[f"`{figure}`", stated, *(cell_of_reading(reading, figure) for reading in found)] for figure, stated in figures.items()]
    return markdown(["figure", "paper", *(f"`{reading['name']}`" for reading in found)], rows)


def reading_counts(results, paper):
    """A line a reading: what comes out, its reason and source, and the figures it moves."""
    lines = []
    for reading in readings_of(results, paper):
        lines.append(f"- `{reading['name']}`: {reading['headline']}.")
        if "why" not in reading:
            continue
        lines[-1] += f" It is: {reading['title']}. {reading['why']}. Source: {reading['source']}."
        for key, words in (("nearer", "Nearer to the paper"), ("further", "Further from it")):
            figures = ", ".join(f"`{figure}`" for figure in reading[key])
            lines[-1] += f" {words}: {figures or 'none'}."
    return lines


def best_readings(results):
    """The speedups and times that come out under the best reading of each paper."""
    best = {}
    for reading in results.read_json("readings.json"):
        paper = reading["paper"]
        if paper not in best or reading["reproduced_times"] > best[paper]["reproduced_times"]:
            best[paper] = reading
    reproduced = sum(reading["reproduced_times"] for reading in best.values())
    simulated = sum(reading["simulated_times"] for reading in best.values())
    names = ", ".join(f"{paper} `{reading['name']}`" for paper, reading in best.items())
    return [f"**{reproduced} of {simulated} simulated speedups and times come out under the best reading of each paper ({names}).**"]


def why(results, paper):
    figures = {}
    for figure in results.reproduction()["figures"]:
        if figure["id"].startswith(paper + ".") and figure.get("why"):
            see = figure.get("see", "").removeprefix("docs/")
            text = figure["why"] + (f" ([{see.split('#')[0]}]({see}))" if see else "")
            figures.setdefault(text, []).append(f"`{figure['id']}`")
    return [f"- {', '.join(ids)}: {text}." for text, ids in figures.items()]


def atlas(results, figure):
    study = results.atlas(figure)
    decimals = 2 if study.get("unit") == "x" else 1
    rows = []
    for point in study["points"]:
        settings = " ".join(point["set"])
        moved = point.get("moved_by")
        rows.append([point["name"], number(point.get("ours"), decimals),
                     f"{moved:+.{decimals}f}" if settings and moved is not None else "",
                     point["verdict"], f"`{settings}`" if settings else "", point.get("source", "")])
    return markdown(["setting", "ours", "moved by", "verdict", "set", "source"], rows)


def lowering(results, what, percent=None):
    found = results.read_json("im2col_table.json")
    if what == "operations" and percent is not None:
        per = 32 / found["lowered_elements"]
        rows, names = [], []
        for method in found["methods"]:
            operations = next((point["operations"] for point in method["points"] if f"{point['sparsity_percent']:g}" == percent), None)
            if operations is None:
                raise UserError(f"lowering: the results have no {percent} %")
            names = list(operations)
            rows.append([f"`{method['name']}`"] + [number(per * operations[name], 2) for name in names])
        return markdown(["method"] + [name.replace("_", " ") for name in names], rows)
    if what != "times" or percent is not None:
        raise UserError(f"lowering: got '{what}', expected 'times' or 'operations PERCENT'")
    rows = [[f"*paper: {name.split('.')[-1]}*"] + [f"*{point['ratio_to_dense']:g}*" for point in points]
            for name, points in found["paper"].items()]
    rows += [[f"`{method['name']}`: {method['what']}"] + [number(point["ratio_to_dense"], 2) for point in method["points"]]
             for method in found["methods"]]
    return markdown(["zeros [%]"] + [f"{point['sparsity_percent']:g}" for point in found["methods"][0]["points"]], rows)


def lowering_ratio(results, name, percent):
    """Time of a method, or of a row of the paper's Table III, as a multiple of dense im2col's."""
    found = results.read_json("im2col_table.json")
    points = {**found["paper"], **{method["name"]: method["points"] for method in found["methods"]}}.get(name, [])
    ratio = next((each["ratio_to_dense"] for each in points if f"{each['sparsity_percent']:g}" == percent), None)
    if ratio is None:
        raise UserError(f"value: the results have no lowering by '{name}' at {percent} %")
    return ratio


def power(results):
    """The power of products on a card beside the model's (tools/fit_power)."""
    found = results.read_json("v100_power.json")["rows"]
    return markdown(["product", "m, n, k", "card [W]", "model [W]", "error [%]", "without the scale [%]", "row for"],
                    [[f"`{row['name']}`", ", ".join(row[side] for side in "mnk"), number(row["power_w"]), number(row["model_w"]),
                      *(f"{100 * (row[key] / row['power_w'] - 1):+.1f}" for key in ("model_w", "unfitted_w")), row["use"]]
                     for row in found])


def correlation(results, table):
    found = results.read_json(f"{table}_correlation.json")
    rows = [[row["name"], number(row["card_us"], 0), number(row.get("model_us")), f"{row['error_percent']:+.1f}" if "model_us" in row else ""]
            for row in found["rows"]]
    rows.append([f"**mean of absolute errors, {found['rows_run']} rows**", "", "", f"**{found['mean_absolute_error_percent']:.1f}**"])
    return markdown(["row", "card [us]", "model [us]", "error [%]"], rows)


def correlation_row(results, table, name):
    """A row of a table of times beside a card's."""
    row = next((each for each in results.read_json(f"{table}_correlation.json")["rows"] if each["name"] == name), None)
    if row is None:
        raise UserError(f"value: {table} has no row '{name}'")
    return row


def correlation_by(results, table, key, *bounds):
    """Errors by class of the value of a key: up to each bound, and above the last; without bounds one class a value."""
    found = [row for row in results.read_json(f"{table}_correlation.json")["rows"] if "model_us" in row]
    if not bounds:
        return by_value(found, key)
    limits = [int(bound) for bound in bounds] + [None]
    rows, above = [], 0
    for limit in limits:
        values = ((row, int(next(s.split("=")[1] for s in row["set"] if s.split("=")[0] == key))) for row in found)
        errors = [row["error_percent"] for row, value in values if value > above and (limit is None or value <= limit)]
        name = f"above {above}" if limit is None else f"{above + 1} to {limit}"
        rows.append([name, str(len(errors)), number(mean_of(map(abs, errors))), f"{mean_of(errors):+.1f}", number(max(map(abs, errors), default=None))])
        above = limit
    errors = [row["error_percent"] for row in found]
    rows.append(["**all**", str(len(errors)), f"**{mean_of(map(abs, errors)):.1f}**", f"{mean_of(errors):+.1f}", number(max(map(abs, errors)))])
    return markdown([key, "rows", "mean of absolute errors [%]", "mean [%]", "largest [%]"], rows)


def by_value(found, key):
    """Errors of the rows of each value of a key, in the order of the values' first rows."""
    classes = {}
    for row in found:
        value = next(s.split("=")[1] for s in row["set"] if s.split("=")[0] == key)
        classes.setdefault(value, []).append(row["error_percent"])
    classes["**all**"] = [row["error_percent"] for row in found]
    rows = [[name, str(len(errors)), number(mean_of(map(abs, errors))), f"{mean_of(errors):+.1f}", number(max(map(abs, errors), default=None))]
            for name, errors in classes.items()]
    return markdown([key, "rows", "mean of absolute errors [%]", "mean [%]", "largest [%]"], rows)


def mean_of(values):
    values = list(values)
    return sum(values) / len(values) if values else 0.0


def tune(results, table):
    found = results.read_json(f"{table}_tune.json")
    rows = [[row["name"], f"`{row['kernels'][0]['name']}`", number(row["kernels"][0]["cycles"], 0), f"`{row['auto']}`",
             number(row["auto_cycles"], 0), f"{row['loss_percent']:+.1f}"] for row in found["rows"]]
    rows.append(["**mean**", "", "", "", "", f"**{found['mean_loss_percent']:+.1f}**"])
    return markdown(["row", "best", "cycles", "auto", "cycles", "over best [%]"], rows)


def bench_threads(results):
    found = results.read_json("bench_threads.json")
    rows = []
    for case in found["cases"]:
        low, high = case["interval"] if case["interval"] else (None, None)
        rows.append([case["text"], str(len(case["old_seconds"])), number(1 / case["ratio"], 2),
                     f"{1 / high:.2f} to {1 / low:.2f}" if low else "-",
                     f"{min(case['old_seconds']):.2f}, {min(case['new_seconds']):.2f}", number(case["memory_ratio"], 2),
                     "equal" if case["cycles_equal"] else "differ"])
    threads = found["threads"]
    return markdown(["run", "pairs", f"times as fast on {threads} threads", "median within, 95 %",
                     f"least time on the wall, 1 and {threads} threads [s]", "peak of memory over that of one", "cycles"], rows)


def bench(results):
    found = results.read_json("bench.json")
    rows = []
    for case in found["cases"]:
        interval = case["interval"]
        rows.append([case["text"], str(len(case["old_seconds"])), number(case["ratio"], 2),
                     f"{interval[0]:.2f} to {interval[1]:.2f}" if interval else "-",
                     f"{min(case['old_seconds']):.2f}, {min(case['new_seconds']):.2f}", "equal" if case["cycles_equal"] else "differ"])
    return markdown(["run", "pairs", "new over old", "median within, 95 %", "least time, old and new [s]", "cycles"], rows)
