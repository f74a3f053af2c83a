#!/usr/bin/python3
"""tools/build in a tree that was moved or copied: the build it brought along is started afresh, with a line. A profiled one: the
program that counts is run and goes, or the build ends. Configuring: a package of npm is fetched once, and nothing but the one that
is meant is taken.

Usage: build_tool_test.py
"""

import hashlib
import io
import os
import shutil
import subprocess
import tarfile
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class CopiedTree(unittest.TestCase):
    """tools/build alone, with a compiler and a CMake that do nothing."""

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
        for name in ("cmake", "ninja", "g++"):
            self.program(name, "exit 0")

    def program(self, name, does):
        path = os.path.join(self.programs, name)
        with open(path, "w", encoding="utf-8") as handle:
            handle.write(f"#!/bin/sh\n{does}\n")
        os.chmod(path, 0o755)

    def run_tool(self, *arguments):
        return subprocess.run([os.path.join(self.tree, "tools", "build"), *arguments], capture_output=True, text=True, check=False,
                              env={**os.environ, "PATH": self.programs + ":" + os.environ["PATH"]})


class MovedTree(CopiedTree):
    def build(self, home):
        """Runs tools/build over a build of the tree `home`: its output, and whether an object file survives."""
        target = os.path.join(self.tree, "build", "release", "object.o")
        with open(target, "w", encoding="utf-8"):
            pass
        with open(os.path.join(self.tree, "build", "release", "CMakeCache.txt"), "w", encoding="utf-8") as handle:
            handle.write(f"CMAKE_HOME_DIRECTORY:INTERNAL={home}\n")
        process = self.run_tool()
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


class ProfiledBuild(CopiedTree):
    def build(self, program):
        """Runs tools/build with stubs of CMake and of `program`, which the build makes: its process, and the calls of
        both stubs, each of CMake's with the files built by then."""
        self.log = os.path.join(self.tree, "log")
        made = self.made = os.path.join(self.tree, "build", "profiled", "bin")
        self.program("tessera", f'echo "tessera $@" >>{self.log}\n{program}')
        self.program("cmake", f'echo "cmake $@" $(ls {made} 2>/dev/null) >>{self.log}\n[ "$1" != --build ] || {{ mkdir -p {made} && cp {self.programs}/tessera {made}; }}')
        process = self.run_tool("profiled")
        with open(self.log, encoding="utf-8") as file:
            return process, file.read().splitlines()

    def test_it_is_built_run_and_built_again(self):
        process, calls = self.build("exit 0")
        self.assertEqual(process.returncode, 0, process.stderr)
        kinds = [" ".join(call.split()[:2]) for call in calls]
        self.assertEqual(["cmake --preset", "cmake --build", *["tessera run"] * 8, "cmake --preset", "cmake --build"], kinds)
        # The program that counts is gone before the other one is configured.
        self.assertEqual(["-DTESSERA_PROFILE=generate", "-DTESSERA_PROFILE=use"], [calls[0].split()[-1], calls[-2].split()[-1]])
        self.assertEqual(["tessera"], os.listdir(self.made))

    def test_a_run_that_fails_ends_it(self):
        process, calls = self.build('echo "no such layer" >&2; exit 2')
        self.assertEqual(process.returncode, 2)
        self.assertEqual(["no such layer", "build: a run of the training failed, see above"], process.stderr.splitlines())
        self.assertEqual(1, len([call for call in calls if call.startswith("tessera")]))
        self.assertNotIn("use", " ".join(calls))
        self.assertEqual([], os.listdir(self.made))

    def test_it_makes_the_program_alone(self):
        process = self.run_tool("profiled", "memory_bench")
        self.assertEqual(process.returncode, 2)
        self.assertIn("build: profiled makes the program 'tessera' alone, got target 'memory_bench'", process.stderr)


class PackageOfNpm(unittest.TestCase):
    """cmake/TesseraUplot.cmake on a small package of the same shape."""

    FILES = {"LICENSE": "MIT", "dist/uPlot.iife.min.js": "draw()", "dist/uPlot.min.css": "p {}", "README.md": "not needed"}

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="package_of_npm_")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.package = self.path("package.tgz")
        with tarfile.open(self.package, "w:gz") as archive:
            for name, text in self.FILES.items():
                member = tarfile.TarInfo("package/" + name)
                member.size = len(text)
                archive.addfile(member, io.BytesIO(text.encode()))
        with open(self.package, "rb") as file:
            self.checksum = hashlib.sha512(file.read()).hexdigest()

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def configure(self, url, *options, expected="", warning=False):
        """The files that are there afterwards, or nothing where it failed with the line that is expected."""
        with open(self.path("script.cmake"), "w", encoding="utf-8") as script:
            script.write(f"include({ROOT}/cmake/TesseraUplot.cmake)\nset(TESSERA_UPLOT_URL {url})\n"
                         f"set(TESSERA_UPLOT_SHA512 {self.checksum})\ntessera_uplot({self.path('uplot')})\n")
        shutil.rmtree(self.path("uplot"), ignore_errors=True)
        process = subprocess.run(["cmake", *options, "-P", self.path("script.cmake")], capture_output=True, text=True, check=False,
                                 env={**os.environ, "XDG_CACHE_HOME": self.path("cache")})
        self.assertIn(expected, " ".join(process.stderr.split()))
        self.assertEqual(process.returncode != 0, bool(expected) and not warning, process.stderr)
        return sorted(os.listdir(self.path("uplot"))) if process.returncode == 0 else None

    def test_it_is_fetched_once(self):
        wanted = ["LICENSE", "uPlot.iife.min.js", "uPlot.min.css"]
        self.assertEqual(wanted, self.configure("file://" + self.package))
        self.assertEqual(["uplot-1.6.32.tgz"], os.listdir(self.path("cache", "tessera")))
        self.assertEqual(wanted, self.configure("file:///nowhere"))
        # A damaged file is fetched again.
        with open(self.path("cache", "tessera", "uplot-1.6.32.tgz"), "w", encoding="utf-8") as file:
            file.write("torn")
        self.assertEqual(wanted, self.configure("file://" + self.package))

    def test_what_is_wrong_with_it_is_said(self):
        # A build without a network goes on without it.
        files = self.configure("file:///nowhere", expected="cannot fetch file:///nowhere (\"Couldn't read a file", warning=True)
        self.assertEqual(["LICENSE", "uPlot.iife.min.js", "uPlot.min.css"], files)
        self.assertEqual([], os.listdir(self.path("cache", "tessera")))
        self.configure("file://" + self.path("script.cmake"), expected="is not uplot-1.6.32.tgz as npm has it")
        given = "-DTESSERA_UPLOT=" + self.path("script.cmake")
        self.configure("file://" + self.package, given, expected="script.cmake is not uplot-1.6.32.tgz as npm has it")
        self.assertEqual(3, len(self.configure("file:///nowhere", "-DTESSERA_UPLOT=" + self.package)))


if __name__ == "__main__":
    unittest.main()
