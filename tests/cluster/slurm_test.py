#!/usr/bin/python3
"""Sweeps through a real Slurm of one node, and what becomes of them when jobs, slurmd or the sweep are killed.

Usage: slurm_test.py TESSERA

Exits with 77, which CTest counts as skipped, where Debian's packages slurmctld, slurmd, slurm-client and munge are not there, or
where their daemons do not come up, as in containers that forbid what they need.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

from cluster_case import UNEVEN, ClusterCase, processes_about
from one_node_slurm import OneNodeSlurm, missing_programs

SLURM = None
SKIPPED = 77


class Arrays(ClusterCase):
    def test_several_arrays_and_packs_give_the_bytes_of_a_local_sweep(self):
        process = self.sweep("--backend", "slurm", "--partition", "short", "--time", "5", "--mem", "200")
        self.assertIn("trial: 4 runs, through Slurm, into", process.stderr)
        self.assert_as_local()
        lines = SLURM.call("squeue", "--states=all", "--noheader", "--format=%j %K %P %l %m").stdout.splitlines()
        arrays = sorted(line.split("-")[-1] for line in lines if line.endswith(" short 5:00 200M"))
        self.assertEqual([line.split()[:2] for line in arrays], [["1", "1"], ["1", "2"], ["1", "3"], ["2", "1"]])
        shutil.rmtree(self.out)
        self.sweep("--backend", "slurm", "--pack", "3", "-j", "1")
        self.assert_as_local()

    def test_what_sbatch_refuses_is_one_line_and_leaves_nothing(self):
        before = SLURM.call("squeue", "--states=all", "--noheader", "--array", "--format=%A").stdout
        for arguments, expected in [
                (["--partition", "nowhere"], "sbatch refused: invalid partition specified: nowhere"),
                (["--time", "1000"], "Requested time limit is invalid"),
                (["--mem", "900G"], "Memory specification can not be satisfied"),
                (["-j", "1"], "--jobs: got '1', expected at least 2")]:
            self.assert_refused(self.sweep("--backend", "slurm", *arguments, code=2), expected)
        after = SLURM.call("squeue", "--states=PENDING,RUNNING", "--noheader", "--array", "--format=%A").stdout
        self.assertEqual(after, "", before)

    def test_interrupt_ends_the_jobs(self):
        self.use(UNEVEN)
        process = self.start("--backend", "slurm", "--pack", "2")
        self.until(self.runs, "no run starts")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("resume with: tessera sweep", errors)
        self.assertIn("--backend slurm --pack 2", errors)
        self.assertEqual(SLURM.queue(), [])
        self.until(lambda: not self.runs(), "a run goes on")


class Kills(ClusterCase):
    def test_nothing_is_lost(self):
        self.use(UNEVEN)
        before = SLURM.arrays()
        process = self.start("--backend", "slurm")
        self.hold_long_run("the long run does not start")
        # A job that slurmd is starting when it is killed fails, and is submitted again; so only the long run is left.
        self.until(lambda: len(SLURM.arrays() - before) == 2 and len(SLURM.queue()) == 1, "the other runs do not end")
        jobs = {line[:2] for line in SLURM.queue()}
        process.kill()
        process.wait()
        SLURM.kill("slurmd")
        self.assertTrue(self.runs("yolo.C6", "long"), "the run should outlive slurmd")
        SLURM.start_node()

        # The same command finds what is in the queue, and submits nothing of it again.
        process = self.start("--backend", "slurm")
        time.sleep(1.5)
        self.assertEqual({line[:2] for line in SLURM.queue()} - jobs, set())

        # A run that is killed is requeued by its element.
        self.kill_long_run()
        self.hold_long_run("the long run is not requeued")
        self.assertEqual({line[:2] for line in SLURM.queue()} - jobs, set())

        # A job that is killed with all it has is submitted again.
        self.kill_long_run(*processes_about(os.path.join(self.out, ".jobs")))
        self.until(lambda: self.runs("yolo.C6", "long"), "the long run is not submitted again")
        self.assertNotEqual({line[:2] for line in SLURM.queue()} - jobs, set())
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, errors)
        self.assert_as_local()


class Sharing(ClusterCase):
    def setUp(self):
        super().setUp()
        if subprocess.run(["unshare", "--mount", "true"], check=False, stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no mount namespaces here")

    def test_a_node_that_does_not_share_the_folder(self):
        SLURM.kill("slurmd")
        hide = 'mount -t tmpfs none "$0" && exec "$@"'
        SLURM.start_node(["unshare", "--mount", "sh", "-c", hide, self.folder])
        SLURM.wait_for_node()
        try:
            self.assert_refused(self.sweep("--backend", "slurm", code=2), rf"--out: the node \S+ does not share {self.out} or ")
            self.assertEqual(SLURM.queue(), [])
        finally:
            SLURM.kill("slurmd")
            SLURM.start_node()
            SLURM.wait_for_node()


if __name__ == "__main__":
    missing = missing_programs()
    if missing:
        print(f"skipped: no {', '.join(missing)} here (tools/setup --tests installs them)")
        sys.exit(SKIPPED)
    SLURM = OneNodeSlurm(max_array_size=4)  # three elements an array
    try:
        SLURM.__enter__()
    except AssertionError as error:
        print(f"skipped: Slurm does not come up on this machine: {error}")
        sys.exit(SKIPPED)
    ClusterCase.tessera = os.path.abspath(sys.argv.pop(1))
    ClusterCase.environment = SLURM.environment
    try:
        unittest.main()
    finally:
        SLURM.close()
