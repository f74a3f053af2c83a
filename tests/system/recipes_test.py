#!/usr/bin/python3
"""The recipes of docs/extending.md work: their text is applied to a fresh copy of the project, which is built and
run, and prints what they say.

Usage: recipes_test.py FOLDER [--only TITLE]   (for the copy; what a former run built there is used again)

--only takes one recipe, that of the heading TITLE, and leaves the others out of the copy.

A recipe is a section. Before each block of code stands a line that says where it goes:
    New file `PATH`:
    In `PATH`, below the line `TEXT`:      (above, instead of; TEXT occurs in exactly one line of the file)
    Copy `PATH` to `PATH`.                 (without a block)
A block `sh` is a list of commands; a block `text` behind it holds lines that they print, in this order, with
`...` for anything."""

import filecmp
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOCUMENT = os.path.join("docs", "extending.md")
PLACE = re.compile(r"^(?:New file `(?P<new>[^`]+)`|"
                   r"In `(?P<path>[^`]+)`, (?P<how>below|above|instead of) the line `(?P<anchor>[^`]+)`):$")
COPY = re.compile(r"^Copy `([^`]+)` to `([^`]+)`\.$")


class RecipeError(Exception):
    """A recipe that cannot be followed: line of the document and what is wrong."""


def read_recipes(text):
    """{title: [(line, kind, ...)]} with the steps ("edit", match, body) and ("run", commands, expected)."""
    recipes, steps, place, fence, body = {}, None, None, None, []
    for number, line in enumerate(text.splitlines(), start=1):
        if fence is not None:
            if not line.startswith("```"):
                body.append(line)
                continue
            content = "\n".join(body) + "\n"
            if place is not None:
                steps.append((number, "edit", place, content))
            elif fence == "sh":
                steps.append((number, "run", content, []))
            elif fence == "text":
                if not steps or steps[-1][1] != "run":
                    raise RecipeError(f"{number}: expected a block of commands before what is printed")
                steps[-1][3].extend(body)
            else:
                raise RecipeError(f"{number}: a block of code that nothing says where to put")
            place, fence = None, None
        elif line.startswith("## "):
            steps = recipes.setdefault(line[3:], [])
        elif steps is not None and line.startswith("```"):
            fence, body = line[3:].strip(), []
        elif steps is not None and PLACE.match(line):
            place = PLACE.match(line)
        elif steps is not None and COPY.match(line):
            source, target = COPY.match(line).groups()
            with open(os.path.join(ROOT, source), encoding="utf-8") as file:
                steps.append((number, "edit", {"new": target}, file.read()))
    return {title: steps for title, steps in recipes.items() if steps}


def apply(folder, number, place, body):
    """One edit, in the copy under `folder`."""
    path = os.path.join(folder, place["new"] or place["path"])
    if place["new"]:
        if os.path.exists(path):
            raise RecipeError(f"{number}: {place['new']} exists")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        lines = [body]
    else:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines(keepends=True)
        found = [i for i, line in enumerate(lines) if place["anchor"] in line]
        if len(found) != 1:
            raise RecipeError(f"{number}: {len(found)} lines of {place['path']} hold '{place['anchor']}', expected one")
        first = found[0] + (place["how"] == "below")
        lines[first:first + (place["how"] == "instead of")] = [body]
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(lines))


def missing_lines(expected, printed):
    """The lines of `expected` that `printed` lacks, in order."""
    printed = iter(printed.splitlines())
    missing = []
    for line in expected:
        pattern = ".*".join(re.escape(part) for part in line.strip().split("..."))
        if not any(re.search(pattern, candidate) for candidate in printed):
            missing.append(line)
            printed = iter(())
    return missing


def files_of(tree):
    """Names of its files, without those of the build."""
    for where, folders, files in os.walk(tree):
        if where == tree and "build" in folders:
            folders.remove("build")
        yield from (os.path.relpath(os.path.join(where, file), tree) for file in files)


def make_equal(tree, project):
    """Gives `project` the files of `tree`; leaves alone those that are the same, so that little is built again."""
    wanted = set(files_of(tree))
    for name in set(files_of(project)) - wanted:
        os.remove(os.path.join(project, name))
    for name in wanted:
        source, target = os.path.join(tree, name), os.path.join(project, name)
        if not os.path.exists(target) or not filecmp.cmp(source, target, shallow=False):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(source, target)
            os.utime(target)


