"""Cells and tables of Markdown."""


class UserError(Exception):
    """One line for the user, exit code 2."""


def number(value, decimals=1):
    """A number as the program prints it; a dash for None. Minus zero is zero."""
    if value is None:
        return "-"
    text = f"{value:.{decimals}f}"
    return text[1:] if float(text) == 0 and text.startswith("-") else text


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def read(path):
    with open(path, encoding="utf-8") as handle:
        return handle.read()
