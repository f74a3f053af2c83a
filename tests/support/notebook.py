"""Executes notebooks without Jupyter, cell by cell in one namespace, and keeps their outputs as nbformat 4 has them."""

import ast
import base64
import contextlib
import io
import json

import matplotlib.pyplot as plt


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def write(notebook, path):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(notebook, file, indent=1, ensure_ascii=False)
        file.write("\n")


def _lines(text):
    return text.splitlines(keepends=True)


def _picture(figure):
    """The figure as PNG without the version of what drew it."""
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=72, metadata={"Software": None})
    return base64.b64encode(data.getvalue()).decode("ascii") + "\n"


def _shown(value):
    """A notebook shows this of the value of a cell's last expression."""
    data = {"text/plain": _lines(repr(value))}
    html = getattr(value, "_repr_html_", None)
    if html is not None:
        data["text/html"] = _lines(html())
    return data


def _run_cell(text, name, names):
    """Runs a cell; returns the value of its last expression, or None, as where it ends in a semicolon."""
    tree = ast.parse(text, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), names)  # pylint: disable=exec-used
    if last is None:
        return None
    value = eval(compile(ast.Expression(last.value), name, "eval"), names)  # pylint: disable=eval-used
    return None if text.rstrip().endswith(";") else value


def execute(notebook, title):
    """Runs every cell and puts the outputs into `notebook`: standard output, values, figures. Returns the namespace.

    An exception ends it as an AssertionError with the cell's text. Error output, such as bars of progress, is dropped.
    """
    names = {"__name__": "__main__"}
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        count += 1
        text = "".join(cell["source"])
        said = io.StringIO()
        try:
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
                value = _run_cell(text, f"{title} {cell['id']}", names)
        except Exception as error:
            raise AssertionError(f"{title}, cell {cell['id']}: {error!r}\n{text}") from error
        outputs = []
        if said.getvalue():
            outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(said.getvalue())})
        for number in plt.get_fignums():
            figure = plt.figure(number)
            outputs.append({"data": {"image/png": _picture(figure), "text/plain": [repr(figure)]}, "metadata": {},
                            "output_type": "display_data"})
        if value is not None and not plt.get_fignums():
            outputs.append({"data": _shown(value), "execution_count": count, "metadata": {}, "output_type": "execute_result"})
        plt.close("all")
        cell["execution_count"], cell["outputs"] = count, outputs
    return names