def copy_project(folder, recipes):
    """The tracked files with all recipes applied; files that stay the same keep their time."""
    with tempfile.TemporaryDirectory(dir=folder) as fresh:
        names = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True).stdout
        subprocess.run(["tar", "-C", ROOT, "--null", "-T", "-", "-cf", os.path.join(fresh, "tree.tar")], input=names,
                       check=True)
        tree = os.path.join(fresh, "tree")
        os.mkdir(tree)
        subprocess.run(["tar", "-C", tree, "-xf", os.path.join(fresh, "tree.tar")], check=True)
        for steps in recipes.values():
            for number, kind, *step in steps:
                if kind == "edit":
                    apply(tree, number, *step)
        project = os.path.join(folder, "project")
        make_equal(tree, project)
    return project


class Recipes(unittest.TestCase):
    folder = None
    only = None

    def test_recipes_do_what_they_say(self):
        with open(os.path.join(ROOT, DOCUMENT), encoding="utf-8") as document:
            recipes = read_recipes(document.read())
        if self.only is not None:
            recipes = {title: steps for title, steps in recipes.items() if title == self.only}
        self.assertGreater(len(recipes), 0, "no such recipe")
        os.makedirs(self.folder, exist_ok=True)
        project = copy_project(self.folder, recipes)
        # Later calls of tools/build keep this option.
        os.makedirs(os.path.join(project, "build", "release"), exist_ok=True)
        subprocess.run(["cmake", "--preset", "release", "-D", "TESSERA_QUICK_TO_BUILD=ON",
                        "-D", "TESSERA_UNOPTIMISED=ON"], cwd=project, check=True, stdout=subprocess.DEVNULL)
        for title, steps in recipes.items():
            edited = [step[2]["new"] or step[2]["path"] for step in steps if step[1] == "edit"]
            print(f"{title}: {len(set(edited))} files", flush=True)
            for number, kind, *step in steps:
                if kind != "run":
                    continue
                commands, expected = step
                with self.subTest(title, line=number):
                    process = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=project, check=False,
                                             text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                    self.assertEqual(0, process.returncode, process.stdout[-4000:])
                    self.assertEqual([], missing_lines(expected, process.stdout), process.stdout[-4000:])


class Reader(unittest.TestCase):
    """Errors in a recipe are reported."""

    def refused(self, text):
        with self.assertRaises(RecipeError) as raised, tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "file"), "w", encoding="utf-8") as file:
                file.write("one\ntwo\ntwo\n")
            for steps in read_recipes(text).values():
                for number, _, *step in steps:
                    apply(folder, number, *step)
        return str(raised.exception)

    def test_mistakes(self):
        self.assertEqual("4: 2 lines of file hold 'two', expected one",
                         self.refused("## A\nIn `file`, below the line `two`:\n```\n```\n"))
        self.assertEqual("4: 0 lines of file hold 'three', expected one",
                         self.refused("## A\nIn `file`, above the line `three`:\n```cpp\n```\n"))
        self.assertEqual("4: file exists", self.refused("## A\nNew file `file`:\n```\n```\n"))
        self.assertEqual("3: a block of code that nothing says where to put", self.refused("## A\n```cpp\n```\n"))
        self.assertEqual("3: expected a block of commands before what is printed", self.refused("## A\n```text\n```\n"))

    def test_edits(self):
        text = ("## A\nIn `file`, instead of the line `one`:\n```\n1\n```\nIn `file`, below the line `tw`:\n```\n3\n```\n"
                "New file `new/x`:\n```\nx\n```\n")
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "file"), "w", encoding="utf-8") as file:
                file.write("one\ntwo\n")
            for number, _, *step in read_recipes(text)["A"]:
                apply(folder, number, *step)
            with open(os.path.join(folder, "file"), encoding="utf-8") as file:
                self.assertEqual("1\ntwo\n3\n", file.read())
            with open(os.path.join(folder, "new", "x"), encoding="utf-8") as file:
                self.assertEqual("x\n", file.read())

    def test_output(self):
        printed = "a 1 b\nc\nd\n"
        self.assertEqual([], missing_lines(["a ... b", "d"], printed))
        self.assertEqual(["c"], missing_lines(["d", "c"], printed))


if __name__ == "__main__":
    Recipes.folder = os.path.abspath(sys.argv.pop(1))
    if "--only" in sys.argv:
        place = sys.argv.index("--only")
        Recipes.only = sys.argv[place + 1]
        del sys.argv[place:place + 2]
    os.nice(5)  # compiles for minutes beside other tests
    unittest.main(argv=sys.argv)
