#!/usr/bin/python3
"""Every command that the documents show can be typed as it stands.

Reads the fenced sh/console blocks of all tracked Markdown files and checks each command of ours: the
script exists and knows its options, the tessera subcommand exists and knows its options, paths into the
project exist. Links between documents and paths in `code` are checked too. The commands are not run:
tools/run and the other tests do that.

Usage: readme_commands_test.py [TESSERA_PROGRAM]   (without it, tessera commands are only parsed)
"""

import functools
import itertools
import os
import re
import shlex
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = None  # path of the tessera program
# A path is ours, and must exist, if it starts with one of these; results/, build/ and the dumps in
# waveforms/ are made by commands.
FOLDERS = ("configs/", "docs/", "rtl/", "sc_models/", "testbenches/", "tests/", "tools/", "waveforms/",
           "cmake/", ".ci/")
RECIPES = "docs/extending.md"  # makes files and keys before it names them: recipes_test.py runs its commands


@functools.lru_cache(maxsize=None)
def help_text(*command):
    """The output of `command --help`."""
    process = subprocess.run([*command, "--help"], capture_output=True, text=True, check=False, cwd=ROOT)
    return process.stdout if process.returncode == 0 else ""


def knows(text, option):
    """Whether a help text names the option as a whole word."""
    return re.search(r"(?<![\w-])" + re.escape(option) + r"(?![\w-])", text) is not None


def path_problem(word):
    """Why a word that looks like a path into the project is wrong, or None."""
    path = word[2:] if word.startswith("./") else word
    if not path.startswith(FOLDERS) or re.search(r"[*<>{}…]|\.\.\.|^waveforms/.*\.vcd$", path):
        return None
    return None if os.path.exists(os.path.join(ROOT, path)) else f"{word} does not exist"


def option_problems(words, text, where):
    """One line for each option among `words` that the help text does not name."""
    options = [word.split("=")[0] for word in words if re.match(r"--?[A-Za-z]", word)]
    return [f"{where} has no option {option}" for option in options if not knows(text, option)]


def config_problems(words):
    """The errors of `tessera config` for the configurations (before the first option) and --set keys."""
    configs = list(itertools.takewhile(lambda word: not word.startswith("-"), words))
    configs = [word for word in configs if ".onnx" not in word]  # a script makes these
    sets = [part for word, value in zip(words, words[1:]) if word == "--set" for part in (word, value)]
    if not configs and not sets:
        return []
    process = subprocess.run([PROGRAM, "config", *configs, *sets, "--print"], capture_output=True, text=True,
                             check=False, cwd=ROOT)
    return [process.stderr.strip()] if process.returncode else []


def command_problems(command):
    """The problems of one shell command; an empty list if it is fine or not one of the project's."""
    words = shlex.split(command, comments=True)
    while words and re.match(r"\w+=", words[0]):  # environment
        words.pop(0)
    if not words:
        return []
    problems = [problem for problem in map(path_problem, words) if problem]
    name = words[0][2:] if words[0].startswith("./") else words[0]
    if name.startswith("tools/") and not problems:
        if not os.access(os.path.join(ROOT, name), os.X_OK):
            problems.append(f"{name} is not executable")
        else:
            problems += option_problems(words[1:], help_text(os.path.join(ROOT, name)), name)
    elif os.path.basename(name) == "tessera" and PROGRAM and len(words) > 1:
        problems = problems or tessera_problems((), words[1:])
    return problems


def tessera_problems(subcommands, words):
    """The problems of the words after `tessera SUBCOMMANDS`."""
    text, name = help_text(PROGRAM, *subcommands), " ".join(("tessera", *subcommands))
    nested = re.search(r"^subcommands:", text, re.IGNORECASE | re.MULTILINE)
    if nested and not words[0].startswith("-"):
        if re.search(rf"^ +{re.escape(words[0])} ", text[nested.end():], re.MULTILINE) is None:
            return [f"{name} has no subcommand {words[0]}"]
        return tessera_problems((*subcommands, words[0]), words[1:])
    problems = option_problems(words, text, name)
    if subcommands in (("run",), ("program",), ("config",), ("microbench",), ("trace", "write")) and not problems:
        problems = config_problems(words)
    return problems


