"""Used by tools/mutate: finds the places of a C++ source where an error can be put, and puts switchable ones there.

A point is found in the syntax tree (libclang), never by patterns in the text:
  relation    a < b becomes a <= b, a == b becomes a != b, and so on
  arithmetic  + becomes -, * becomes /, << becomes >>, & becomes |, and so on; compound assignments, too
  logic       && becomes ||
  constant    an integer or a named constant becomes one larger; true becomes false
  condition   of an if or of ?: is negated
  dropped     a statement that is an expression (call, assignment, increment) is left out
What only serves people (messages, waveforms, descriptions) and what must be a constant is left alone.
"""

import hashlib
import os
import re

try:
    from clang import cindex
except ImportError:
    cindex = None

OPERATORS = {
    "relation": {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="},
    "arithmetic": {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "<<": ">>", ">>": "<<", "&": "|", "|": "&",
                   "^": "&", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|=", "<<=": ">>=",
                   ">>=": "<<=", "^=": "|="},
    "logic": {"&&": "||", "||": "&&"},
}
FOR_PEOPLE_FUNCTION = re.compile(r"^(trace|describe|dump|print|to_string|name|report|explain|validate|write_|show|"
                                 r"visit|register_statistics|.*_name$|.*_text$|operator<<)")
FOR_PEOPLE_TEXT = re.compile(r"\b(waves?_?|wave_\w+|traces?_?|trace_\w+|timeline\w*|observers?_?|spdlog|fmt|assert|SC_REPORT_\w+|"
                             r"ConfigError|reserve|shrink_to_fit|dont_initialize|set_stack_size)\b")
MUTANT = re.compile(r"TESSERA_MUTANT\((\d+)\)")


class Point:
    """One possible error. Positions are byte offsets in the source."""

    def __init__(self, file, function, line, kind, begin, end, old, new):
        self.file, self.function, self.line, self.kind = file, function, line, kind
        self.begin, self.end = begin, end
        self.change = f"{' '.join(old.split())} -> {' '.join(new.split())}"
        self.operands = None  # (begin, end) of both, and the operator in their place
        self.ordinal = 0  # among the same changes of the function
        self.number = 0  # of the switch

    @staticmethod
    def load(fields):
        """From what vars() gave."""
        point = Point.__new__(Point)
        point.__dict__.update(fields)
        return point

    def key(self):
        """The identity of a point, which does not change when lines move."""
        return (self.file, self.function, self.kind, self.change, self.ordinal)

    def text(self):
        """For lists."""
        return f"{self.file}:{self.line}: {self.kind} in {self.function}: {self.change}"


class Finder:
    """The points of one source."""

    def __init__(self, path, name, flags):
        with open(path, "rb") as handle:
            self.source = handle.read()
        self.name = name
        self.points = []
        self.function = ""
        unit = cindex.Index.create().parse(path, args=flags)
        problems = [d for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
        if problems:
            raise ValueError(f"{name}: {problems[0].spelling}")
        for cursor in unit.cursor.get_children():
            if cursor.location.file is not None and cursor.location.file.name == path:
                self.declaration(cursor)
        seen = {}
        for point in self.points:
            identity = point.key()
            point.ordinal = seen.get(identity, 0)
            seen[identity] = point.ordinal + 1

    def between(self, begin, end):
        """Text of the source."""
        return self.source[begin:end].decode()

    def declaration(self, cursor):
        """Looks for functions with a body."""
        kinds = cindex.CursorKind
        if cursor.kind in (kinds.NAMESPACE, kinds.CLASS_DECL, kinds.STRUCT_DECL, kinds.UNEXPOSED_DECL,
                           kinds.LINKAGE_SPEC):
            for child in cursor.get_children():
                self.declaration(child)
        elif cursor.kind in (kinds.CXX_METHOD, kinds.FUNCTION_DECL, kinds.CONSTRUCTOR, kinds.FUNCTION_TEMPLATE):
            bodies = [child for child in cursor.get_children() if child.kind == kinds.COMPOUND_STMT]
            if not bodies or FOR_PEOPLE_FUNCTION.match(cursor.spelling):
                return
            head = self.between(cursor.extent.start.offset, bodies[-1].extent.start.offset)
            if re.search(r"\bconstexpr\b|\bstd::string\b[^(]*\b" + re.escape(cursor.spelling), head):
                return
            parent = cursor.semantic_parent
            scope = f"{parent.spelling}::" if parent is not None and parent.kind in (kinds.CLASS_DECL,
                                                                                     kinds.STRUCT_DECL) else ""
            self.function = scope + cursor.spelling.split("<")[0]
            self.visit(bodies[-1], cursor)

    def add(self, kind, begin, end, old, new, operands=None):
        """Notes a point, unless there is one with the same range."""
        if any(point.begin == begin and point.end == end for point in self.points[-8:]):
            return
        line = self.source.count(b"\n", 0, begin) + 1
        point = Point(self.name, self.function, line, kind, begin, end, old, new)
        point.operands = operands
        self.points.append(point)

    def visit(self, cursor, parent):
        """A statement or expression and what is in it."""
        kinds = cindex.CursorKind
        begin, end = cursor.extent.start.offset, cursor.extent.end.offset
        text = self.between(begin, end)
        if cursor.kind in (kinds.CXX_THROW_EXPR, kinds.ENUM_DECL, kinds.STATIC_ASSERT, kinds.DECL_REF_EXPR,
                           kinds.STRING_LITERAL, kinds.TYPE_ALIAS_DECL, kinds.STRUCT_DECL, kinds.CLASS_DECL):
            if cursor.kind == kinds.DECL_REF_EXPR:
                self.constant(cursor, begin, end, text)
            return
        if cursor.kind == kinds.CALL_EXPR and FOR_PEOPLE_TEXT.search(text.split("{")[0]):
            return
        children = list(cursor.get_children())
        if cursor.kind == kinds.VAR_DECL:
            if re.match(r"(static )?constexpr\b", text):
                return
            name_end = cursor.location.offset + len(cursor.spelling)
            children = [child for child in children if child.extent.start.offset >= name_end and
                        not self.between(name_end, child.extent.start.offset).lstrip().startswith("[")]
        elif cursor.kind in (kinds.CXX_STATIC_CAST_EXPR, kinds.CXX_REINTERPRET_CAST_EXPR, kinds.CSTYLE_CAST_EXPR,
                             kinds.CXX_FUNCTIONAL_CAST_EXPR, kinds.MEMBER_REF_EXPR, kinds.CASE_STMT):
            place = 0 if cursor.kind == kinds.MEMBER_REF_EXPR else -1
            children = children[place:] if place else children[:1]
        elif cursor.kind in (kinds.BINARY_OPERATOR, kinds.COMPOUND_ASSIGNMENT_OPERATOR) and len(children) == 2:
            self.binary(cursor, children, begin, end, text)
        elif cursor.kind in (kinds.INTEGER_LITERAL, kinds.CXX_BOOL_LITERAL_EXPR):
            self.constant(cursor, begin, end, text)
        elif cursor.kind == kinds.IF_STMT:
            head = self.between(begin, children[0].extent.start.offset)
            if children[0].kind not in (kinds.DECL_STMT, kinds.VAR_DECL) and re.fullmatch(r"if\s*\(\s*", head) and \
                    not FOR_PEOPLE_TEXT.search(self.between(children[0].extent.start.offset,
                                                            children[0].extent.end.offset)):
                self.condition(children[0])
            for child in children[1:]:
                self.statement(child)
        elif cursor.kind == kinds.CONDITIONAL_OPERATOR and len(children) == 3:
            self.condition(children[0])
        elif cursor.kind == kinds.COMPOUND_STMT:
            for child in children:
                self.statement(child)
        elif cursor.kind == kinds.LAMBDA_EXPR:
            children = [child for child in children if child.kind == kinds.COMPOUND_STMT]
        for child in children:
            self.visit(child, cursor)

    def statement(self, cursor):
        """Leaves out an expression that stands alone."""
        kinds = cindex.CursorKind
        while cursor.kind == kinds.UNEXPOSED_EXPR:  # temporaries, conversions
            inner = list(cursor.get_children())
            if len(inner) != 1:
                return
            cursor = inner[0]
        begin, end = cursor.extent.start.offset, cursor.extent.end.offset
        text = self.between(begin, end)
        if cursor.kind in (kinds.CALL_EXPR, kinds.BINARY_OPERATOR, kinds.COMPOUND_ASSIGNMENT_OPERATOR,
                           kinds.UNARY_OPERATOR) and text and not FOR_PEOPLE_TEXT.search(text) and \
                not re.match(r"(trace|describe|dump|print|report|write_)\w*\(", text) and \
                self.source[end:].lstrip().startswith(b";") and re.search(r"[(=+-]", text):
            self.add("dropped", begin, end, text, "nothing")

    def condition(self, cursor):
        """Negates it; an operator of the language is replaced instead."""
        if cursor.kind == cindex.CursorKind.BINARY_OPERATOR:
            return
        begin, end = cursor.extent.start.offset, cursor.extent.end.offset
        text = self.between(begin, end)
        if text:
            self.add("condition", begin, end, text, f"!({text})")

    def binary(self, cursor, children, begin, end, text):
        """Replaces the operator."""
        left, right = children
        operator = self.between(left.extent.end.offset, right.extent.start.offset).strip()
        for kind, changes in OPERATORS.items():
            if operator in changes and left.extent.start.offset == begin and right.extent.end.offset == end:
                if not all(is_builtin(child.type) for child in (left, right)):
                    return
                if "nullptr" in text and kind == "relation" and FOR_PEOPLE_TEXT.search(text):
                    return
                new = changes[operator]
                if "*" in new + operator and any(t.type.get_canonical().kind in (cindex.TypeKind.POINTER,)
                                                 for t in (left, right)):
                    return
                old = text if len(text) < 90 else f"... {operator} ..."
                self.add(kind, begin, end, old, old.replace(f" {operator} ", f" {new} ", 1)
                         if old.count(f" {operator} ") == 1 else f"{new} for {operator} in it",
                         (begin, left.extent.end.offset, right.extent.start.offset, end, operator, new))

    def constant(self, cursor, begin, end, text):
        """One more, or the other truth."""
        kinds = cindex.CursorKind
        if cursor.kind == kinds.CXX_BOOL_LITERAL_EXPR:
            if text in ("true", "false"):
                self.add("constant", begin, end, text, "false" if text == "true" else "true")
        elif cursor.kind == kinds.INTEGER_LITERAL:
            if re.fullmatch(r"[0-9][0-9a-fA-FxX']*[uUlL]*", text):
                self.add("constant", begin, end, text, f"{text} + 1")
        elif re.fullmatch(r"(\w+::)*k[A-Z]\w*", text) and is_integer(cursor.type) and \
                cursor.type.is_const_qualified():
            self.add("constant", begin, end, text, f"{text} + 1")


def is_integer(kind):
    """Whether +1 has a meaning."""
    names = ("INT", "UINT", "LONG", "ULONG", "LONGLONG", "ULONGLONG", "SHORT", "USHORT", "UCHAR", "SCHAR")
    return kind.get_canonical().kind in [getattr(cindex.TypeKind, name) for name in names]


def is_builtin(kind):
    """Whether the language's own operators act on it."""
    canonical = kind.get_canonical()
    return is_integer(kind) or canonical.kind in (cindex.TypeKind.BOOL, cindex.TypeKind.FLOAT, cindex.TypeKind.DOUBLE,
                                                  cindex.TypeKind.POINTER, cindex.TypeKind.ENUM)


def render(source, points, begin=0, end=None):
    """The text of a source with switchable errors; `points` do not overlap other than by nesting."""
    end = len(source) if end is None else end
    out, at = [], begin
    inside = sorted((p for p in points if begin <= p.begin and p.end <= end), key=lambda p: (p.begin, -p.end))
    for point in inside:
        if point.begin < at:
            continue
        within = [p for p in inside if p is not point and point.begin <= p.begin and p.end <= point.end]
        out.append(source[at:point.begin])
        out.append(replacement(source, point, within))
        at = point.end
    out.append(source[at:end])
    return b"".join(out)


def replacement(source, point, within):
    """The text in place of a point."""
    switch = f"TESSERA_MUTANT({point.number})".encode()
    if point.operands:
        begin, left_end, right_begin, end, old, new = point.operands
        left, right = (render(source, within, *place) for place in ((begin, left_end), (right_begin, end)))
        changed, same = (left + f" {operator} ".encode() + right for operator in (new, old))
        return b"(" + switch + b" ? (" + changed + b") : (" + same + b"))"
    text = render(source, within, point.begin, point.end)
    if point.kind == "dropped":
        return b"if (" + switch + b") {} else " + text
    if text in (b"true", b"false"):
        return b"(" + switch + b" != " + text + b")"
    if point.kind == "condition":
        return b"(" + switch + b" != static_cast<bool>(" + text + b"))"
    return b"(" + text + b" + static_cast<int>(" + switch + b"))"


def chosen(points, number, seed):
    """A sample that depends on the points' content, neither on their lines nor on the folder of their file."""
    def lot(point):
        return hashlib.sha256(repr((seed, os.path.basename(point.file), *point.key()[1:])).encode()).hexdigest()
    sample = sorted(points, key=lot)[:number]
    return sorted(sample, key=lambda point: (point.begin, -point.end))


def broken(path, text, flags):
    """The switches (numbers) that make the source wrong C++."""
    unit = cindex.Index.create().parse(path, args=flags, unsaved_files=[(path, text.decode())])
    found = set()
    lines = text.decode().splitlines()
    for problem in unit.diagnostics:
        if problem.severity < cindex.Diagnostic.Error:
            continue
        place = problem.location
        numbers = [] if place.file is None or place.file.name != path else \
            MUTANT.findall(lines[place.line - 1])
        if not numbers:
            raise ValueError(f"{os.path.basename(path)}:{place.line}: {problem.spelling}")
        found.update(int(number) for number in numbers)
    return found
