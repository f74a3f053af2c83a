#!/usr/bin/python3
"""tools/mutate puts the errors it says into a source, one at a time, and says in one line what is wrong with a command."""

import argparse
import importlib.machinery
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
import mutate_cases  # noqa: E402 (the path must be set first)
import mutate_points  # noqa: E402
import rtl_common as common  # noqa: E402

SOURCE = """#include <cstdint>
#include <cstdio>
namespace core {
constexpr int kLimit = 3;
struct Counter {
    int count = 0;
    int table[kLimit + 1] = {};
    void add(int x) {
        if (x < kLimit && x != 0) ++count;
        table[0] += x * 2;
    }
    bool flag() const { return true; }
};
template <int n> int twice() { return 2 * n; }
}  // namespace core
int main() {
    core::Counter counter;
    for (int i = 0; i <= 4; ++i) counter.add(i);
    static_assert(1 + 1 == 2, "left alone");
    int array[2 + 2] = {};
    switch (counter.count) {
        case 1 + 1: array[0] = core::twice<3>(); break;
        default: array[0] = -1;
    }
    std::printf("%d %d %d %d\\n", counter.count, counter.table[0], counter.flag() ? 1 : 0, array[0]);
}
"""
FLAGS = ["-std=c++17", "-x", "c++", "-w", "-Werror=vla"]


def mutate(*arguments):
    """The finished process of the tool."""
    return subprocess.run([os.path.join(ROOT, "tools", "mutate"), *arguments], capture_output=True, text=True,
                          check=False, timeout=60)


