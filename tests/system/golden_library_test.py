#!/usr/bin/python3
"""libtessera_golden.so stands alone: it needs no SystemC, shows no symbol but those of its header, and C can read that.

Usage: golden_library_test.py LIBRARY PROGRAM   (PROGRAM needs SystemC, which the checks must find)
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "sc_models", "golden", "tessera_golden.h")
# Libraries of the compiler and the C library.
RUN_TIME = re.compile(r"^(lib(stdc\+\+|gcc_s|m|c)\.so\.\d+|ld-linux.*|linux-vdso.*)$")
SYSTEMC = re.compile(r"sc_core|sc_dt|tlm_utils|systemc", re.IGNORECASE)
LIBRARY = PROGRAM = ""


def call(*argv):
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


def needed_libraries(path):
    """Names of the shared libraries that the loader brings in, also those that others need."""
    lines = [line.split() for line in call("ldd", path).splitlines()]
    return [os.path.basename(words[0]) for words in lines if words]


def foreign_libraries(path):
    return [name for name in needed_libraries(path) if not RUN_TIME.match(name)]


def undefined_symbols(path):
    return [line.split()[-1] for line in call("nm", "-D", "--undefined-only", path).splitlines()]


def shown_symbols(path):
    return {line.split()[-1] for line in call("nm", "-D", "--defined-only", path).splitlines()}


def declared_functions():
    with open(HEADER, encoding="utf-8") as handle:
        text = handle.read()
    return set(re.findall(r"TESSERA_GOLDEN_API [^;(]*?\b(tessera_golden_\w+)\(", text))


class GoldenLibrary(unittest.TestCase):
    def test_no_systemc(self):
        self.assertEqual([], foreign_libraries(LIBRARY))
        self.assertEqual([], [name for name in undefined_symbols(LIBRARY) if SYSTEMC.search(name)])

    def test_the_checks_find_systemc(self):
        self.assertTrue(any(SYSTEMC.search(name) for name in foreign_libraries(PROGRAM)))
        self.assertTrue(any(SYSTEMC.search(name) for name in undefined_symbols(PROGRAM)))

    def test_symbols_are_those_of_the_header(self):
        functions = declared_functions()
        self.assertGreater(len(functions), 20)
        self.assertEqual(functions, shown_symbols(LIBRARY))

    def test_position_independent(self):
        dynamic = call("readelf", "--dynamic", LIBRARY)
        self.assertNotIn("TEXTREL", dynamic)
        self.assertRegex(dynamic, r"SONAME.*libtessera_golden\.so\.\d+\.\d+")
        self.assertRegex(call("readelf", "--file-header", LIBRARY), r"Type:\s+DYN")

    @unittest.skipIf(shutil.which("gcc") is None, "no gcc here")
    def test_the_header_is_c(self):
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "user.c")
            with open(source, "w", encoding="utf-8") as handle:
                handle.write('#include "tessera_golden.h"\n'
                             "int main(void) {\n    uint32_t sum = 0;\n"
                             "    int status = tessera_golden_fp32_add(0x3f800000u, 0x40000000u, &sum);\n"
                             "    return status == TESSERA_GOLDEN_OK && sum == 0x40400000u ? 0 : 1;\n}\n")
            user = os.path.join(folder, "user")
            where = os.path.dirname(LIBRARY)
            call("gcc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", os.path.dirname(HEADER), source,
                 "-o", user, "-L", where, "-ltessera_golden", f"-Wl,-rpath,{where}")
            call(user)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop())
    LIBRARY = os.path.abspath(sys.argv.pop())
    unittest.main()
