#!/usr/bin/python3
"""Pages in a browser: no error, nothing loaded, tables sort and filter, charts are saved.

Usage: pages_test.py TESSERA [--pictures FOLDER]

Exits 77, which skips the test, where there is no Chromium (tools/setup --tests installs it). With --pictures every page is left as images, light and dark.
"""

import csv
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import browser  # noqa: E402
import colour_distance  # noqa: E402
import page_case  # noqa: E402
import page_layout  # noqa: E402

TRIAL = """
name: duplo_fig9_fig10
title: A trial
base: [duplo_titan_v]
layers: [resnet.C8, yolo.C6]
variants:
  baseline:
    configs: [baseline]
    set: &small {gpu.sms: 2, workload.layer.batch: 1, workload.tiling.cta_limit: 2, workload.im2col: functional}
  lhb1024: {configs: [duplo_paper], set: *small}
"""
GRID = """
name: sizes
title: Sizes and ways of the buffer
base: [duplo_titan_v]
layers: [resnet.C8, yolo.C6]
variants:
  baseline:
    configs: [baseline]
    set: &small {gpu.sms: 2, workload.layer.batch: 1, workload.tiling.cta_limit: 2, workload.im2col: functional}
  duplo: {configs: [duplo_paper], set: *small, grid: {duplo.lhb.entries: [16, 64, 1024], duplo.lhb.ways: [1, 4]}}
  more: {configs: [duplo_paper], set: *small, grid: {sm.scheduler: [gto, lrr], duplo.lhb.entries: [16, 64], duplo.lhb.ways: [1, 2]}}
  one: {configs: [duplo_paper], set: *small, grid: {l1.ways: [4], duplo.lhb.entries: [16, 1024]}}
"""
LAYERS = "layers:\n" + "".join(
    f"  {name}: {{batch: 1, height: 6, width: 6, channels: 16, filters: {filters}, filter_height: 3, filter_width: 3, pad: 1, stride: 1}}\n"
    for name, filters in (("one", 16), ("two", 32)))
CORRELATED = """
gpu: {sms: 1}
workload:
  layer: {name: small, batch: 1, height: 9, width: 9, channels: 16, filters: 32, filter_height: 3, filter_width: 3, pad: 1, stride: 2}
  tiling: {cta_m: 32, cta_n: 32, warp_m: 32, warp_n: 16}
logging: {level: warn}
"""
# In the browser: colours of the marks of each chart. Marks with an outline are the paper's, which are hollow.
FILLS = """[...document.querySelectorAll('svg[role=img]')].map((svg) => [...new Set(
    [...svg.querySelectorAll('rect, circle, polygon, path, ellipse')].map((mark) => getComputedStyle(mark))
        .filter((style) => style.fill !== 'none' && style.stroke === 'none').map((style) => style.fill))])"""
# In the browser: heat maps by their headings, their tooltips by cell, the numbers in them, and numbers with colours.
HEAT_MAPS = """[...document.querySelectorAll('h4')].filter((heading) => heading.textContent.endsWith('over its grid')).map((heading) => {
    const svg = [...document.querySelectorAll('svg[role=img]')].find((one) => heading.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
    const cells = [...svg.querySelectorAll('rect')].filter((cell) => cell.textContent);
    const halves = (cell) => [cell.textContent.slice(0, cell.textContent.lastIndexOf(': ')), cell.textContent.slice(cell.textContent.lastIndexOf(': ') + 2)];
    return {heading: heading.textContent, cells: Object.fromEntries(cells.map(halves)),
        numbers: [...svg.querySelectorAll('text[fill="#000"], text[fill="#fff"]')].map((label) => label.textContent),
        colours: cells.map((cell) => [halves(cell)[1], getComputedStyle(cell).fill])}; })"""
# In the browser: fills of the bars of each chart, and while printing also the lines of its patterns.
BARS = """[...document.querySelectorAll('svg[role=img]')].map((svg) => [...svg.querySelectorAll('rect')].filter((bar) => !bar.closest('defs'))
    .map((bar) => getComputedStyle(bar)).filter((style) => style.stroke === 'none').map((style) => style.fill))"""
