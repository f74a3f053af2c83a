"""Check of tools/lint: no comment begins as a fragment of a sentence.

A comment that begins with one of the words below lacks a subject, a verb or a noun in most cases ("What the tests
share."). The check covers the first line of each comment block, trailing comments and Python docstrings.
"""

import ast
import io
import re
import tokenize

FRAGMENT = re.compile(r"(What|Of|As|By|Has|Who|Those|So|That|Whose)\b")
# Literals come first, so that a // inside of one begins no comment.
C_TOKEN = re.compile(r"""R"([^\s()\\]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\[^'\n]+|\\'|[^'\\\n])'"""
                     r"""|(?P<comment>//[^\n]*|/\*.*?\*/)""", re.DOTALL)
HASH_TOKEN = re.compile(r"""\\.|"(?:\\.|[^"\\])*"|'[^'\n]*'|(?P<comment>(?<!\S)#[^\n]*)""", re.DOTALL)


def comments_between(token, text):
    """(line, column, text) of comments in a language whose comments and literals `token` matches."""
    for match in token.finditer(text):
        if match["comment"]:
            begin = match.start("comment")
            yield text.count("\n", 0, begin) + 1, begin - text.rfind("\n", 0, begin) - 1, match["comment"]


def python_comments(text):
    """(line, column, text) of comments; none in a file that Python cannot read, which pyflakes reports."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (SyntaxError, tokenize.TokenError):
        return
    for token in tokens:
        if token.type == tokenize.COMMENT:
            yield *token.start, token.string


def docstrings(text):
    """(line, first line) of the docstrings of a Python file."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            found = ast.get_docstring(node)
            if found:
                yield node.body[0].lineno, found


def first_lines(comments, lines):
    """(line, text without marks) of each comment that does not continue the one above it."""
    above = None
    for line, column, text in comments:
        if text.startswith("#!"):
            continue
        trailing = lines[line - 1][:column].strip() != ""
        if trailing or above != (line - 1, column):
            yield line, text.lstrip("/*#!< \t\n")
        above = (line, column)


def fragments(text, language):
    """(line, word) of comments that begin with a word of FRAGMENT."""
    if language == "python":
        comments = python_comments(text)
    else:
        comments = comments_between(C_TOKEN if language in ("c++", "systemverilog") else HASH_TOKEN, text)
    found = list(first_lines(comments, text.split("\n")))
    if language == "python":
        found += docstrings(text)
    for line, comment in sorted(found):
        match = FRAGMENT.match(comment)
        if match:
            yield line, match[1]


def problems(file, language):
    """The messages about the comments of a file."""
    with open(file, encoding="utf-8", errors="replace") as handle:
        text = handle.read()
    return [f"{file}:{line}: a comment begins with '{word}': write a sentence (CONTRIBUTING.md)"
            for line, word in fragments(text, language)]
