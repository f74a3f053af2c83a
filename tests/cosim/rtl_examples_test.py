#!/usr/bin/python3
"""The commands of rtl/examples/README.md run and print what it says, and on RTL with a planted error both examples fail.

Usage: rtl_examples_test.py LIBRARY   (libtessera_golden.so)

--installed PREFIX runs them on the sources and the library of an installation.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RTL = os.path.join(ROOT, "rtl")
LIBRARY = ""
SECTION = re.compile(r"^## (.*?)\n.*?^```sh\n(.*?)^```\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# For each example, the source that gets an error, the error, what the report says.
PLANTED = {
    "SystemVerilog": ("fp/fp16_mul.sv", "assign exponent = 8'd98", "assign exponent = 8'd99",
                      r"operation 0: d_o is [0-9a-f]{32}, expected [0-9a-f]{32}"),
    "Python": ("load_history_buffer/lhb_recency.sv", "(order_i | now_newer) & ~now_older", "(order_i | now_older) & ~now_newer",
               r"_golden_model failed: cycle \d+: phys_o is \d+, expected \d+"),
}


class Examples(unittest.TestCase):
    def sections(self):
        """(language, commands, output) of the README."""
        with open(os.path.join(RTL, "examples", "README.md"), encoding="utf-8") as handle:
            found = [(title.split(":")[0], *rest) for title, *rest in SECTION.findall(handle.read())]
        self.assertEqual([title for title, _, _ in found], list(PLANTED))
        return found

    def run_in_copy(self, commands, edit=None):
        """The finished commands on a copy of the RTL, in which `edit` = (file, old, new) was applied."""
        with tempfile.TemporaryDirectory() as copy:
            shutil.copytree(RTL, os.path.join(copy, "rtl"))
            os.makedirs(os.path.join(copy, "build", "release"))
            os.symlink(os.path.dirname(LIBRARY), os.path.join(copy, "build", "release", "lib"))
            if edit is not None:
                path = os.path.join(copy, "rtl", edit[0])
                with open(path, encoding="utf-8") as handle:
                    text = handle.read()
                self.assertEqual(text.count(edit[1]), 1)
                with open(path, "w", encoding="utf-8") as handle:
                    handle.write(text.replace(edit[1], edit[2]))
            compiler_cache = {"OBJCACHE": "ccache"} if shutil.which("ccache") else {}
            return subprocess.run(["bash", "-e", "-c", commands], capture_output=True, text=True, check=False, cwd=copy,
                                  env={**os.environ, **compiler_cache, "PYTHONDONTWRITEBYTECODE": "1"}, timeout=250)

    def test_the_commands_print_what_the_readme_says(self):
        for language, commands, output in self.sections():
            with self.subTest(language):
                process = self.run_in_copy(commands)
                self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
                self.assertEqual(process.stdout.count(output), 1, process.stdout)

    def test_a_planted_error_is_found(self):
        for language, commands, output in self.sections():
            with self.subTest(language):
                *edit, report = PLANTED[language]
                process = self.run_in_copy(commands, edit)
                self.assertNotEqual(process.returncode, 0)
                self.assertNotIn(output, process.stdout)
                self.assertRegex(process.stdout + process.stderr, report)


if __name__ == "__main__":
    if "--installed" in sys.argv:
        prefix = os.path.abspath(sys.argv.pop(sys.argv.index("--installed") + 1))
        sys.argv.remove("--installed")
        RTL = os.path.join(prefix, "share", "tessera", "rtl")
        LIBRARY = os.path.join(prefix, "lib", "libtessera_golden.so")
    else:
        LIBRARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
