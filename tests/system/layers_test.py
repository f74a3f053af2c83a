#!/usr/bin/python3
"""sc_models/README.md says which folder may include which: the sources keep to it, and every arrow points down."""

import os
import re
import sys
import tempfile
import unittest

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "sc_models")
ROW = re.compile(r"^\| `([a-z0-9_/]+)/` \|.*\|([^|]*)\|$")
INCLUDE = re.compile(r'^\s*#include "sc_models/([a-z0-9_/]+)/', re.MULTILINE)


def read_table(models):
    """Folder to the set of those it may include, in the order of the table."""
    table = {}
    with open(os.path.join(models, "README.md"), encoding="utf-8") as readme:
        for line in readme:
            row = ROW.match(line)
            if row:
                table[row[1]] = set(re.findall(r"`([a-z0-9_/]+)`", row[2]))
    return table


def room_of(folder, table):
    """The folder, or the nearest one above it, that has a line of the table; the one at the top if none has."""
    while folder not in table and "/" in folder:
        folder = os.path.dirname(folder)
    return folder


def table_errors(table):
    """Arrows that do not point down."""
    order = list(table)
    errors = []
    for number, (folder, may) in enumerate(table.items()):
        errors += [f"{folder}/ may include {other}/, which is not below it" for other in sorted(may)
                   if other not in order[number + 1:]]
    return errors


def include_errors(models, table):
    """Includes that the table does not allow, folders it does not name, and permissions that nobody uses."""
    errors = []
    used = {folder: set() for folder in table}
    for where, inside, files in os.walk(models):
        inside.sort()
        folder = os.path.relpath(where, models)
        room = room_of(folder, table)
        if folder == ".":
            continue
        if room not in table:
            errors.append(f"{room}/ is not in the table")
            inside.clear()
            continue
        for file in sorted(files):
            if not file.endswith((".h", ".cpp")):
                continue
            path = os.path.join(where, file)
            with open(path, encoding="utf-8") as source:
                included = {room_of(other, table) for other in INCLUDE.findall(source.read())} - {room}
            used[room] |= included
            errors += [f"{os.path.relpath(path, models)} includes {other}/" for other in sorted(included - table[room])]
    for folder, may in table.items():
        errors += [f"{folder}/ does not include {other}/: strike it" for other in sorted(may - used[folder])]
    return errors


class Layers(unittest.TestCase):
    def test_the_table_points_down(self):
        table = read_table(MODELS)
        self.assertGreater(len(table), 15)
        self.assertEqual(table_errors(table), [])

    def test_the_sources_keep_to_the_table(self):
        self.assertEqual(include_errors(MODELS, read_table(MODELS)), [])

    def test_the_build_lists_the_same_folders(self):
        with open(os.path.join(MODELS, "CMakeLists.txt"), encoding="utf-8") as file:
            folders = re.search(r"foreach\(folder ([^)]*)\)", file.read())[1].split()
        self.assertEqual(sorted(folders), sorted(read_table(MODELS)))

    def test_what_is_wrong_is_found(self):
        with tempfile.TemporaryDirectory() as models:
            def write(name, text):
                os.makedirs(os.path.dirname(os.path.join(models, name)), exist_ok=True)
                with open(os.path.join(models, name), "w", encoding="utf-8") as file:
                    file.write(text)

            write("README.md", "| `upper/` | x | `upper/inner` `lower` |\n| `upper/inner/` | z | |\n"
                               "| `lower/` | y | `upper` |\n")
            write("upper/a.h", '#include "sc_models/upper/b.h"\n#include "sc_models/upper/inner/core/d.h"\n')
            write("upper/inner/core/d.h", '#include "sc_models/upper/inner/e.h"\n#include "sc_models/upper/a.h"\n')
            write("upper/outer/f.h", '#include "sc_models/upper/a.h"\n')
            write("lower/deep/b.cpp", '#pragma once\n  #include "sc_models/upper/a.h"\n'
                                      '#include "sc_models/other/c.h"\n')
            write("other/c.h", "")
            table = read_table(models)
            self.assertEqual(table_errors(table), ["lower/ may include upper/, which is not below it"])
            self.assertEqual(include_errors(models, table), [
                "lower/deep/b.cpp includes other/", "other/ is not in the table", "upper/inner/core/d.h includes upper/",
                "upper/ does not include lower/: strike it"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
