"""Test case of pages in a browser: a folder of pages, and what the tests do with an open one.

main() takes the program from the command line. It exits 77, which skips the test, where there is no Chromium (tools/setup --tests
installs it).
"""
import os
import subprocess
import sys
import tempfile
import unittest

import browser

SKIPPED = 77
SMALL = ["--set", "gpu.sms=2", "--set", "workload.tiling.cta_limit=4"]


class PageCase(unittest.TestCase):
    """Pages of a folder, made once by make_pages() of the derived class."""

    program = ""  # path of tessera
    pictures = ""  # folder for images of the pages; empty: none

    @classmethod
    def make_pages(cls):
        raise NotImplementedError

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="pages_")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.make_pages()
        cls.kinds = [name for name in sorted(os.listdir(cls.folder)) if name.endswith(".html")]
        cls.browser = browser.Browser()
        cls.browser.__enter__()
        cls.addClassCleanup(cls.browser.__exit__)

    @classmethod
    def tessera(cls, *arguments):
        process = subprocess.run([cls.program, *arguments], capture_output=True, text=True, check=False)
        if process.returncode != 0:
            raise AssertionError(f"{' '.join(arguments)}: {process.stderr}")
        return process.stdout

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def write(cls, name, text):
        with open(cls.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return cls.path(name)

    def open(self, name):
        page = self.browser.open(self.path(name))
        self.addCleanup(page.close)
        return page

    def assert_calm(self, page):
        page.evaluate("1")  # what has been said by now has been heard
        self.assertEqual([], page.problems)
        self.assertEqual([], [url for url in page.requests if not url.startswith(("data:", "blob:"))])

    def column(self, page, table, place):
        return page.evaluate(f"[...{table}.tBodies[0].rows].filter((row) => row.offsetParent)"
                             f".map((row) => row.cells[{place}].textContent)")

    def saved(self, page, button):
        """The text that a button saves; the page is changed so that the browser does not ask for a path."""
        page.evaluate("""(() => { const kept = window.kept = []; URL.createObjectURL = (blob) => {
            blob.text().then((text) => kept.push(text)); return '#'; }; HTMLAnchorElement.prototype.click = () => {}; })()""")
        page.evaluate(f"{button}.click()")
        page.wait_for("window.kept.length === 1")
        return page.evaluate("window.kept[0]")


def main():
    PageCase.program = os.path.abspath(sys.argv.pop(1))
    if "--pictures" in sys.argv:
        place = sys.argv.index("--pictures")
        PageCase.pictures = os.path.abspath(sys.argv[place + 1])
        del sys.argv[place:place + 2]
    if browser.program() is None:
        print("skipped: there is no Chromium (tools/setup --tests installs it)")
        sys.exit(SKIPPED)
    unittest.main()
