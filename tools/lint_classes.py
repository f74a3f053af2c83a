"""Check of tools/lint: the size of classes, by the files they are defined in and by the parameters of constructors.

A class whose functions need more than two .cpp files consists of several classes. A constructor with more than six
parameters takes some that belong together: they are a struct with a name of its own.
"""

import collections
import re

import lint_comments

MOST_SOURCES = 2
MOST_PARAMETERS = 6
CLASS = re.compile(r"\b(?:class|struct)\s+(?:\[\[\w+\]\]\s*|alignas\([^()]*\)\s*)?(\w+)(?:\s+final)?\s*(?::[^:;{}()][^;{}]*)?\{")
# A function of a class, defined in the namespace: lines within a function are indented.
MEMBER = re.compile(r"^(?![ \t#}]).*?\b([A-Z]\w*)(?:<[^;{}()]*>)?::(?:~?\w+|operator[^\w\s(]+)(?:<[^;{}()]*>)?\(", re.MULTILINE)
OPENING, CLOSING = "([{<", ")]}>"


def code_of(text):
    """The text with comments and literals replaced by spaces, so that positions stay."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])
    return lint_comments.C_TOKEN.sub(blank, text)


def end_of(code, begin):
    """The position behind the bracket that closes the one at `begin`; round, square and curly ones only."""
    depth = 0
    for at in range(begin, len(code)):
        if code[at] in "([{":
            depth += 1
        elif code[at] in ")]}":
            depth -= 1
            if depth == 0:
                return at + 1
    return len(code)


def classes_of(code):
    """(name, first position of the body, end of the body) of the classes that are defined in a file."""
    for match in CLASS.finditer(code):
        yield match[1], match.end(), end_of(code, match.end() - 1)


def parameters(code, begin):
    """Number of parameters in the list that opens at `begin`."""
    inner = code[begin + 1:end_of(code, begin) - 1].replace("->", "  ")
    depth, commas = 0, 0
    for char in inner:
        if char in OPENING:
            depth += 1
        elif char in CLOSING:
            depth -= 1
        elif char == "," and depth == 0:
            commas += 1
    return commas + 1 if inner.strip() else 0


def constructors_of(code):
    """(position, class, number of parameters) of constructors declared in classes of a file."""
    for name, begin, end in classes_of(code):
        declared = re.compile(r"(?<=[;:{}\s])(?:explicit\s+|constexpr\s+)*%s\(" % name)
        depth, last = 0, begin
        for match in declared.finditer(code, begin, end):
            part = code[last:match.start()]
            depth += sum(part.count(char) for char in "({") - sum(part.count(char) for char in ")}")
            last = match.start()
            before = code[begin:match.start()].rstrip()[-1:]
            if depth == 0 and before in ("", ";", ":", "}", ">", "]"):
                yield match.start(), name, parameters(code, match.end() - 1)


def members_of(code):
    """(position, class) of the functions that a file defines for a class of another file."""
    own = {name for name, _, _ in classes_of(code)}
    for match in MEMBER.finditer(code):
        behind = end_of(code, match.end() - 1)
        following = re.search(r"[;{]", code[behind:])
        if match[1] not in own and following is not None and following[0] == "{":
            yield match.start(1), match[1]


def read(file):
    with open(file, encoding="utf-8", errors="replace") as handle:
        return handle.read()


def problems_of_constructors(file):
    """The messages about constructors with too many parameters."""
    code = code_of(read(file))
    for position, name, count in constructors_of(code):
        if count > MOST_PARAMETERS:
            line = code.count("\n", 0, position) + 1
            yield (f"{file}:{line}: a constructor of {name} has {count} parameters, expected at most {MOST_PARAMETERS}: "
                   "those that belong together are a struct (CONTRIBUTING.md)")


def problems_of_sources(files, others):
    """The messages about classes of `files` whose functions are defined in too many files, `others` included."""
    members = {file: {name for _, name in members_of(code_of(read(file)))} for file in files if file.endswith(".cpp")}
    names = set().union(*members.values())
    for file in set(others) - set(files):
        text = read(file)
        if file.endswith(".cpp") and any(name + "::" in text for name in names):
            members[file] = {name for _, name in members_of(code_of(text))}
    sources = collections.defaultdict(list)
    for file in sorted(members):
        for name in members[file] & names:
            sources[name].append(file)
    for name, found in sorted(sources.items()):
        if len(found) > MOST_SOURCES:
            yield (f"{found[0]}:1: the class {name} is defined in {len(found)} files, expected at most {MOST_SOURCES} "
                   f"({', '.join(found)}): it consists of several classes (CONTRIBUTING.md)")


def problems(files, others):
    """The messages about the classes of C++ files, whose functions `others` may define, too."""
    return [problem for file in files for problem in problems_of_constructors(file)] + [*problems_of_sources(files, others)]
