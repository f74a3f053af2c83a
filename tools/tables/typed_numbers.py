"""Typed numbers in the sentences of pages of results: numbers that nothing generates and no paper states.

A number counts if it has a decimal point or a unit ("12 %", "3 and 4 points", "654 cycles"). Numbers in code spans, targets
of links, headings, comments, fenced blocks and names (C2, 3x3, 4096^3, cuBLAS 10.1, "95 % interval") do not count. A counted number must stand

- in a tag of tables/sentences.py, or
- as it is printed, but for its sign and thousands' commas, in a generated table between the same two headings `##`, or in
  what a command prints in a fenced block there (lines after one that begins with "$ "), or
- in a code span of the same sentence that sets something (`key: 16`, `--option 16`, `key=16`), or
- in configs/reference/paper_results.yaml or a quotation behind its section (VI-D: "..."), if its sentence names the paper, or
- outside docs/results, in a file of configs/, sc_models/ or tools/ that is linked between the same two headings.
"""

import os
import re

from tables.sentences import VALUE
from tables.text import read

RESULTS = "docs/results"
OTHERS = ["docs/library_kernels.md", "docs/machines/a100.md", "docs/networks.md"]
PAPERS = "configs/reference/paper_results.yaml"
ALLOWED = ("expected a <!-- value: ... --> tag, a number of a table or of a command's output below the same heading, of a setting in the sentence, "
           f"or, in a sentence that names the paper, of {PAPERS} or of a quotation behind its section")
LINKED_TOO = "; here also of a file of configs/, sc_models/ or tools/ that the section links"
NUMBER = r"(?<![\w.,^])(?<!\w[-–])\d+(?:,\d{3})*(?:\.\d+)?(?![\w^]|[.,]\d)"
UNIT = (r"(?: ?%| (?:x(?! ?\d)|times|points?|us|ms|s|seconds|minutes|min|mm\^2|um\^2|W|pJ|nJ|uJ|GB/s|TB/s|MB|GB|thousand|million|billion|"
        r"cycles?)\b)")
