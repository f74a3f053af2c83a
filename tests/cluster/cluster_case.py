"""Base of the tests of sweeps on clusters: two small experiments, and a comparison with a local sweep's results."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from sweep_trial import TRIAL, processes_about, read  # noqa: E402

# The four runs of the trial, and two of seconds, to be stopped and killed: long enough to be met on a machine that stands still for a while.
UNEVEN = TRIAL + """
  long: {configs: [duplo_paper], set: {gpu.sms: 8, workload.layer.batch: 8, workload.tiling.cta_limit: 64}, baseline: baseline}
"""


class ClusterCase(unittest.TestCase):
    tessera = ""
    environment = dict(os.environ)

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tessera_cluster_")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.addCleanup(self.kill_all)
        self.out = os.path.join(self.folder, "out")
        self.use(TRIAL)

    def kill_all(self):
        """Kills the processes that a failed test may have left, above all stopped runs."""
        self.send(signal.SIGKILL, processes_about(self.folder))

    @staticmethod
    def send(number, pids):
        """Sends a signal to those of the processes that are still there: any may have ended since it was found."""
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def use(self, experiment):
        self.experiment = os.path.join(self.folder, "trial.yaml")
        with open(self.experiment, "w", encoding="utf-8") as handle:
            handle.write(experiment)

    def command(self, *arguments, out=None):
        return [self.tessera, "sweep", self.experiment, "--out", out or self.out, *arguments]

    def sweep(self, *arguments, out=None, code=0):
        process = subprocess.run(self.command(*arguments, out=out), capture_output=True, text=True, check=False, timeout=120,
                                 env=self.environment)
        self.assertEqual(process.returncode, code, f"{arguments}\n{process.stdout}\n{process.stderr}")
        return process

    def start(self, *arguments):
        process = subprocess.Popen(self.command(*arguments), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   env=self.environment)
        self.addCleanup(process.stderr.close)
        self.addCleanup(lambda: process.poll() is not None or process.kill())
        return process

    def results(self, out):
        """Content of all files that runs and the sweep leave and that do not say how long something took."""
        files = {}
        for where, _, names in os.walk(out):
            for name in names:
                path = os.path.join(where, name)
                if name not in ("host.json", "host.csv", "log.txt", ".lock"):
                    files[os.path.relpath(path, out)] = read(path)
        return files

    def assert_as_local(self):
        local = os.path.join(self.folder, "local")
        self.sweep("-j", "2", out=local)
        expected = self.results(local)
        found = self.results(self.out)
        self.assertEqual(sorted(found), sorted(expected))
        for name, content in expected.items():
            self.assertEqual(found[name], content, name)

    def assert_refused(self, process, expected):
        """One line says why, and nothing is left of what was to be submitted."""
        lines = [line for line in process.stderr.splitlines() if not line.startswith("trial: ")]
        self.assertEqual(len(lines), 1, process.stderr)
        self.assertRegex(lines[0], "^tessera: .*" + expected)
        self.assertFalse(os.path.exists(os.path.join(self.out, ".jobs")))

    def until(self, condition, what, seconds=40):
        deadline = time.time() + seconds
        while not condition():
            if time.time() > deadline:
                self.fail(what)
            time.sleep(0.02)

    def runs(self, layer="", variant=""):
        """Processes of runs of the sweep."""
        return processes_about(os.path.join(self.out, "runs", layer, variant))

    def hold_long_run(self, what):
        """Waits for the long run of a layer and stops it, so that it is there for as long as it is wanted."""
        def stop():
            found = self.long_run()
            self.send(signal.SIGSTOP, found)
            return found
        self.until(stop, what)
        self.assertTrue(self.long_run(), "the long run ended before it could be stopped")

    def long_run(self):
        """The process that simulates the long run of a layer, without the shells about it, which come before it does."""
        return [pid for pid in self.runs("yolo.C6", "long") if program_of(pid) == os.path.realpath(self.tessera)]

    def kill_long_run(self, *others):
        """kill -9, the others first. Another run may be there before anyone looks, so only what was killed is waited for."""
        killed = [*others, *self.runs("yolo.C6", "long")]
        self.send(signal.SIGKILL, killed)
        self.until(lambda: not set(killed) & set(self.runs("yolo.C6", "long")), "the run was killed")


def program_of(pid):
    """Path of a process's program; empty if it has ended."""
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""
