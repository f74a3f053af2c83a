"""Numbers of sentences: `<!-- value: KIND ARGUMENTS -->14.1<!-- end -->`."""

import ast
import copy
import operator
import re

from tables import cells, experiments, studies
from tables.text import UserError, number

VALUE = re.compile(r"(<!-- value: ([^>]+?) -->).*?(<!-- end -->)")
TERM = re.compile(r"\[([^\]]+)\]")
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.USub: operator.neg}
TERMS = "[EXPERIMENT LAYER VARIANT COLUMN], [ours FIGURE], [paper FIGURE], [atlas FIGURE POINT], [lowering METHOD PERCENT], [card TABLE ROW] or [model TABLE ROW]"
KINDS = "ours, half or paper FIGURE [ROW], atlas FIGURE POINT, correlation TABLE, cell EXPERIMENT LAYER VARIANT COLUMN, calc DECIMALS EXPRESSION or interval EXPRESSION"


def text(results, kind, *arguments):
    """The text of a tag. Raises UserError, KeyError or TypeError."""
    if kind == "cell":
        return cells.text_of_cell(results, *arguments)
    if kind == "calc":
        if len(arguments) < 2 or not arguments[0].isdigit():
            raise UserError(f"value: got 'calc {' '.join(arguments)}', expected calc DECIMALS EXPRESSION")
        return number(calculated(results, " ".join(arguments[1:])), int(arguments[0]))
    if kind == "interval":
        expression = " ".join(arguments)
        return experiments.spread([calculated(of_seed(results, seed), expression) for seed in seeds(results, expression)])
    if kind == "correlation":
        return number(results.read_json(f"{' '.join(arguments)}_correlation.json")["mean_absolute_error_percent"])
    if kind not in ("ours", "half", "paper", "atlas"):
        raise UserError(f"value: got '{kind}', expected {KINDS}")
    return studies.value(results, kind, *arguments)


def columns(tag):
    """Experiment and column of each figure of a sweep that a tag takes."""
    kind, *arguments = tag.split()
    terms = [arguments] if kind == "cell" else [term.split() for term in TERM.findall(tag)] if kind in ("calc", "interval") else []
    return [(term[0], cells.modified(term[3])[1]) for term in terms if len(term) == 4]


def calculated(results, expression):
    """A sum, difference, product or quotient of numbers and of terms in brackets."""
    values = {}

    def name(match):
        values[f"term{len(values)}"] = value_of_term(results, match.group(1))
        return f"term{len(values) - 1}"

    def evaluated(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return node.value
        if isinstance(node, ast.Name):
            return values[node.id]
        if isinstance(node, ast.UnaryOp):
            return OPERATORS[type(node.op)](evaluated(node.operand))
        if isinstance(node, ast.BinOp):
            return OPERATORS[type(node.op)](evaluated(node.left), evaluated(node.right))
        raise KeyError(node)

    try:
        return evaluated(ast.parse(TERM.sub(name, expression), mode="eval").body)
    except (SyntaxError, KeyError, ZeroDivisionError) as error:
        raise UserError(f"value: got '{expression}', expected numbers and terms ({TERMS}) with + - * / ( )") from error


def value_of_term(results, term):
    words = term.split()
    if len(words) == 4:
        value = cells.one_value(results, *words)
    elif words[0] == "atlas" and len(words) == 3:
        value = studies.point(results, *words[1:])["ours"]
    elif words[0] == "lowering" and len(words) == 3:
        value = studies.lowering_ratio(results, *words[1:])
    elif words[0] in ("card", "model") and len(words) == 3:
        value = studies.correlation_row(results, words[1], words[2].replace("_", " ")).get(f"{words[0]}_us")
    elif words[0] in ("ours", "paper") and len(words) in (2, 3):
        value = studies.figure_row(results, *words[1:])[words[0]]
    else:
        raise UserError(f"value: got '[{term}]', expected {TERMS}")
    if not isinstance(value, (int, float)):
        raise UserError(f"value: '[{term}]' is not a number")
    return value


def seeds(results, expression):
    """Seeds that all experiments of the expression have."""
    experiments_of = {term.split()[0] for term in TERM.findall(expression) if len(term.split()) == 4}
    found = [list(dict.fromkeys(row["seed"] for row in results.summary(experiment))) for experiment in sorted(experiments_of)]
    common = [seed for seed in found[0] if all(seed in others for others in found)] if found else []
    if len(common) < 2:
        raise UserError(f"value: interval needs an experiment with two seeds or more, got '{expression}'")
    return common


def of_seed(results, seed):
    """The results of one seed."""
    class OfSeed(type(results)):
        def summary(self, experiment):
            return [row for row in super().summary(experiment) if row["seed"] == seed]
    view = copy.copy(results)
    view.__class__ = OfSeed
    return view
