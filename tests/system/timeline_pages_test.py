#!/usr/bin/python3
"""Timelines in a browser: they move and are searched, agree with the statistics and the trace, and paint what they hold.

Usage: timeline_pages_test.py TESSERA

Exits 77, which skips the test, where there is no Chromium (tools/setup --tests installs it).
"""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import colour_distance  # noqa: E402
import page_case  # noqa: E402

# In the browser: how much of the lanes of a row of spans is painted, and how much their spans take, in percent of what is
# in view. A pixel is painted if it is not as the one of its column in the gap above.
SHARES = """(() => {
    const {view} = tesseraTimeline;
    view.paint();
    return view.items.filter((item) => item.kind === 'lanes' && !item.textOf && item.lane > 10).map((item) => {
        const [left, width] = [view.canvas.clientWidth - view.width, view.width];
        const pixels = (y, height) => view.context.getImageData(left, y, width, height).data;
        const gap = new Uint32Array(pixels(item.top - 2, 1).buffer);
        let painted = 0;
        let busy = 0;
        item.lanes.forEach((lane, place) => {
            const lines = new Uint32Array(pixels(item.top + place * item.lane, item.lane - 1).buffer);
            lines.forEach((pixel, i) => { painted += pixel !== gap[i % gap.length]; });
            lane.begins.forEach((begin, i) => {
                busy += Math.max(0, Math.min(lane.ends[i], view.to) - Math.max(begin, view.from));
            });
        });
        const lines = item.lanes.length * (item.lane - 1);
        return {label: item.label, lanes: item.lanes.length, painted: 100 * painted / (lines * gap.length),
                busy: 100 * busy / (item.lanes.length * (view.to - view.from))};
    });
})()"""
# CIEDE2000 of any two colours of a timeline, and of each from the page behind it.
APART = 12


