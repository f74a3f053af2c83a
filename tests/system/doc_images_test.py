#!/usr/bin/python3
"""Images of the documents: tools/doc_images makes each of them, and the charts are of the stored results.

Usage: doc_images_test.py TESSERA
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
IMAGES = os.path.join(ROOT, "docs", "images")
TOOL = os.path.join(ROOT, "tools", "doc_images")
BY_HAND = {"machine.svg"}
# The lines of the tool that draw charts: their images, and the arguments of `tessera report`.
CHART = re.compile(r'^ +chart (\S+\.svg) "\$results/(\S+)"(.*)$', re.MULTILINE)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


class Images(unittest.TestCase):
    def test_the_tool_makes_each(self):
        listed = run(TOOL, "--list")
        self.assertEqual(0, listed.returncode, listed.stderr)
        self.assertEqual(set(os.listdir(IMAGES)), set(listed.stdout.split()) | BY_HAND)
        for arguments in (["nothing"], ["--nothing"], ["--list", "*.svg"]):
            refused = run(TOOL, *arguments)
            self.assertEqual((2, 1), (refused.returncode, refused.stderr.count("\n")), refused.stderr)

    def test_charts_are_of_the_stored_results(self):
        with open(TOOL, encoding="utf-8") as file:
            charts = CHART.findall(file.read())
        self.assertEqual({name for name in os.listdir(IMAGES) if name.endswith(".svg")} - BY_HAND, {chart[0] for chart in charts})
        with tempfile.TemporaryDirectory() as folder:
            for name, stored, options in charts:
                with self.subTest(image=name):
                    path = os.path.join(folder, name)
                    drawn = run(PROGRAM, "report", os.path.join("configs", "reference", "results", stored), *options.split(), "-o", path)
                    self.assertEqual(0, drawn.returncode, drawn.stderr)
                    with open(path, encoding="utf-8") as new, open(os.path.join(IMAGES, name), encoding="utf-8") as old:
                        self.assertEqual(new.read(), old.read(), f"tools/doc_images {name} draws it again")

    def test_drawings_stand_on_a_background_in_fonts_that_they_name(self):
        drawings = [name for name in os.listdir(IMAGES) if name.endswith(".svg")]
        for name in drawings:
            with self.subTest(image=name):
                root = xml.etree.ElementTree.parse(os.path.join(IMAGES, name)).getroot()
                self.assertIn("DejaVu Sans", root.get("font-family"))
                first = next(node for node in root if not node.tag.endswith("style"))
                self.assertEqual(("100%", "100%", "#fff"), tuple(first.get(key) for key in ("width", "height", "fill")))
        self.assertGreater(len(drawings), 4)

    def test_what_is_no_stored_chart_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            stored = os.path.join("configs", "reference", "results")
            bad = os.path.join(folder, "bad.json")
            with open(bad, "w", encoding="utf-8") as file:
                file.write('{"rows": [{"name": 3}]}')
            other = os.path.join(folder, "other.svg")
            with open(other, "w", encoding="utf-8") as file:
                file.write("notes")
            atlas, gemm = os.path.join(stored, "atlas.json"), os.path.join(stored, "v100_gemm_correlation.json")
            new = os.path.join(folder, "new.svg")
            for arguments, text in (([bad, "-o", new], "expected the rows of a correlation.json"), ([folder, "-o", new], "cannot be read"),
                                    ([atlas, "--figure", "D.nothing", "-o", new], "--figure: got 'D.nothing', expected one of {D.fig9"),
                                    ([atlas, gemm, "-o", new], "expected one correlation.json"),
                                    ([gemm, "--figure", "D.fig9", "-o", os.path.join(folder, "a.html")], "expected -o FILE.svg"),
                                    ([gemm, "-o", other], "is there and is no SVG file")):
                refused = run(PROGRAM, "report", *arguments)
                self.assertEqual((2, 1), (refused.returncode, refused.stderr.count("\n")), refused.stderr)
                self.assertIn(text, refused.stderr)
            self.assertEqual({"bad.json", "other.svg"}, set(os.listdir(folder)))


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
