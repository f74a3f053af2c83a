"""Tables of sampled runs beside full ones, of what tools/sampling_table stores."""

import statistics

from tables.text import markdown, number


def sampling_rows(results):
    """Pairs of tools/sampling_table with their numbers."""
    rows = results.summary("sampling")
    rows = [dict(row) for row in rows]
    for row in rows:
        for column in ("ctas", "waves", "sampled_ctas", "full_cycles", "sampled_cycles", "half_width", "full_seconds",
                       "sampled_seconds"):
            row[column] = float(row[column])
        row["error"] = 100 * (row["sampled_cycles"] / row["full_cycles"] - 1)
        row["held"] = abs(row["sampled_cycles"] - row["full_cycles"]) <= row["half_width"]
    return rows


def sampling_row(name, rows):
    """How good the samples of `rows` are, and what they saved."""
    errors = [abs(row["error"]) for row in rows]
    times = sum(row["full_seconds"] for row in rows) / sum(row["sampled_seconds"] for row in rows)
    return [name, str(len(rows)), number(100 * sum(row["held"] for row in rows) / len(rows), 0),
            number(statistics.mean(errors), 2), number(max(errors), 2),
            f"{statistics.mean(row['error'] for row in rows):+.2f}",
            number(statistics.mean(100 * row["half_width"] / row["sampled_cycles"] for row in rows), 2),
            number(statistics.mean(row["ctas"] / row["sampled_ctas"] for row in rows)), number(times)]


SAMPLING_COLUMNS = ["pairs", "intervals that hold [%]", "mean error [%]", "largest [%]", "bias [%]",
                    "mean half width [%]", "CTAs saved [times]", "host time saved [times]"]


def sampling(results, by):
    """The table of the accuracy and savings of sampling, grouped by `family` or by `waves`."""
    rows = sampling_rows(results)
    if by == "family":
        names = sorted({row["family"] for row in rows})
        groups = [(name.replace("_", "-"), [row for row in rows if row["family"] == name]) for name in names]
    else:
        bounds = (20, 40, 80, 160, 100000)
        groups = [(f"{low} to {high - 1}" if high < 100000 else f"{low} and more",
                   [row for row in rows if low <= row["waves"] < high]) for low, high in zip(bounds, bounds[1:])]
    table = [sampling_row(name, group) for name, group in groups if group]
    return markdown([by] + SAMPLING_COLUMNS, table + [sampling_row("**all**", rows)])


def sampling_speedups(results):
    """Speedups of each mechanism over its baseline on the same workload, from two full runs and from two sampled
    ones."""
    rows = {}
    for row in sampling_rows(results):
        if not row["kernel"].endswith("im2col"):
            rows[row["family"], row["variant"], row["workload"]] = row
    found = {}
    for (family, variant, workload), row in rows.items():
        tile = variant.split()[0]
        baseline = {"duplo_paper": "baseline", "duplo_buildable": "baseline_buildable", "dual_side_ideal": "cutlass",
                    "dual_side_paper": "cutlass", f"{tile} duplo_staged": f"{tile} forward"}.get(variant)
        if variant.startswith("scheme") and variant != "scheme none":
            baseline = "scheme none"
        dense = " ".join(workload.split()[:3]) if family == "dual_side" else workload
        other = rows.get((family, baseline, dense))
        if other is None:
            continue
        name = variant.split()[-1] if family == "cudnn" else variant.replace("scheme ", "opportunistic, ")
        found.setdefault(name, []).append([other[key] / row[key] for key in ("full_cycles", "sampled_cycles")])
    table = []
    for name, pairs in sorted(found.items()):
        table.append([name, str(len(pairs)), *(number(statistics.mean(pair[i] for pair in pairs), 3) for i in (0, 1)),
                      number(statistics.mean(100 * abs(pair[1] / pair[0] - 1) for pair in pairs), 2),
                      number(max(100 * abs(pair[1] / pair[0] - 1) for pair in pairs), 2)])
    return markdown(["mechanism", "pairs of pairs", "times as fast, full", "times as fast, sampled", "mean difference [%]",
                     "largest [%]"], table)
