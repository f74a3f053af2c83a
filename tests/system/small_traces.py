"""Runs of traces, for tests: golden ones, and results of a good run."""

import json
import os

import small_run
from small_run import tessera

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TRACES = os.path.join(ROOT, "tests", "golden", "traces")


def golden(name):
    return os.path.join(TRACES, name, "kernelslist.g")


class Traces(small_run.InFolder):
    def run_bytes(self, *arguments):
        """result.json of a good run, as it is."""
        process = tessera("run", *arguments, "-q", "--out", self.path("out"))
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        with open(self.path("out", "result.json"), "rb") as handle:
            return handle.read()

    def result(self, *arguments):
        return json.loads(self.run_bytes(*arguments))

    def replay_of_layer(self, trace):
        """The trace of the small layer, whose keys of the layer itself have no use then."""
        return self.result(self.small, "--trace", trace, "--allow-unused")

    def replay(self, trace, *arguments):
        return self.result("qv100_accelsim", "--trace", trace, *arguments)

    def assert_within(self, value, reference, percent, what):
        self.assertLessEqual(abs(value / reference - 1) * 100, percent,
                             f"{what}: {value:.1f}, expected {reference} within {percent} %")
