"""Runs models of many cases by Tessera and by ONNX Runtime, and compares results."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

import numpy as np
import onnx

from cases import model_of

VALUES_CHECKED = re.compile(r"(\d+) of (\d+)\s*$")
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


class Refused(Exception):
    """One line by which a program refuses a model."""


class Broken(Exception):
    """A program crashed or said what it should not."""


def write_model(cases, folder):
    """Writes the model and its inputs, and returns the arguments that name the inputs."""
    onnx.save_model(model_of(cases), os.path.join(folder, "model.onnx"))
    arguments = []
    for case in cases:
        for name, array in case.inputs.items():
            path = os.path.join(folder, name + ".npy")
            np.save(path, array)
            arguments += ["--input", f"{name}={path}"]
    return arguments


class Tessera:
    def __init__(self, program, seconds=120):
        self.program, self.seconds = program, seconds

    def run(self, arguments):
        command = [self.program, "network", *arguments]
        try:
            process = subprocess.run(command, capture_output=True, text=True, timeout=self.seconds, check=False)
        except subprocess.TimeoutExpired as error:
            raise Broken(f"takes more than {self.seconds} s") from error
        lines = ESCAPE.sub("", process.stderr).strip().splitlines()
        last = lines[-1].removeprefix("tessera: ") if lines else ""
        if process.returncode == 2 and last:
            raise Refused(last)
        if process.returncode != 0:
            raise Broken(f"exit code {process.returncode}: {last}")
        return process.stdout

    def values(self, cases, fused):
        """Outputs of the cases by name, as the executor on the host computes them."""
        with tempfile.TemporaryDirectory() as folder:
            inputs = write_model(cases, folder)
            out = os.path.join(folder, "out")
            os.mkdir(out)
            self.run([os.path.join(folder, "model.onnx"), "--list", "--values", "--outputs", out, *inputs,
                      *([] if fused else ["--no-fuse"])])
            return {name: np.load(os.path.join(out, urllib.parse.quote(name, safe="") + ".npy"), allow_pickle=False)
                    for case in cases for name in case.outputs}

    def machine(self, cases, machine):
        """How many layers the cases are on a machine. All their values have to be right there."""
        with tempfile.TemporaryDirectory() as folder:
            inputs = write_model(cases, folder)
            text = self.run([os.path.join(folder, "model.onnx"), machine, "--set", "values=on", "--skip-unsupported", "-j", "1",
                             "--out", os.path.join(folder, "out"), *inputs])
        found = [VALUES_CHECKED.search(line) for line in ESCAPE.sub("", text).splitlines()]
        found = [match for match in found if match]
        if not found:
            raise Broken("prints no count of checked values")
        checked, layers = map(int, found[-1].groups())
        if checked != layers:
            raise Broken(f"values checked {checked} of {layers}")
        return layers


def by_halves(cases, run):
    """Calls `run` with all cases; where that fails, with halves of them, down to one. Yields (cases, result or exception)."""
    try:
        yield cases, run(cases)
    except (Refused, Broken) as error:
        if len(cases) == 1:
            yield cases, error
            return
        half = len(cases) // 2
        yield from by_halves(cases[:half], run)
        yield from by_halves(cases[half:], run)


@contextlib.contextmanager
def without_errors():
    """Keeps what ONNX Runtime prints from the terminal; its exceptions say the same."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


class Library:
    """ONNX Runtime, as tools/onnxruntime_library talks to it."""

    def __init__(self, module, path):
        self.module, self.path = module, path

    def values(self, cases):
        with tempfile.TemporaryDirectory() as folder, without_errors(), self.module.Runtime(self.path) as runtime:
            path = os.path.join(folder, "model.onnx")
            onnx.save_model(model_of(cases), path)
            inputs = {name: array for case in cases for name, array in case.inputs.items()}
            try:
                return runtime.run(path, inputs, [name for case in cases for name in case.outputs])
            except self.module.UserError as error:
                raise Refused(str(error)) from error


# Shares of the largest magnitude of a tensor, and of each element: sums in another order, functions that are computed
# otherwise, and one rounding to a half for each node.
TOLERANCES = {np.dtype(np.float32): (2e-5, 1e-4), np.dtype(np.float16): (4e-3, 4e-3)}
LEAST_MAGNITUDE = 0.1


def difference(ours, theirs):
    """In words, or None if there is none worth speaking of."""
    if ours.dtype != theirs.dtype:
        return f"type {ours.dtype}, expected {theirs.dtype}"
    if ours.shape != theirs.shape:
        return f"shape {'x'.join(map(str, ours.shape))}, expected {'x'.join(map(str, theirs.shape))}"
    if ours.dtype not in TOLERANCES:
        wrong = ours != theirs
    else:
        a, b = ours.astype(np.float64), theirs.astype(np.float64)
        of_largest, of_each = TOLERANCES[ours.dtype]
        finite = np.isfinite(a) & np.isfinite(b)
        largest = max(np.abs(b[finite]).max(initial=0), LEAST_MAGNITUDE)
        with np.errstate(invalid="ignore", over="ignore"):
            near = np.abs(a - b) <= of_largest * largest + of_each * np.abs(b)
        wrong = ~np.where(finite, near, (a == b) | (np.isnan(a) & np.isnan(b)))
    if not wrong.any():
        return None
    place = tuple(int(index) for index in np.argwhere(wrong)[0]) if wrong.ndim else ()
    return f"{int(wrong.sum())} of {wrong.size} elements, first {list(place)}: got {ours[place]}, expected {theirs[place]}"


def keep_case(case, folder):
    """The model with its inputs in a folder, and a command that compares it."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    arguments = write_model([case], folder)
    return " ".join(["tools/check_network", os.path.join(folder, "model.onnx"), *arguments])