def commands_of(text):
    """(line number, command) for every command in fenced sh and console blocks."""
    inside, pending = None, ""
    for number, line in enumerate(text.splitlines(), start=1):
        fence = re.match(r"\s*```\s*(\w*)", line)
        if fence:
            inside, pending = (fence.group(1) if inside is None else None), ""
            continue
        if inside == "console":
            if not pending and not line.startswith("$ "):
                continue  # output
            line = line[2:] if not pending else line
        elif inside not in ("sh", "bash"):
            continue
        pending += line
        if pending.endswith("\\"):
            pending = pending[:-1] + " "
            continue
        for command in re.findall(r"""(?:'[^']*'|"[^"]*"|[^'"&|;]|&(?![&\s]))+""", re.sub(r"\s#.*", "", pending)):
            if command.strip():
                yield number, command.strip()
        pending = ""


def prose_paths(text, folder):
    """(line number, path from the root) of relative links and of paths in `code`, outside of fences."""
    fenced = False
    for number, line in enumerate(text.splitlines(), start=1):
        if re.match(r"\s*```", line):
            fenced = not fenced
        if fenced:
            continue
        for target in re.findall(r"\]\(([^)#\s]+)", line):
            if "://" not in target and not target.startswith("mailto:"):
                yield number, os.path.normpath(os.path.join(folder, target)), True
        for code in re.findall(r"`([^`\s]+)`", line):
            yield number, code, False


def anchors(text):
    """The anchors that links may name after a #: the headings, in the spelling of code hosts."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def anchor_problems(text, folder):
    """(line number, problem) of links to headings that are not there."""
    for number, line in enumerate(text.splitlines(), start=1):
        for path, anchor in re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", line):
            target = os.path.normpath(os.path.join(folder, path))
            if "://" not in path and (not path or os.path.exists(os.path.join(ROOT, target))):
                if anchor not in anchors(read(target) if path else text):
                    yield number, f"link to #{anchor}, which {path or 'this document'} does not have"


def document_problems(text, folder=""):
    """(line number, problem) for a whole document that lives in `folder`."""
    problems = [(number, problem) for number, command in commands_of(text)
                for problem in command_problems(command)]
    problems += [(number, path_problem(path)) for number, path, is_link in prose_paths(text, folder)
                 if not is_link and path_problem(path)]
    return problems + link_problems(text, folder)


def link_problems(text, folder):
    """(line number, problem) for the links of a document that lives in `folder`."""
    return [*anchor_problems(text, folder),
            *((number, f"link to {path}, which does not exist") for number, path, is_link in prose_paths(text, folder)
              if is_link and not os.path.exists(os.path.join(ROOT, path)))]


def read(path):
    """The text of a file of the project."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as handle:
        return handle.read()


def folders():
    """Every folder of the project, wherever it was unpacked, with the names of its files."""
    for folder, inside, files in os.walk(ROOT):
        inside[:] = [name for name in inside if not name.startswith((".", "build", "__pycache__"))
                     and name != "third_party" and not (folder == ROOT and name.startswith("results"))]
        yield os.path.relpath(folder, ROOT), files


def documents():
    """Every Markdown file of the project."""
    for folder, files in folders():
        yield from (os.path.normpath(os.path.join(folder, name)) for name in sorted(files) if name.endswith(".md"))


