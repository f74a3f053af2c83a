#!/usr/bin/python3
"""tools/build in a tree that was moved or copied: the build it brought along is started afresh, with a line.

Usage: build_tool_test.py
"""

import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class MovedTree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="build_tool_")
        self.addCleanup(folder.cleanup)
        self.tree = os.path.join(folder.name, "tree")
        self.programs = os.path.join(folder.name, "bin")
        for path in ("tools", "build/release"):
            os.makedirs(os.path.join(self.tree, path))
        os.makedirs(self.programs)
        for name in ("build", "common.sh"):
            shutil.copy(os.path.join(ROOT, "tools", name), os.path.join(self.tree, "tools"))
        for name in ("cmake", "ninja", "g++"):  # that do nothing: what is tested comes before them
            path = os.path.join(self.programs, name)
            with open(path, "w", encoding="utf-8") as handle:
                handle.write("#!/bin/sh\nexit 0\n")
            os.chmod(path, 0o755)

    def build(self, home):
        """What tools/build prints over a build of the tree `home`, and whether an object file survives."""
        target = os.path.join(self.tree, "build", "release", "object.o")
        with open(target, "w", encoding="utf-8"):
            pass
        with open(os.path.join(self.tree, "build", "release", "CMakeCache.txt"), "w", encoding="utf-8") as handle:
            handle.write(f"CMAKE_HOME_DIRECTORY:INTERNAL={home}\n")
        process = subprocess.run([os.path.join(self.tree, "tools", "build")], capture_output=True, text=True, check=False,
                                 env={**os.environ, "PATH": self.programs + ":" + os.environ["PATH"]})
        self.assertEqual(process.returncode, 0, process.stderr)
        return process.stdout, os.path.exists(target)

    def test_a_build_of_another_tree_is_started_afresh(self):
        output, kept = self.build("/nowhere/else")
        self.assertIn("== build/release was configured for /nowhere/else, not for this one: starting it afresh\n", output)
        self.assertFalse(kept)

    def test_its_own_build_is_kept(self):
        output, kept = self.build(self.tree)
        self.assertNotIn("afresh", output)
        self.assertTrue(kept)


if __name__ == "__main__":
    unittest.main()