class Timelines(page_case.PageCase):
    """Timelines at both levels of timing, and one made from a Chrome trace."""

    @classmethod
    def make_pages(cls):
        layer = ["resnet.C2", "duplo_titan_v", *page_case.SMALL, "-q"]
        cls.tessera("run", "duplo_paper", *layer, "--out", cls.path("duplo"), "--timeline", cls.path("timeline.html"), "--wave-scope", "*")
        cls.tessera("run", *layer, "--out", cls.path("plain"), "--timeline", cls.path("t.json"), "--wave-window", "gemm:0:3000")
        cls.tessera("run", *layer, "--set", "timing=at", "--timeline", cls.path("timeline_at.html"), "--wave-window", "gemm:0:6000")
        cls.tessera("timeline", cls.path("t.json"), "-o", cls.path("trace.html"))

    def test_a_timeline_moves_and_is_searched(self):
        page = self.open("timeline.html")
        page.wait_for("document.documentElement.dataset.openedAfterMs")
        state = "[tesseraTimeline.view.from, tesseraTimeline.view.to]"
        labels = page.evaluate("tesseraTimeline.view.items.map((item) => item.label)")
        for label in ("kernels", "IPC", "L1 misses", "L2 hits", "DRAM bandwidth", "LHB hits (Duplo)", "SM 0",
                      "sub-core 0 issue", "sub-core 0 tensor", "LDST unit", "load filter", "memory: accesses in flight",
                      "SM 0, warp by warp"):
            self.assertTrue(any(text.startswith(label) for text in labels), f"{label} of {labels}")
        self.assertEqual(2, page.evaluate("tesseraTimeline.data.kernels.length"))
        whole = page.evaluate(state)
        page.evaluate("document.querySelector('canvas').focus()")
        page.press("w")
        zoomed = page.evaluate(state)
        self.assertAlmostEqual((whole[1] - whole[0]) / 1.25, zoomed[1] - zoomed[0], places=3)
        page.press("d")
        panned = page.evaluate(state)
        self.assertGreater(panned[0], zoomed[0])
        box = page.evaluate("(({x, y, width}) => [x, y, width])(document.querySelector('canvas').getBoundingClientRect())")
        page.mouse("mouseWheel", box[0] + box[2] / 2, box[1] + 100, deltaX=0, deltaY=-100)
        page.wait_for(f"{state}[1] - {state}[0] < {panned[1] - panned[0] - 1}")
        page.press("0")
        self.assertEqual(whole, page.evaluate(state))
        # A name, then a detail; Enter goes from one to the next.
        page.press("/")
        page.type("load A")
        page.wait_for("document.querySelector('.found').textContent")
        found = int(page.evaluate("document.querySelector('.found').textContent").split()[0].replace(",", ""))
        expected = page.evaluate("(({data}) => data.spanNames.filter((name) => data.names[name] === 'load A').length)(tesseraTimeline)")
        self.assertEqual(expected, found)
        begins = []
        for _ in range(3):
            page.press("Enter", text="\r", windowsVirtualKeyCode=13)
            begins.append(page.evaluate("(({data, view}) => data.begins[view.chosen])(tesseraTimeline)"))
        self.assertEqual(sorted(set(begins)), begins)
        self.assertIn("load A", page.evaluate("document.querySelector('.chosen').textContent"))
        page.evaluate("tesseraTimeline.field.value = 'warp=1'; tesseraTimeline.search()")
        self.assertGreater(int(page.evaluate("document.querySelector('.found').textContent").split()[0].replace(",", "")), 10)
        # Warp by warp on a click.
        page.evaluate("tesseraTimeline.view.toggle('SM 0 warps')")
        self.assertIn("warp 1", page.evaluate("tesseraTimeline.view.items.map((item) => item.label)"))
        self.assert_calm(page)

    def test_counters_of_a_window_are_of_its_time(self):
        page = self.open("timeline_at.html")
        data = page.evaluate("(({data: {figures, first, last}}) => ({figures, first, last}))(tesseraTimeline)")
        figures = {figure["name"]: figure for figure in data["figures"]}
        self.assertLessEqual(max(figures["IPC"]["values"]), 8)  # four sub-cores in each of two SMs
        self.assertLessEqual(max(figures["L2 hits"]["values"]), 100)
        for figure in figures.values():
            self.assertGreaterEqual(figure["at"][0], 0)
            self.assertLessEqual(figure["end"], 6000)
            self.assertGreater(figure["end"], 5000)
        self.assertLessEqual(data["last"] - data["first"], 6000)

    def test_accesses_in_flight_at_both_levels_of_timing(self):
        for name in ("timeline.html", "timeline_at.html"):
            page = self.open(name)
            lanes = page.evaluate("tesseraTimeline.view.items.find((item) => item.label === 'memory: accesses in flight').lanes"
                                  ".map((lane) => [...lane.begins].map((begin, i) => [begin, lane.ends[i]]))")
            self.assertGreater(len(lanes), 8, name)
            for spans in lanes:
                for (_, end), (begin, _) in zip(spans, spans[1:]):
                    self.assertLessEqual(end, begin)
            # None is there before L1 has answered.
            self.assertGreaterEqual(min(end - begin for spans in lanes for begin, end in spans[:-1]), 1)

    def test_rows_of_a_timeline_agree_with_the_statistics(self):
        page = self.open("timeline.html")
        with open(self.path("duplo/result.json"), encoding="utf-8") as file:
            ldst = json.load(file)["kernels"][1]["statistics"]["sm"]["ldst"]["detection"]
        sums = page.evaluate("(({data}) => ['hits', 'units'].map((key) => data.column(key).values.reduce((a, b) => a + b)))(tesseraTimeline)")
        hits = sum(value for name, value in ldst.items() if name.startswith("hits_"))
        bypasses = sum(value for name, value in ldst.items() if name.startswith("bypass_"))
        self.assertEqual([hits, hits + ldst["misses"] + bypasses], sums)
        # Rows of one unit do not overlap; there is one for each of two SMs.
        filters = page.evaluate("tesseraTimeline.data.rows.filter((row) => row.thread === 'load filter').map((row) => row.lanes.length)")
        self.assertEqual([1, 1], filters)
        kernels = page.evaluate("tesseraTimeline.data.kernels.map((kernel) => kernel.end - kernel.begin)")
        with open(self.path("duplo/result.json"), encoding="utf-8") as file:
            self.assertEqual([kernel["cycles"] for kernel in json.load(file)["kernels"]], kernels)

    def test_painted_shares_are_those_of_the_table(self):
        page = self.open("timeline.html")
        page.colours("dark")  # where no text has the colour of the page
        # High enough for every row.
        page.evaluate("tesseraTimeline.view.canvas.style.height = `${tesseraTimeline.view.height + 20}px`")
        table = "document.querySelectorAll('table')[0]"
        listed = {}
        for row in page.evaluate(f"[...{table}.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent))"):
            listed.setdefault(row[1], []).append(float(row[-1]))
        length = page.evaluate("tesseraTimeline.data.length")
        for pieces in (1, 4, 20):
            painted = {}
            for piece in range(pieces):
                page.evaluate(f"tesseraTimeline.view.show({length * piece / pieces}, {length * (piece + 1) / pieces})")
                for place, row in enumerate(page.evaluate(SHARES)):
                    with self.subTest(pieces=pieces, piece=piece, row=row["label"]):
                        # A column that holds anything is painted at least one pixel of 15 high.
                        self.assertGreater(row["painted"], row["busy"] - 1.5)
                        self.assertLess(row["painted"], row["busy"] + 4)
                    if row["lanes"] == 1:
                        painted.setdefault((place, row["label"]), []).append(row["painted"])
            self.assertGreater(len(painted), 15)
            self.assertTrue(any(label.startswith("sub-core") for _, label in painted))
            for (_, label), shares in painted.items():
                with self.subTest(pieces=pieces, row=label):
                    mean = sum(shares) / pieces
                    self.assertLess(min(abs(mean - share) for share in listed[label]), 3, f"{mean} of {listed[label]}")

    def test_colours_of_kinds_on_a_timeline_can_be_told_apart(self):
        for name in ("timeline.html", "timeline_at.html", "trace.html"):
            page = self.open(name)
            colours = page.evaluate("(({data, view}) => Object.fromEntries([...data.names, ...data.kernels.map((k) => k.name)]"
                                    ".map((name) => [name.replace(/ \\d+$/, ''), view.colourOf(name)])))(tesseraTimeline)")
            self.assertGreater(len(colours), 15)
            self.assertEqual(len(colours), len(set(colours.values())), colours)
            for scheme in ("light", "dark"):
                page.colours(scheme)
                behind = page.evaluate("getComputedStyle(document.body).backgroundColor")
                near = colour_distance.nearest([*colours.values(), behind])
                self.assertGreaterEqual(near[0], APART, near)

    def test_spans_on_a_page_are_those_of_the_trace(self):
        page = self.open("trace.html")
        with open(self.path("t.json"), encoding="utf-8") as file:
            events = [event for event in json.load(file)["traceEvents"] if event["ph"] == "X"]
        spans = page.evaluate("(({data}) => data.rows.flatMap((row) => { const all = []; for (let i = row.from; i < row.to; ++i)"
                              "all.push([data.first + data.begins[i], data.ends[i] - data.begins[i], data.nameOf(i), data.detailsOf(i)]);"
                              "return all; }))(tesseraTimeline)")

        def details(args):
            return ", ".join(f"{key} {value:,}" if isinstance(value, int) else f"{key} {value}" for key, value in args.items())

        expected = [[event["ts"], event["dur"], event["name"], details(event.get("args", {}))] for event in events]
        self.assertEqual(sorted(expected), sorted(spans))


if __name__ == "__main__":
    page_case.main()