TAG = "§"  # fills the place of a tag
# Numbers of a list share the unit of its last: "12, 13 and 15 %", "19 to 30 %", "1.5 ± 1 %".
JOIN = r"(?: to | and | or |, and |, | ± | in place of | against )"
MEASURED = re.compile(rf"(?:[-+]?(?:{NUMBER}|{TAG}+){JOIN})*[-+]?(?:{NUMBER}|{TAG}+){UNIT}")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
GENERATED = re.compile(r"^<!-- table: .*?^<!-- end of table -->$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
CODE = re.compile(r"`[^`]*`")
SETTING = re.compile(r"(?:[:=]| )(\d+(?:\.\d+)?)(?=[\s`]|$)")
NAME = re.compile(r"\b95 % intervals?\b|\b(?:cuBLAS|cuDNN|CUDA|CUTLASS|CACTI|GCC|GPGPU-Sim|PyTorch) \d+(?:\.\d+)*\b")
LINKED = re.compile(r"\]\(((?:\.\./)*(?:configs|sc_models|tools)/[^)#]+)\)")
TARGET = re.compile(r"(?<=\])\([^)]*\)")
HEADING = re.compile(r"^#+ .*$", re.MULTILINE)
SECTION = re.compile(r"^## .*$", re.MULTILINE)
QUOTATION = re.compile(r'\b[IVX]+(?:-[A-Z](?:\.\d)?)?\b[^"\n.]{0,80}"[^"]*"(?:[^".\n]{0,60}"[^"]*")*')
SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n\s*\n|\n(?=\s*- )")
OF_A_PAPER = re.compile(r"paper|author|abstract|Figure|Table", re.IGNORECASE)


def blanked(pattern, text, fill=" "):
    """The text with what matches blanked, with every line and column where it was."""
    return pattern.sub(lambda match: re.sub(r"[^\n]", fill, match.group(0)), text)


def numbers(text):
    return {number.replace(",", "") for number in re.findall(NUMBER, text)}


def of_papers(text):
    """Numbers of paper_results.yaml, but for ids, comments and the sizes of layers."""
    lines = [line for line in text.split("\n") if "input:" not in line and not line.lstrip().startswith("#")]
    return numbers(re.sub(r"\bid: [^,}]*", "", "\n".join(lines)))


def of_tables(text):
    return numbers(blanked(CODE, blanked(COMMENT, "\n".join(GENERATED.findall(text)))))


def of_outputs(text):
    """Numbers that commands print: lines of fenced blocks after one that begins with '$ '."""
    found = set()
    for block in FENCE.findall(text):
        _, command, printed = block.partition("\n$ ")
        if command:
            found |= numbers("\n".join(line for line in printed.split("\n")[1:] if not line.startswith("$ ")))
    return found


def of_files(text, page):
    """Numbers of the files that the text of a page links."""
    paths = {os.path.normpath(os.path.join(os.path.dirname(page), target)) for target in LINKED.findall(text)}
    return {number for path in paths if os.path.isfile(path) for number in numbers(read(path))}


def sections(text):
    """Beginnings and ends of the parts between headings of the second order."""
    begins = [0] + [match.start() for match in SECTION.finditer(text)]
    return list(zip(begins, begins[1:] + [len(text)]))


def sentences(text):
    """Beginnings and ends of sentences, and of items of lists."""
    begin = 0
    for match in SENTENCE.finditer(text):
        yield begin, match.start()
        begin = match.end()
    yield begin, len(text)


def counted(sentence):
    """Matches of the numbers of a sentence that count."""
    places = {match.start() + number.start() for match in MEASURED.finditer(sentence) for number in re.finditer(NUMBER, match.group(0))}
    return [match for match in re.finditer(NUMBER, sentence) if "." in match.group(0) or match.start() in places]


def typed(text, papers, page=None):
    """Line (from 1) and text of each typed number of a page; `papers` are the numbers that papers state, `page` the path of
    one whose linked files count."""
    plain = blanked(HEADING, blanked(GENERATED, blanked(FENCE, text)))
    plain = blanked(TARGET, blanked(COMMENT, blanked(VALUE, plain, TAG)))
    prose = blanked(NAME, blanked(QUOTATION, blanked(CODE, plain)))
    found = []
    for first, last in sections(text):
        here = of_tables(text[first:last]) | of_outputs(text[first:last])
        here |= of_files(text[first:last], page) if page else set()
        stated = papers | numbers(re.sub(r"(?<=\d)(?=[A-Za-z%])", " ", " ".join(QUOTATION.findall(plain[first:last]))))
        for begin, end in sentences(prose[first:last]):
            sentence = prose[first + begin:first + end]
            allowed = here | {number for span in CODE.findall(plain[first + begin:first + end]) for number in SETTING.findall(span[1:-1])}
            if OF_A_PAPER.search(sentence):
                allowed |= stated
            found += [(text.count("\n", 0, first + begin + match.start()) + 1, match.group(0))
                      for match in counted(sentence) if match.group(0).replace(",", "") not in allowed]
    return found


def messages(root):
    """A line for each typed number of the pages of docs/results and of the other pages."""
    folder = os.path.join(root, RESULTS)
    names = [f"{RESULTS}/{name}" for name in sorted(os.listdir(folder)) if name.endswith(".md")] if os.path.isdir(folder) else []
    names += [name for name in OTHERS if os.path.isfile(os.path.join(root, name))]
    papers = of_papers(read(os.path.join(root, PAPERS))) if names else set()
    found = []
    for name in names:
        path = os.path.join(root, name)
        found += [f"{name}:{line}: '{number}' is typed, {ALLOWED}" + (LINKED_TOO if name in OTHERS else "")
                  for line, number in typed(read(path), papers, path if name in OTHERS else None)]
    return found