class Documents(unittest.TestCase):
    def test_every_document(self):
        found = list(documents())
        self.assertIn("README.md", found)
        for document in found:
            with self.subTest(document):
                with open(os.path.join(ROOT, document), encoding="utf-8") as handle:
                    find = link_problems if document == RECIPES else document_problems
                    problems = find(handle.read(), os.path.dirname(document))
                self.assertEqual([], [f"{document}:{number}: {problem}" for number, problem in problems])

    def test_every_figure_of_the_papers_is_on_the_page(self):
        """An entry of several numbers by the ids of all of them."""
        entries = re.findall(r"id: ([DSO]\.[\w.]+)", read("configs/reference/paper_results.yaml"))
        rows = re.findall(r"^\| `([DSO]\.[\w.]+)` \|", read("docs/reproduction.md"), re.MULTILINE)
        self.assertGreater(len(entries), 80)
        self.assertEqual([], [entry for entry in entries
                              if not any(row == entry or row.startswith(entry + ".") for row in rows)])

    def test_every_tool_explains_itself_and_is_listed(self):
        table = read("tools/README.md")
        for name in sorted(dict(folders())["tools"]):
            if name != "README.md":
                with self.subTest(name):
                    self.assertIn(f"`tools/{name}`", table)
                    if os.access(os.path.join(ROOT, "tools", name), os.X_OK):
                        self.assertRegex(help_text(os.path.join(ROOT, "tools", name)), "(?i)^usage: ")

    def test_every_larger_folder_says_what_it_holds(self):
        """In a README of its own or, if it holds data only or the levels of a block, in that of a folder above."""
        levels = ("core", "lt", "at")
        for folder, names in folders():
            if len(names) <= 5 or "README.md" in names:
                continue
            with self.subTest(folder):
                above, name = os.path.split(folder)
                self.assertFalse(name not in levels and
                                 any(name.endswith((".cpp", ".h", ".py", ".sv")) for name in names), "has no README.md")
                while not os.path.exists(os.path.join(ROOT, above, "README.md")):
                    above = os.path.dirname(above)
                named = re.search(rf"`([\w/]+/)?{name}/?`", read(os.path.join(above, "README.md")))
                self.assertTrue(named, f"is not named in {above}/README.md")

    def test_code_that_a_document_quotes_is_what_the_tests_compile(self):
        with open(os.path.join(ROOT, "tests", "support", "shell_engine.h"), encoding="utf-8") as handle:
            code = re.search(r"// \[docs/clusters.md shows what follows\]\n(.*?)\n// \[until here\]", handle.read(), re.S)[1]
        with open(os.path.join(ROOT, "docs", "clusters.md"), encoding="utf-8") as handle:
            self.assertIn("```cpp\n" + code + "\n```\n", handle.read())

    def test_readme_shows_the_two_commands(self):
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as handle:
            commands = [command for _, command in commands_of(handle.read())]
        self.assertIn("./tools/run", commands)
        self.assertIn("./tools/test", commands)


class CheckerFindsMistakes(unittest.TestCase):
    """The checker itself, on documents that are wrong on purpose."""

    def assert_problem(self, text, expected):
        self.assertEqual([expected], [problem for _, problem in document_problems(text)])

    def test_missing_script(self):
        self.assert_problem("```sh\n./tools/nothing\n```", "./tools/nothing does not exist")

    def test_unknown_script_option(self):
        self.assert_problem("```console\n$ ./tools/test --fast  # quick\noutput --x\n```",
                            "tools/test has no option --fast")

    def test_second_command_of_a_line(self):
        self.assert_problem("```sh\ncd . && tools/build \\\n  --fast\n```", "tools/build has no option --fast")

    def test_a_quoted_bar_starts_no_command(self):
        self.assert_problem("```sh\ntools/build | grep -E \"a|tools/x\" | tools/build --fast\n```", "tools/build has no option --fast")

    def test_missing_argument(self):
        self.assert_problem("```sh\ntessera config configs/nothing.yaml\n```",
                            "configs/nothing.yaml does not exist")

    def test_missing_link_and_path(self):
        self.assert_problem("see [x](nothing.md)", "link to nothing.md, which does not exist")
        self.assert_problem("see `sc_models/nothing.h`", "sc_models/nothing.h does not exist")

    def test_missing_heading(self):
        self.assert_problem("# A `b` c\n[x](#a-b-c) [x](#a-c)", "link to #a-c, which this document does not have")
        self.assert_problem("[x](tools/README.md#nothing)",
                            "link to #nothing, which tools/README.md does not have")

    def test_good_commands_are_fine(self):
        self.assertEqual([], document_problems("```sh\n./tools/test --release-only\ngit log --oneline\n```"))

    def test_tessera_commands(self):
        if not PROGRAM:
            self.skipTest("no tessera program given")
        self.assert_problem("```sh\ntessera fly\n```", "tessera has no subcommand fly")
        self.assert_problem("```sh\nbuild/release/bin/tessera run --fly\n```", "tessera run has no option --fly")
        self.assert_problem("```sh\ntessera trace read x\n```", "tessera trace has no subcommand read")
        self.assert_problem("```sh\ntessera trace write --fly\n```", "tessera trace write has no option --fly")
        for wrong in ("tessera trace write nothing_like_it --out x", "tessera run nothing_like_it", "tessera run --set gpu.smss=1"):
            self.assertEqual(1, len(document_problems(f"```sh\n{wrong}\n```")), wrong)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