def load():
    """The tool as a module."""
    loader = importlib.machinery.SourceFileLoader("mutate", os.path.join(ROOT, "tools", "mutate"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", loader))
    loader.exec_module(module)
    return module


class Mutate(unittest.TestCase):
    def assert_user_error(self, process, expected):
        self.assertEqual(process.returncode, 2, process.stdout + process.stderr)
        self.assertEqual(process.stderr.count("\n"), 1, process.stderr)
        self.assertIn(expected, process.stderr)

    def test_help_and_mistakes(self):
        process = mutate("--help")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn("--seed", process.stdout)
        self.assert_user_error(mutate("--count", "0"), "got '0', expected a whole number")
        self.assert_user_error(mutate("--fast"), "--fast (try --help)")
        self.assert_user_error(mutate("--file", "no_such_core"), "'no_such_core' matches none of {sc_models/")

    def test_every_listed_source_is_there(self):
        for name in load().source_names("*"):
            self.assertTrue(os.path.exists(os.path.join(ROOT, name)), name)

    def test_folders_are_chosen_and_sampled(self):
        tool = load()
        folders = {tool.folder_of(name) for name in tool.source_names("*")}
        self.assertLessEqual({"workload", "lowering", "network", "energy", "run", "memory", "sm"}, folders)
        self.assertEqual({tool.folder_of(name) for name in tool.source_names("/energy/", "/run/")}, {"energy", "run"})
        with self.assertRaises(common.UserError):
            tool.source_names("/energy/", "no_such_core")

        def points(name, number):
            return [mutate_points.Point(name, "f", i, "constant", i, i + 1, str(i), "x") for i in range(number)]

        points_of = {name: points(name, 30) for name in ("sc_models/noc/at/mesh_at.cpp", "sc_models/noc/lt/mesh.cpp",
                                                         "sc_models/energy/energy_table.cpp")}

        def sample(names, **options):
            options = {"count": 20, "seed": 1, "per_folder": None, **options}
            found = tool.sample({name: points_of[name] for name in names}, argparse.Namespace(**options))
            numbers = [point.number for of_source in found.values() for point in of_source]
            self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
            return {name: [point.key() for point in of_source] for name, of_source in found.items()}

        cores = sample(list(points_of)[:2])
        self.assertEqual([len(found) for found in cores.values()], [10, 10])
        both = sample(points_of)
        self.assertEqual(len(both["sc_models/energy/energy_table.cpp"]), 20, "a group of its own")
        self.assertEqual({name: both[name] for name in cores}, cores)
        few = sample(points_of, per_folder=3)
        self.assertEqual(sum(len(few[name]) for name in cores), 3)
        self.assertEqual(len(few["sc_models/energy/energy_table.cpp"]), 3)

    def test_survivors_are_about_code_that_is_there(self):
        tool = load()
        for entry in tool.explanations():
            with open(os.path.join(ROOT, entry["file"]), encoding="utf-8") as handle:
                text = " ".join(handle.read().split())
            function = entry["function"].split("::")[-1]
            self.assertIn(function, text, entry)
            old = entry["change"].split(" -> ")[0]
            if "..." not in old:
                self.assertIn(old, text, entry)

    def test_survivors_with_a_mistake(self):
        tool = load()
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as handle:
            handle.write("- {file: a.cpp, function: f, change: x, equivalent: true}")
            handle.flush()
            tool.SURVIVORS = handle.name
            with self.assertRaises(common.UserError) as caught:
                tool.explanations()
            self.assertIn("'reason' is missing", str(caught.exception))

    def test_a_case_that_a_signal_to_the_tool_ends_has_not_failed(self):
        tool = load()
        children = tool.common.Children

        def stop():
            while not children.running:
                time.sleep(0.01)
            with children.lock:
                children.stopped_by = signal.SIGTERM
                for process in children.running:
                    children.kill(process)

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "case")
            with open(path, "w", encoding="utf-8") as handle:
                handle.write("#!/bin/sh\nsleep 20\n")
            os.chmod(path, 0o700)
            thread = threading.Thread(target=stop)
            thread.start()
            try:
                with self.assertRaises(tool.common.Stopped):
                    mutate_cases.Case(path, "Suite.Case").run(1)
            finally:
                thread.join()
                children.stopped_by = 0

    @unittest.skipIf(mutate_points.cindex is None, "python3-clang-14 is missing")
    def test_errors_are_switched_one_at_a_time(self):
        compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
        self.assertIsNotNone(compiler)
        tool = load()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "core.cpp")
            with open(path, "w", encoding="utf-8") as handle:
                handle.write(SOURCE)
            points = mutate_points.Finder(path, "core.cpp", FLAGS).points
            changes = {(point.kind, point.change) for point in points}
            for expected in (("relation", "x < kLimit -> x <= kLimit"), ("relation", "x != 0 -> x == 0"),
                             ("dropped", "++count -> nothing"), ("arithmetic", "x * 2 -> x / 2"),
                             ("logic", "x < kLimit && x != 0 -> x < kLimit || x != 0"),
                             ("constant", "true -> false"), ("constant", "2 -> 2 + 1"),
                             ("constant", "kLimit -> kLimit + 1")):
                self.assertIn(expected, changes)
            self.assertEqual(len({point.key() for point in points}), len(points))
            # Lines that move change neither the points nor the sample.
            moved = os.path.join(folder, "moved.cpp")
            with open(moved, "w", encoding="utf-8") as handle:
                handle.write("// One more line.\n\n" + SOURCE)
            again = mutate_points.Finder(moved, "core.cpp", FLAGS).points
            self.assertEqual([point.key() for point in points], [point.key() for point in again])
            self.assertEqual([point.key() for point in mutate_points.chosen(points, 5, 1)],
                             [point.key() for point in mutate_points.chosen(again, 5, 1)])
            # A file in another folder keeps its sample, one of another name has its own.
            elsewhere = mutate_points.Finder(path, "folder/core.cpp", FLAGS).points
            renamed = mutate_points.Finder(path, "folder/other.cpp", FLAGS).points
            drawn = [[(point.function, point.change, point.ordinal) for point in mutate_points.chosen(found, 5, 1)]
                     for found in (points, elsewhere, renamed)]
            self.assertEqual(drawn[0], drawn[1])
            self.assertNotEqual(drawn[0], drawn[2])
            # All points at once, numbered, less those that would not be C++ any more.
            for number, point in enumerate(points, start=1):
                point.number = number
            tool.write_if_new(os.path.join(folder, "mutant_switch.h"), tool.SWITCH_HEADER)
            tool.write_if_new(os.path.join(folder, "switch.cpp"), tool.SWITCH_SOURCE % {"bytes": len(points) + 1})
            while True:
                text = b'#include "mutant_switch.h"\n' + mutate_points.render(SOURCE.encode(), points)
                wrong = mutate_points.broken(path, text, FLAGS + [f"-I{folder}"])
                if not wrong:
                    break
                points = [point for point in points if point.number not in wrong]
            with open(path, "wb") as handle:
                handle.write(text)
            program = os.path.join(folder, "core")
            subprocess.run([compiler, "-std=c++17", "-w", f"-I{folder}", path, os.path.join(folder, "switch.cpp"),
                            "-o", program], check=True, timeout=60)

            def output(number, **more):
                return subprocess.run([program], capture_output=True, text=True, check=False, timeout=10,
                                      env={**os.environ, "TESSERA_MUTANT": str(number), **more}).stdout

            reached = os.path.join(folder, "reached")
            self.assertEqual(output(0, TESSERA_MUTANTS_REACHED=reached), "2 20 1 6\n")
            with open(reached, "rb") as handle:
                seen = {number for number, byte in enumerate(handle.read()) if byte}
            expected = {"x < kLimit -> x <= kLimit": "3 20 1 -1\n", "x != 0 -> x == 0": "1 20 1 -1\n",
                        "++count -> nothing": "0 20 1 -1\n", "x * 2 -> x / 2": "2 4 1 6\n",
                        "true -> false": "2 20 0 6\n"}
            tried = 0
            for point in points:
                if point.change in expected:
                    self.assertIn(point.number, seen)
                    self.assertEqual(output(point.number), expected[point.change], point.text())
                    tried += 1
            self.assertEqual(tried, len(expected))


if __name__ == "__main__":
    unittest.main()
