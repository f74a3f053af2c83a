"""The program under test and a layer that it runs in a few milliseconds, for the tests of the command line."""

import json
import os
import signal
import subprocess
import tempfile
import unittest

TESSERA = ""  # set by the test's main program

# Tests that were started to ignore Ctrl-C, by a script in the background say, send it all the same.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A padded layer of stride 2 on one SM.
SMALL = """\
gpu: {sms: 1}
workload:
  layer: {name: small, batch: 1, height: 9, width: 9, channels: 16, filters: 32,
          filter_height: 3, filter_width: 3, pad: 1, stride: 2}
  tiling: {cta_m: 32, cta_n: 32, warp_m: 32, warp_n: 16}
logging: {level: warn}
"""


def tessera(*arguments, **options):
    return subprocess.run([TESSERA, *arguments], capture_output=True, text=True, check=False, timeout=300,
                          stdin=subprocess.DEVNULL, **options)


class InFolder(unittest.TestCase):
    """Tests with a folder of their own, in which there may be a file with the small layer."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def file(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as handle:
            handle.write(text)
        return self.path(name)

    def assert_refused(self, process, *expected):
        """Exit code 2, one line on stderr that holds all of `expected`, nothing on stdout."""
        self.assertEqual((process.returncode, process.stdout), (2, ""), process.stderr)
        self.assertEqual(process.stderr.count("\n"), 1, process.stderr)
        self.assertTrue(process.stderr.startswith("tessera: "), process.stderr)
        for text in expected:
            self.assertIn(text, process.stderr)


def sets(**values):
    return [word for key, value in values.items() for word in ("--set", f"{key.replace('__', '.')}={value}")]


class Cli(InFolder):
    """The command line on the small layer."""

    def setUp(self):
        super().setUp()
        self.small = self.file("small.yaml", SMALL)

    def out(self):
        return os.path.join(self.folder, "out")

    def refused(self, arguments, *expected, out=True):
        """Same as assert_refused, and the command leaves no file."""
        before = sorted(os.listdir(self.folder))
        where = ["--out", self.out()] if out and arguments[:1] == ["run"] else []
        self.assert_refused(tessera(*arguments, *where), *expected)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def result(self):
        with open(os.path.join(self.out(), "result.json"), encoding="utf-8") as handle:
            return json.load(handle)
