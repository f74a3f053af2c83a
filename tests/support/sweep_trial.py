"""Helpers of the tests of sweeps: a small experiment, and a list of the processes that work on it."""

import os

# Two small machines on two small pieces of layers: a fraction of a second each.
TRIAL = """
name: trial
title: A trial
base: [duplo_titan_v]
layers: [resnet.C8, yolo.C6]
variants:
  baseline:
    configs: [baseline]
    set: &small {gpu.sms: 2, workload.layer.batch: 1, workload.tiling.cta_limit: 2, workload.im2col: functional}
  duplo: {configs: [duplo_paper], set: *small}
"""
# Result files of a sweep.
TABLES = ["summary.csv", "summary.json", "table.txt"]


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as handle:
        return handle.read()


def processes_about(text):
    """Ids of running processes whose command line holds `text`."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if text in read("/proc", pid, "cmdline") and int(pid) != os.getpid():
                found.append(int(pid))
        except (OSError, UnicodeDecodeError):
            pass  # it has ended
    return found
