#!/usr/bin/python3
"""Does tools/lint find what it should, and nothing else?

Usage: lint_test.py BUILD_DIR
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RETIRED = "Pati" "ence"  # in two parts, since tools/lint checks this file, too
BUILD = None  # folder with compile_commands.json
GOOD = """\
namespace tessera {
namespace {

int twice(int number) {
    return 2 * number;
}

}  // namespace

int %s(int number) {
    return twice(number);
}

}  // namespace tessera
"""


class Lint(unittest.TestCase):
    def setUp(self):
        # Inside of the project, for its rules; "tests/" makes it a folder that clang-tidy reports on.
        parent = os.path.join(ROOT, "build", "lint_test", "tests")
        os.makedirs(parent, exist_ok=True)
        self.folder = tempfile.mkdtemp(dir=parent)
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as handle:
            handle.write(text)
        return path

    def lint(self, *arguments, expect, script=os.path.join(ROOT, "tools", "lint"), cwd=None):
        """Everything that tools/lint prints."""
        process = subprocess.run([script, *arguments], capture_output=True, text=True, check=False, timeout=280, cwd=cwd)
        text = process.stdout + process.stderr
        self.assertEqual(process.returncode, expect, text)
        return text

    def lint_text(self, name, text, expect):
        return self.lint("--build", BUILD, self.write(name, text), expect=expect)

    def test_good_files(self):
        files = [self.write("good.cpp", GOOD % "good"), self.write("good", "#!/usr/bin/env bash\necho good\n"),
                 self.write("good.py", "print('good')\n"), self.write("notes.md", "not ours\n")]
        self.assertIn("lint passed", self.lint("--build", BUILD, *files, expect=0))

    def test_layout(self):
        text = self.lint_text("layout.cpp", "int  two() { return 2; }\n", expect=1)
        self.assertIn("layout.cpp:1:4: error: code should be clang-formatted", text)
        self.assertIn("lint found something", text)

    def test_name(self):
        text = self.lint_text("name.cpp", GOOD % "badName", expect=1)
        self.assertIn("name.cpp:10:5: error: invalid case style for function 'badName'", text)

    def test_header_alone(self):
        text = self.lint_text("name.h", "#pragma once\n\nint badName();\n", expect=1)
        self.assertIn("name.h:3:5: error: invalid case style for function 'badName'", text)

    def test_source_that_does_not_compile(self):
        self.assertIn("[clang-diagnostic-error]", self.lint_text("broken.cpp", "int two() {\n    return three;\n}\n", 1))

    def test_shell_script(self):
        self.assertIn("SC2086", self.lint_text("script", "#!/usr/bin/env bash\nrm $1\n", expect=1))

    def test_python(self):
        self.assertIn("imported but unused", self.lint_text("slip.py", "import os\n", expect=1))

    def test_comments_that_begin_as_fragments(self):
        cases = (
            ("bad.h", "#pragma once\n\n/// What is shared.\nint number();\n", 3, "What"),
            ("bad.cpp", "int number = 50'000;\nint other = 2;  ///< Of a test.\n", 2, "Of"),
            ("block.cpp", "/* Whose it is. */\nint number = 1;\n", 1, "Whose"),
            ("bad.sv", "module bad;\n    wire a = 1'b0;  // As above.\nendmodule\n", 2, "As"),
            ("bad.py", "NUMBER = 1  # Has a value.\n", 1, "Has"),
            ("docstring.py", 'def number():\n    """By a\n    function."""\n', 2, "By"),
            ("bad", "#!/usr/bin/env bash\n# So many.\necho good\n", 2, "So"),
            ("bad.cmake", 'set(good "# one")  # That is all.\n', 1, "That"),
            ("CMakeLists.txt", "# A sentence.\nset(good 1)\n# Those above.\n", 3, "Those"))
        files = [self.write(name, content) for name, content, _, _ in cases]
        text = self.lint("--fast", *files, expect=1)
        for name, _, line, word in cases:
            self.assertIn(f"/{name}:{line}: a comment begins with '{word}': write a sentence (CONTRIBUTING.md)\n", text)
        self.assertEqual(text.count("a comment begins with"), len(cases), text)

    def test_comments_that_are_sentences(self):
        """A word of the list may begin a later line of a comment, a longer word, or the content of a literal."""
        files = [self.write("good.h", "#pragma once\n\n/// A number\n/// As large as it may be.\nint number();\n"),
                 self.write("good.cpp", 'const char* const kText = "// What";\nconst char kQuote = \'"\';\n'
                            'const char* const kRaw = R"(\n// What\n)";\n// Something, after all.\n'
                            "int number = 1;  // The first,\n                 // As such.\n"),
                 self.write("good.sv", "// Offset of the sum.\nmodule good;\nendmodule\n"),
                 self.write("good.py", 'TEXT = """\n# What\n"""  # A text.\n'),
                 self.write("good", "#!/usr/bin/env bash\necho \"good # What\" 'good # Of' ${#PATH}\n"),
                 self.write("good.cmake", '# A sentence.\n# By far.\nset(good "# As")\n')]
        self.assertIn("comments and names, 6 files\n== classes, 2 files\n== lint passed", self.lint("--fast", *files, expect=0))

    def test_constructors_with_many_parameters(self):
        """A parameter is counted once, whatever its type and its default; calls and other functions are not counted."""
        header = ("#pragma once\n\nnamespace tessera {{\n\n/// A class, or (a, b, c, d, e, f, g).\nclass Wide {{\npublic:\n"
                  "    explicit Wide({});\n    void set(int a, int b, int c, int d, int e, int f, int g);\n"
                  "    Wide copy() {{ return Wide(1, 2, 3, 4, 5, 6, 7); }}\n}};\n\n}}  // namespace tessera\n")
        six = "Map<int, int> a, int b, int c, int d, int (*e)(int, int), int f = max(1, 2)"
        self.lint("--fast", self.write("six.h", header.format(six)), expect=0)
        text = self.lint("--fast", self.write("seven.h", header.format("int a, int b, int c, int d, int e, int f, int g")), expect=1)
        self.assertIn("/seven.h:8: a constructor of Wide has 7 parameters, expected at most 6", text)
        self.assertEqual(text.count("a constructor of"), 1, text)

    def test_classes_in_many_sources(self):
        """A source counts if it defines a function of the class, other than one that only it has."""
        def source(name, text):
            return self.write(name, "namespace tessera {\n\n" + text + "\n}  // namespace tessera\n")

        function = "int LaidOut::{}() {{\n    return 1;\n}}\n"
        files = [source("first.cpp", function.format("first") + "\n" + function.format("again")),
                 source("second.cpp", "/// A constructor.\nLaidOut::LaidOut(int number) : number_(number) {}\n"),
                 source("calls.cpp", "int calls() {\n    return LaidOut::first();\n}\n\ntemplate int LaidOut::get<1>();\n"),
                 source("own.cpp", "namespace {\n\nstruct LaidOut {\n    int own();\n};\n\n" + function.format("own") + "\n}  // namespace\n")]
        self.lint("--fast", *files, expect=0)
        text = self.lint("--fast", *files, source("third.cpp", function.format("third")), expect=1)
        self.assertIn("/first.cpp:1: the class LaidOut is defined in 3 files, expected at most 2 (", text)
        self.assertNotIn("own.cpp", text)

    def test_same_names_in_two_files(self):
        """Both are checked, whether tools/lint sees beforehand that they do not fit into one unit or not."""
        first, second = (self.write(name + ".cpp", GOOD % name) for name in ("first", "second"))
        self.assertIn("2 files in 2 units", self.lint("--build", BUILD, first, second, expect=0))
        hidden = "namespace {{\nenum {0} {{ kSame }};\n}}  // namespace\n\nint {1}() {{\n    return kSame;\n}}\n"
        first = self.write("first.cpp", hidden.format("First", "first"))
        second = self.write("second.cpp", hidden.format("Second", "badName"))
        text = self.lint("--build", BUILD, first, second, expect=1)
        self.assertIn("2 files do not compile in one unit", text)
        self.assertEqual(text.count(": error: "), 2, text)  # why they do not, and the name
        self.assertIn("'badName'", text)

    def test_changed_files(self):
        """tools/lint checks the changed and the new files of a branch, and no others."""
        def git(*arguments):
            subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@t", *arguments], cwd=self.folder,
                           capture_output=True, check=True)

        os.mkdir(os.path.join(self.folder, "tools"))
        for name in ("tools/lint", "tools/lint_classes.py", "tools/lint_comments.py", "tools/lint_units.py", "tools/lint_words.py", ".clang-format"):
            shutil.copy(os.path.join(ROOT, name), os.path.join(self.folder, name))
        for name in ("old", "changed"):
            self.write(name + ".cpp", "int  two();\n")
        for name in ("one", "two"):
            self.write(name + ".cpp", f"int Parts::{name}() {{\n    return 1;\n}}\n")
        git("init", "-q", "-b", "main")
        git("add", ".")
        git("commit", "-q", "-m", "start")
        git("checkout", "-q", "-b", "branch")
        self.write("changed.cpp", "int  three();\n")
        git("commit", "-q", "-a", "-m", "change")
        self.write("new.cpp", "int  four();\n")
        os.mkdir(os.path.join(self.folder, "sc_models"))
        self.write(os.path.join("sc_models", "names.h"), "#pragma once\n\nclass SpinWait;\nclass " + RETIRED + ";\n")
        self.write("three.cpp", "int Parts::three() {\n    return 1;\n}\n")
        script = os.path.join(self.folder, "tools", "lint")
        text = self.lint("--fast", "--changed", script=script, expect=1)
        self.assertIn("one.cpp:1: the class Parts is defined in 3 files, expected at most 2 (one.cpp, three.cpp, two.cpp)", text)
        self.assertIn("changed.cpp:1:4", text)
        self.assertIn("new.cpp:1:4", text)
        self.assertIn(f"sc_models/names.h:4: '{RETIRED}' is retired: SpinWait\n", text)
        self.assertNotIn("old.cpp", text)
        self.assertIn("old.cpp:1:4", self.lint("--fast", script=script, expect=1))

    def test_long_sentences_of_a_page(self):
        words = " ".join(["word"] * 20)
        sentences = " ".join(["Plain " + words + "."] * 10)
        beside = "# " + words * 2 + "\n\n| " + words * 2 + " |\n\n```\n" + words * 9 + "\n```\n\n<!-- " + words * 2 + " -->\n"
        page = self.write("page.md", beside + sentences + "\n")
        self.assertIn("  21.0         10  ", self.lint("--fast", page, expect=1))
        # One short item of a list makes the mean 20.
        self.write("page.md", beside + sentences + "\n- Plain `a.b. c` " + " ".join(["word"] * 7) + "\n")
        self.lint("--fast", page, expect=0)
        self.write("page.md", beside + " ".join(["Plain " + words + "."] * 9) + "\n")  # too few to count
        self.lint("--fast", page, expect=0)

    def test_mistakes(self):
        for arguments, expected in ((["nothing.cpp"], "nothing.cpp: no such file"),
                                    (["--changed", "no_such_branch"], "no_such_branch"),
                                    (["--build", self.folder, self.write("good.cpp", GOOD % "good")], "run tools/build"),
                                    (["--changed", "main", self.write("good.cpp", GOOD % "good")], "expected one of them")):
            text = self.lint(*arguments, expect=2)
            self.assertIn(expected, text.splitlines()[-1])
            self.assertTrue(text.splitlines()[-1].startswith("lint: "), text)


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    unittest.main()