PRINTED_BARS = f"""{BARS}.map((fills, i) => [fills, [...document.querySelectorAll('svg[role=img]')[i].querySelectorAll('pattern path')]
    .map((path) => [path.getAttribute('d') + path.getAttribute('stroke-width'), path.getAttribute('stroke'), path.previousSibling.getAttribute('fill')])])"""
# CIEDE2000 of any two colours of a chart, and of each from the page behind it.
APART = 12
# Windows of a desk and of a phone, in pixels.
WIDTHS = (1400, 400)
# Pages with one fault of layout each, by the check that finds it.
PLANTED = {
    "overflow": "<div style='width: 3000px'>wide</div>",
    "contrast": "<p style='color: #999; background: #fff'>faint</p>",
    "overlaps": "<svg role='img' viewBox='0 0 200 60' width='200'><text x='10' y='20' fill='#000'>one label</text>"
                "<text x='20' y='22' fill='#000'>another</text></svg>",
    "small": "<svg role='img' viewBox='0 0 2000 600' width='200'><text x='10' y='200' font-size='12' fill='#000'>small</text></svg>",
}
# Everything that a page could load by itself; `#` names a part of the page.
LOADING = re.compile(r"<(?:img|iframe|link|object|embed|source|audio|video)\b|\bsrc=|@import|url\((?!['\"]?data:|#)")


def brightness(fill):
    """How bright "rgb(8, 48, 107)" is, 0 to 255."""
    return sum(part * float(value) for part, value in zip((0.299, 0.587, 0.114), re.findall(r"\d+", fill)))


