#!/usr/bin/python3
"""tools/docs: the headers of this tree pass, and it objects to docstrings that are wrong or missing."""

import os
import subprocess
import tempfile
import unittest

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "docs")


class Docs(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def docs(self, *arguments):
        out = os.path.join(self.folder, "out")
        return subprocess.run([TOOL, "--out", out, *arguments], capture_output=True, text=True, check=False)

    def of_header(self, text):
        with open(os.path.join(self.folder, "block.h"), "w", encoding="utf-8") as handle:
            handle.write("namespace tessera {\n" + text + "}\n")
        return self.docs(self.folder)

    def test_this_tree(self):
        process = self.docs()
        self.assertEqual((process.returncode, process.stderr), (0, ""), process.stdout)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "out", "html", "classtessera_1_1Gpu.html")))

    def test_a_class_needs_a_docstring_and_one_inside_does_not(self):
        process = self.of_header("class Bare {\npublic:\n    int x;\n};\n/// A block.\nstruct Block { struct Inner {}; };\n")
        self.assertEqual(process.returncode, 1)
        self.assertRegex(process.stdout, r"block\.h:2: tessera::Bare has no docstring\n\Z")
        self.assertNotIn("Block", process.stdout)

    def test_a_docstring_must_be_right(self):
        process = self.of_header("/// A block.\nstruct Block {\n    /// @param wrong is not there.\n    void run(int right);\n};\n")
        self.assertEqual(process.returncode, 1)
        self.assertIn("'wrong'", process.stdout)

    def test_no_such_folder(self):
        process = self.docs(os.path.join(self.folder, "nothing"))
        self.assertEqual(process.returncode, 2)
        self.assertEqual(len(process.stderr.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
