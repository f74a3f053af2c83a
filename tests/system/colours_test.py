#!/usr/bin/python3
"""The palettes of all pages: colours that stand beside each other, and the page behind them, can be told apart.

Usage: colours_test.py SOURCE_FOLDER

pages_test.py has the same distances from the colours that pages show.
"""

import itertools
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import colour_distance  # noqa: E402

SOURCE = ""
APART = 12  # CIEDE2000 of any two colours of a palette
FROM_PAGE = 12  # and of each from the page behind it
COLOUR = re.compile(r"#[0-9a-f]{6}")
# From Sharma, Wu and Dalal (2005), Table 1: two colours in Lab and their distance.
PUBLISHED = [
    ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
    ((50, -1, 2), (50, 0, 0), 2.3669),
    ((50, 2.49, -0.001), (50, -2.49, 0.0011), 7.2195),
    ((50, 2.5, 0), (73, 25, -18), 27.1492),
    ((50, 2.5, 0), (58, 24, 15), 19.4535),
    ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ((22.7233, 20.0904, -46.694), (23.0331, 14.973, -42.5619), 2.0373),
    ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514), 0.9082),
]


def text_of(name):
    with open(os.path.join(SOURCE, name), encoding="utf-8") as file:
        return file.read()


def palette(name, begin, end):
    """The colours of a file between two texts."""
    text = text_of(name)
    at = text.index(begin)
    return COLOUR.findall(text[at:text.index(end, at)])


class Colours(unittest.TestCase):
    def test_distances_are_those_published(self):
        for one, other, expected in PUBLISHED:
            self.assertAlmostEqual(expected, colour_distance.ciede2000(one, other), places=4)
            self.assertAlmostEqual(expected, colour_distance.ciede2000(other, one), places=4)

    def pages(self):
        """The page behind everything, light and dark."""
        light, dark = re.search(r"--page: light-dark\((#\w+), (#\w+)\)", text_of("sc_models/page/assets/page.css")).groups()
        return [light if len(light) == 7 else "#" + "".join(2 * digit for digit in light[1:]), dark]

    def assert_apart(self, colours, fewest):
        self.assertGreaterEqual(len(colours), fewest)
        near, one, other = colour_distance.nearest(colours)
        self.assertGreaterEqual(near, APART, f"{one} and {other}")
        for colour, page in itertools.product(colours, self.pages()):
            self.assertGreaterEqual(colour_distance.distance(colour, page), FROM_PAGE, f"{colour} on {page}")

    def test_series_of_charts(self):
        self.assert_apart(palette("sc_models/chart/svg_drawing.cpp", "kChosen = {{", "}};"), 24)

    def test_issue_slots_and_kinds_of_a_timeline(self):
        kinds = palette("sc_models/page/assets/timeline_colours.js", "const KNOWN = {", "};")
        self.assert_apart(kinds, 42)
        slots = palette("sc_models/report/run_section.cpp", "kSlotColours = {{", "}};")
        self.assert_apart(slots, 12)
        # A stall has one colour on both pages.
        self.assertEqual(set(), set(slots[2:]) - set(kinds))

    def test_figures_over_time(self):
        self.assert_apart(palette("sc_models/page/assets/over_time.js", "COLOURS = [", "];"), 6)

    def test_classes_of_hits(self):
        self.assert_apart(palette("sc_models/reproduction/html_report.cpp", "kColours = {", "};"), 6)


if __name__ == "__main__":
    SOURCE = os.path.abspath(sys.argv.pop(1))
    unittest.main()