class Pages(page_case.PageCase):
    """One page of each kind, made once."""

    @classmethod
    def make_pages(cls):
        tessera = cls.tessera
        layer = ["resnet.C2", "duplo_titan_v", *page_case.SMALL, "-q"]
        tessera("run", "duplo_paper", *layer, "--out", cls.path("duplo"), "--over-time", "--timeline", cls.path("timeline.html"),
                "--wave-scope", "*")
        tessera("run", *layer, "--out", cls.path("plain"), "--timeline", cls.path("t.json"), "--wave-window", "gemm:0:3000")
        tessera("run", *layer, "--set", "timing=at", "--timeline", cls.path("timeline_at.html"), "--wave-window", "gemm:0:6000")
        tessera("timeline", cls.path("t.json"), "-o", cls.path("trace.html"))
        tessera("report", cls.path("duplo"), "-o", cls.path("run.html"))
        tessera("compare", cls.path("plain"), cls.path("duplo"), "--html", cls.path("compare.html"), "--attribute", "--out", cls.path("between"))
        tessera("sweep", cls.write("duplo_fig9_fig10.yaml", TRIAL), "--out", cls.path("sweep"), "-j", "2")
        tessera("report", cls.path("sweep"), cls.path("duplo"), "-o", cls.path("sweep.html"))
        tessera("sweep", cls.write("sizes.yaml", GRID), "--out", cls.path("sizes"), "-j", "2")
        tessera("report", cls.path("sizes"), "-o", cls.path("grid.html"))
        tessera("reproduce", "--no-run", "D.fig3", "D.fig9", "--out", cls.path("reproduction"))
        os.rename(cls.path("reproduction/report.html"), cls.path("reproduction.html"))
        tessera("network", cls.write("net.yaml", LAYERS), "v100,gpu.sms=2", "duplo_staged", "--out", cls.path("network"))
        os.rename(cls.path("network/network.html"), cls.path("network.html"))
        table = cls.write("table.csv", "name,workload.layer.filters,us\nfirst,32,10\nsecond,64,20\nthird,32,30\n")
        tessera("correlate", table, cls.write("small.yaml", CORRELATED), "--out", cls.path("correlation"), "-j", "2")
        os.rename(cls.path("correlation/correlation.html"), cls.path("correlation.html"))

    def test_every_kind_opens_without_an_error_and_loads_nothing(self):
        self.assertEqual(["compare.html", "correlation.html", "grid.html", "network.html", "reproduction.html", "run.html", "sweep.html", "timeline.html",
                          "timeline_at.html", "trace.html"], self.kinds)
        for name in self.kinds:
            with self.subTest(page=name):
                with open(self.path(name), encoding="utf-8") as file:
                    self.assertEqual([], LOADING.findall(file.read()))
                page = self.open(name)
                self.assertGreater(page.evaluate("document.querySelectorAll('th button.sort').length"), 2)
                # Where one thing is folded nothing is lost, and nothing is wider than the window.
                self.assertTrue(page.evaluate("[...document.querySelectorAll('details.section')].every((part) => part.open)"))
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 1280)
                self.assert_calm(page)
                if self.pictures:
                    self.take_pictures(page, name)

    def test_layout_holds_in_wide_and_narrow_windows_light_and_dark(self):
        labels = 0
        for name in self.kinds:
            page = self.open(name)
            for width in WIDTHS:
                page_layout.resize(page, width)
                page.evaluate("new Promise((done) => setTimeout(done, 300))")  # charts over time are drawn again
                for scheme in ("light", "dark"):
                    page.colours(scheme)
                    with self.subTest(page=name, width=width, scheme=scheme):
                        found = page_layout.faults(page)
                        self.assertEqual({}, {check: faults for check, faults in found.items() if faults})
            labels += page.evaluate("document.querySelectorAll('svg[role=img] text').length")
        self.assertGreater(labels, 100)

    def test_each_fault_of_layout_is_seen(self):
        for check, body in PLANTED.items():
            page = self.open(os.path.basename(self.write("planted.htm", "<!DOCTYPE html><body>" + body)))
            page_layout.resize(page, 1400)
            with self.subTest(check=check):
                self.assertEqual([check], [name for name, faults in page_layout.faults(page).items() if faults])

    def test_grids_are_heat_maps(self):
        page = self.open("grid.html")
        with open(self.path("sizes/summary.csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        charts = page.evaluate(HEAT_MAPS)
        self.assertEqual(["duplo over its grid", "more over its grid", "one over its grid"] * 2, [chart["heading"] for chart in charts])
        for column, found in (("speedup_percent", charts[:3]), ("hit_rate_percent", charts[3:])):
            values = {(row["layer"], row["variant"]): float(row[column]) for row in rows if row[column]}
            expected = [{}, {}, {}]
            for (layer, variant), value in values.items():
                other = "yolo.C6" if layer == "resnet.C8" else "resnet.C8"
                mean = (value + values[other, variant]) / 2
                family, _, point = variant.partition("-")
                point = point.split("-")
                if family == "duplo":
                    at = f"entries={point[0]}, ways={point[1]}"
                    expected[0][f"{layer}, {at}"] = value
                    expected[0][f"mean of 2, {at}"] = mean
                elif family == "more":
                    expected[1][f"scheduler={point[0]}, entries={point[1]}, ways={point[2]}"] = mean
                elif family == "one":
                    expected[2][f"layer={layer}, entries={point[1]}"] = value
                    expected[2][f"layer=mean of 2, entries={point[1]}"] = mean
            for cells, chart in zip(expected, found):
                self.assertEqual({what: f"{value:.2f}" for what, value in cells.items()}, chart["cells"], column)
                self.assertEqual(sorted(f"{value:.1f}" for value in cells.values()), sorted(chart["numbers"]))
        # Darker cells are farther from zero, and the largest one has the darkest blue.
        cells = charts[3]["colours"]
        self.assertEqual("rgb(8, 48, 107)", max(cells, key=lambda cell: float(cell[0]))[1])
        # Tables and bars name the keys, too.
        text = page.evaluate("document.body.innerText")
        self.assertIn("duplo (entries=64, ways=4)", text)
        self.assertIn("one (ways=4, entries=16)", text)

    def test_shares_end_at_100_percent(self):
        for name, heading in (("sweep.html", "Hit rate of the load history buffer [%]"), ("sweep.html", "Where the hits come from"),
                              ("run.html", "Where every issue slot went")):
            page = self.open(name)
            section = f"[...document.querySelectorAll('h2, h3')].find((h) => h.textContent.includes({json.dumps(heading)}))"
            labels = page.evaluate(f"""(() => {{ const heading = {section};
                const svg = [...document.querySelectorAll('svg[role=img]')].find((one) =>
                    heading.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
                return [...svg.querySelectorAll('text')].map((one) => one.textContent); }})()""")
            with self.subTest(page=name, heading=heading):
                ticks = [float(label.removesuffix(" %")) for label in labels if re.fullmatch(r"\d+(?: %)?", label)]
                self.assertEqual(100, max(ticks), labels)

    def test_first_column_stays_in_view(self):
        page = self.open("network.html")
        page_layout.resize(page, 400)
        table = "[...document.querySelectorAll('table')].find((t) => t.textContent.includes('limited by'))"
        left = f"Math.round({table}.tBodies[0].rows[0].cells[0].getBoundingClientRect().left)"
        before = page.evaluate(left)
        page.evaluate(f"{table}.closest('.scroll').scrollLeft = 300")
        self.assertEqual(300, page.evaluate(f"{table}.closest('.scroll').scrollLeft"))
        self.assertEqual(before, page.evaluate(left))
        width = page.evaluate(f"{table}.tBodies[0].rows[0].cells[0].getBoundingClientRect().width")
        self.assertTrue(100 < width < 200, width)
        headers = page.evaluate(f"[...{table}.tHead.rows[0].cells].map((cell) => cell.textContent)")
        self.assertEqual(["layer", "MFLOP"], [headers[0], headers[-1]])

    def test_pages_lead_with_a_headline(self):
        for name, titles in (("run.html", ["machine", "mechanism", "layer", "time", "bound by", "energy"]),
                             ("network.html", ["duplo_staged", "v100+gpu.sms=2 alone"])):
            page = self.open(name)
            self.assertEqual(titles, page.evaluate("[...document.querySelectorAll('.headline dt')].map((n) => n.textContent)"))
            self.assertTrue(page.evaluate("Boolean(document.querySelector('.headline').compareDocumentPosition("
                                          "document.querySelector('h2')) & Node.DOCUMENT_POSITION_FOLLOWING)"))
        page = self.open("run.html")
        with open(self.path("duplo/result.json"), encoding="utf-8") as file:
            cycles = sum(kernel["cycles"] for kernel in json.load(file)["kernels"])
        self.assertIn(f"{cycles} cycles of 2 kernels", page.evaluate("document.querySelector('.headline').textContent"))

    def test_what_is_wrong_is_seen(self):
        text = "<table></table><script>throw new Error('broken')</script><img src='http://127.0.0.1:9/x.png'>"
        page = self.open(os.path.basename(self.write("broken.htm", text)))
        page.wait_for("document.readyState === 'complete'")
        self.assertTrue(any("broken" in problem for problem in page.problems), page.problems)
        self.assertEqual(["http://127.0.0.1:9/x.png"], page.requests)
        self.assertTrue(LOADING.findall(text))

    def take_pictures(self, page, name):
        os.makedirs(self.pictures, exist_ok=True)
        for scheme in ("light", "dark"):
            page.colours(scheme)
            page.evaluate("new Promise((done) => setTimeout(done, 300))")
            page.picture(os.path.join(self.pictures, name.replace(".html", f"_{scheme}.png")))

    def test_tables_sort_as_numbers_and_filter(self):
        page = self.open("compare.html")
        table = "[...document.querySelectorAll('table')].pop()"
        header = f"{table}.tHead.rows[0].cells[1]"
        before = self.column(page, table, 1)
        self.assertGreater(len(before), 30)
        # The keyboard sorts the table, too.
        page.evaluate(f"{header}.querySelector('button').focus()")
        page.press("Enter", text="\r", windowsVirtualKeyCode=13)
        self.assertEqual("ascending", page.evaluate(f"{header}.getAttribute('aria-sort')"))
        numbers = [float(text) for text in self.column(page, table, 1) if text != "-"]
        self.assertEqual(sorted(numbers), numbers)
        self.assertNotEqual([str(n) for n in numbers], sorted(str(n) for n in numbers), "as text it would be otherwise")
        empty = [text == "-" for text in self.column(page, table, 1)]
        self.assertEqual(sorted(empty), empty)
        page.evaluate(f"{header}.querySelector('button').click()")
        self.assertEqual(sorted(numbers, reverse=True), [float(text) for text in self.column(page, table, 1) if text != "-"])
        page.evaluate(f"{header}.querySelector('button').click()")
        self.assertEqual(before, self.column(page, table, 1))

        page.evaluate(f"{table}.closest('.scroll').previousElementSibling.querySelector('input').focus()")
        page.type("gemm dram")
        names = self.column(page, table, 0)
        self.assertTrue(names)
        self.assertTrue(all("gemm" in name and "dram" in name for name in names), names)
        self.assertIn(f"{len(names)} of {len(before)} rows", page.evaluate("document.body.innerText"))
        self.assert_calm(page)

    def test_bars_say_which_setting_did_it(self):
        page = self.open("compare.html")
        section = "[...document.querySelectorAll('h2')].find((h) => h.textContent.includes('which did it')).closest('details')"
        self.assertIn("duplo.enabled (off -> on) did most of it", page.evaluate(f"{section}.textContent"))
        table = f"{section}.querySelector('table')"
        self.assertEqual(["duplo.enabled", "workload.tiling.ctas_per_sm"], self.column(page, table, 0))
        alone, on_top = (self.column(page, table, place) for place in (3, 4))
        self.assertLess(int(alone[0]), -1000)
        bars = self.saved(page, f"{section}.querySelector('svg[role=img]').closest('.chart').previousElementSibling.querySelectorAll('button')[1]")
        for what, cells in (("alone", alone), ("on top of all others", on_top)):
            for key, cycles in zip(("duplo.enabled", "workload.tiling.ctas_per_sm"), cells):
                self.assertIn(f'"{key}, {what}",{cycles}.00', bars.splitlines())
        self.assert_calm(page)

    def test_sums_stay_below_what_they_sum(self):
        page = self.open("run.html")
        table = "[...document.querySelectorAll('table')].find((t) => t.textContent.includes('stall_operands'))"
        for _ in range(2):
            page.evaluate(f"{table}.tHead.querySelectorAll('button')[2].click()")
            cells = self.column(page, table, 2)
            self.assertEqual("100.00", cells[-1])
            shares = [float(text) for text in cells[:-1]]
            self.assertAlmostEqual(100, sum(shares), delta=0.06)
        self.assertEqual(sorted(shares, reverse=True), shares)

    def test_charts_say_and_save_their_values(self):
        page = self.open("run.html")
        chart = "document.querySelector('svg[role=img]')"
        page.evaluate(f"{chart}.scrollIntoView({{block: 'center'}})")
        place = page.evaluate(f"(() => {{ const box = {chart}.querySelector('rect').getBoundingClientRect();"
                              "return [box.x + box.width / 2, box.y + box.height / 2]; })()")
        page.mouse("mouseMoved", *place)
        tip = page.evaluate("document.querySelector('.tip').textContent")
        self.assertRegex(tip, r"^resnet\.C2\.\w+, \w+: \d+\.\d\d$")
        self.assertFalse(page.evaluate("document.querySelector('.tip').hidden"))
        tools = f"{chart}.closest('.chart').previousElementSibling.querySelectorAll('button')"
        picture = self.saved(page, f"{tools}[0]")
        self.assertRegex(picture, r"^<svg [^>]*xmlns=")
        self.assertNotIn("var(", picture)
        rows = self.saved(page, f"{tools}[1]").splitlines()
        self.assertEqual("mark,value", rows[0])
        self.assertIn(f'"{tip.rpartition(": ")[0]}",{tip.rpartition(": ")[2]}', rows)

    def test_figures_over_time(self):
        page = self.open("run.html")
        page.wait_for("document.querySelectorAll('.over-time canvas').length > 5")
        names = page.evaluate("[...document.querySelectorAll('.over-time .of-plot strong')].map((n) => n.firstChild.data.trim())")
        for name in ("IPC", "L1 hits", "L2 misses", "DRAM bandwidth", "LHB hits (Duplo)"):
            self.assertIn(name, names)
        rows = self.saved(page, "document.querySelector('.over-time .tools button')").splitlines()
        with open(self.path("duplo/over_time.json"), encoding="utf-8") as file:
            data = json.load(file)
        self.assertEqual(len(data["at"]) + 1, len(rows))
        self.assertTrue(rows[0].startswith("cycle,IPC [instructions a cycle],"), rows[0])
        picture = self.saved(page, "[...document.querySelectorAll('.of-plot button')].find((b) => b.textContent === 'SVG')")
        self.assertRegex(picture, r"^<svg [^>]*xmlns=")
        # The samples hold every instruction.
        with open(self.path("duplo/result.json"), encoding="utf-8") as file:
            kernels = json.load(file)["kernels"]
        ends = [*data["at"][1:], data["end"]]
        ipc = next(figure["values"] for figure in data["figures"] if figure["name"] == "IPC")
        sampled = 0
        for value, begin, end in zip(ipc, data["at"], ends):
            inside = [k for k in data["kernels"] if k["begin"] <= begin < k["end"]]
            sampled += value * (min(end, inside[0]["end"]) - begin) if inside else 0
        counted = sum(kernel["statistics"]["sm"]["sub_core"]["instructions"] for kernel in kernels)
        self.assertAlmostEqual(1, sampled / counted, delta=0.01)
        self.assert_calm(page)

    def test_colours_fold_and_print(self):
        page = self.open("run.html")
        background = "getComputedStyle(document.body).backgroundColor"
        page.colours("dark")
        dark = page.evaluate(background)
        page.colours("light")
        light = page.evaluate(background)
        self.assertNotEqual(dark, light)
        page.colours("dark")
        page.evaluate("document.querySelector('#theme').click()")  # from auto to light
        self.assertEqual(light, page.evaluate(background))
        page.evaluate("document.querySelector('#theme').click(); document.querySelector('#theme').click()")
        section = "document.querySelector('details.section')"
        page.evaluate(f"{section}.querySelector('summary').click()")
        self.assertFalse(page.evaluate(f"{section}.open"))
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        self.assertTrue(page.evaluate(f"{section}.open"))
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        self.assertFalse(page.evaluate(f"{section}.open"))

    def test_printed_bars_differ_without_colour(self):
        hatched = 0
        for name in self.kinds:
            page = self.open(name)
            before = page.evaluate(BARS)
            page.evaluate("dispatchEvent(new Event('beforeprint'))")
            for fills, (printed, lines) in zip(before, page.evaluate(PRINTED_BARS)):
                if len(set(fills)) < 2:
                    self.assertEqual(fills, printed)
                    continue
                hatched += 1
                # Bars of one colour have one pattern, others another one, and no two patterns have the same lines.
                self.assertEqual(len(set(fills)), len(set(zip(fills, printed))), name)
                self.assertEqual(len(set(fills)), len(set(printed)), name)
                self.assertEqual(len(set(fills)), len({shape for shape, _, _ in lines}), name)
                for _, line, fill in lines:
                    self.assertGreater(abs({"#000": 0, "#fff": 255}[line] - brightness(fill)), 100, fill)
            page.evaluate("dispatchEvent(new Event('afterprint'))")
            self.assertEqual(before, page.evaluate(BARS), name)
        self.assertGreater(hatched, 5)

    def test_without_javascript_everything_is_there(self):
        with browser.Browser(javascript=False) as quiet:
            for name in ("run.html", "timeline.html"):
                page = quiet.open(self.path(name))
                self.assertEqual(0, page.evaluate("document.querySelectorAll('th button').length"))
                self.assertGreater(page.evaluate("[...document.querySelectorAll('table')].filter((t) => t.offsetParent).length"), 1)

    def test_colours_of_charts_can_be_told_apart(self):
        charts = 0
        for name in self.kinds:
            page = self.open(name)
            for scheme in ("light", "dark"):
                page.colours(scheme)
                behind = page.evaluate("getComputedStyle(document.body).backgroundColor")
                for fills in page.evaluate(FILLS):
                    charts += 1
                    with self.subTest(page=name, scheme=scheme, chart=charts):
                        near = colour_distance.nearest([*fills, behind])
                        self.assertGreaterEqual(near[0], APART, near)
        self.assertGreater(charts, 20)


if __name__ == "__main__":
    page_case.main()
