#!/usr/bin/python3
"""tessera sweep with other backends than this machine, as far as it shows without them: an imitation of Slurm's commands, and what
is refused. tests/cluster has the real ones.

Usage: sweep_backends_test.py TESSERA
"""

import os
import re
import shutil
import stat
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from sweep_case import SweepCase, sweep_main  # noqa: E402
from sweep_trial import TABLES, read  # noqa: E402


class Slurm(SweepCase):
    """On a Slurm that these scripts make up; tests/cluster has a real one."""

    SCRIPTS = {
        "sbatch": r"""#!/bin/sh
for argument; do
    case "$argument" in
        --job-name=*) name=${argument#--job-name=} ;;
        --array=1-*) last=${argument#--array=1-} ;;
    esac
done
echo "$@" >>"$FAKE_SLURM/calls"
for element in $(seq "${last%\%*}"); do
    SLURM_ARRAY_TASK_ID=$element sh "$argument" >/dev/null 2>&1 &
    echo $! >"$FAKE_SLURM/$name.$element"
done
echo 1
""",
        "squeue": r"""#!/bin/sh
for argument; do
    case "$argument" in --name=*) names=$(echo "${argument#--name=}" | tr , ' ') ;; esac
done
for name in $names; do
    for file in "$FAKE_SLURM/$name".*; do
        [ ! -e "/proc/$(cat "$file")/exe" ] || echo "$name|${file##*.}|RUNNING|None"
    done
done
""",
        "scancel": "#!/bin/sh\n",
        "scontrol": "#!/bin/sh\necho 'MaxArraySize            = 3'\n",
    }

    def environment(self):
        state = os.path.join(self.folder, "slurm")
        os.makedirs(os.path.join(state, "bin"))
        for name, text in self.SCRIPTS.items():
            path = os.path.join(state, "bin", name)
            with open(path, "w", encoding="utf-8") as handle:
                handle.write(text)
            os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        self.calls = os.path.join(state, "calls")
        return {**os.environ, "PATH": os.path.join(state, "bin") + ":/usr/bin:/bin", "FAKE_SLURM": state}

    def test_job_arrays_give_the_same_tables(self):
        self.sweep("-j", "2")
        local = {name: read(self.out, name) for name in TABLES}
        environment = self.environment()
        self.out += "_slurm"
        process = self.sweep("-j", "3", "--backend", "slurm", "--partition", "long", "--mem", "1G", env=environment)
        self.assertIn("4 runs, through Slurm, into", process.stderr)
        self.assertEqual(local, {name: read(self.out, name) for name in TABLES})
        calls = read(self.calls).splitlines()
        # Two elements an array, and three at a time in both together.
        self.assertEqual([re.findall(r"--array=\S+", call) for call in calls], [["--array=1-2%2"], ["--array=1-2%1"]])
        for call in calls:
            self.assertIn("--requeue --partition=long --mem=1G", call)
        shutil.rmtree(self.out)
        self.sweep("--backend", "slurm", "--pack", "3", env=environment)
        self.assertEqual(local, {name: read(self.out, name) for name in TABLES})
        self.assertEqual(len(read(self.calls).splitlines()), 3)
        self.assertFalse(os.path.exists(os.path.join(self.out, ".jobs")))

    def test_failures_are_as_in_a_local_sweep(self):
        os.makedirs(os.path.join(self.run_folder("resnet.C8", "baseline"), "result.json", "in_the_way"))
        process = self.sweep("--backend", "slurm", code=2, env=self.environment())
        self.assertRegex(process.stderr, r"resnet.C8 baseline FAILED: tessera: --out: \S+/result.json is there and of no run")
        self.assertEqual(len(self.rows()), 3)

    def test_without_slurm(self):
        empty = {**os.environ, "PATH": self.folder}
        self.assert_user_error(self.sweep("--backend", "slurm", code=2, env=empty),
                               "--backend slurm: there is no sbatch in PATH")
        self.assertFalse(os.path.exists(self.out))

    def test_another_backend_while_jobs_may_be_at_work(self):
        os.makedirs(os.path.join(self.out, ".jobs", "1"))
        with open(os.path.join(self.out, ".jobs", "engine"), "w", encoding="utf-8") as handle:
            handle.write("Slurm\n")
        self.assert_user_error(self.sweep(code=2), "--backend: got 'local', expected the one of Slurm, which may have runs of")
        self.sweep("--backend", "slurm", env=self.environment())
        self.assertFalse(os.path.exists(os.path.join(self.out, ".jobs")))

    def test_options_of_other_backends(self):
        for arguments, expected in [
                (["--backend", "condor"], "condor"),
                (["--pack", "2"], "--pack: got '--backend local', expected '--backend slurm or parallel'"),
                (["--partition", "x"], "--partition: got '--backend local', expected '--backend slurm'"),
                (["--backend", "slurm", "--sshlogin", ":"], "--sshlogin: got '--backend slurm', expected '--backend parallel'"),
                (["--backend", "slurm", "--pack", "0"], "--pack")]:
            self.assert_user_error(self.sweep(*arguments, code=2), expected)
            self.assertFalse(os.path.exists(self.out))


if __name__ == "__main__":
    sweep_main()
