#!/usr/bin/python3
"""tessera as a process: its words, what it shows of its progress, signals, and streams that are full, closed or away."""

import fcntl
import json
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
import unittest

import small_run
from small_run import Cli, sets, tessera


class Process(Cli):
    @staticmethod
    def files_of(process):
        """The paths of a process's open files."""
        found = []
        for name in os.listdir(f"/proc/{process.pid}/fd"):
            try:
                found.append(os.readlink(f"/proc/{process.pid}/fd/{name}"))
            except OSError:
                pass  # closed again
        return found

    def on_a_terminal(self, *arguments):
        """The error output of a run where it is a terminal."""
        terminal, slave = pty.openpty()
        return self.shown_by(terminal, slave, ["run", *arguments], stdout=subprocess.DEVNULL, stderr=slave)

    def shown_by(self, terminal, slave, arguments, **streams):
        """The output of a command that has the terminal as a stream."""
        with subprocess.Popen([small_run.TESSERA, *arguments], **streams) as process:
            os.close(slave)
            shown = b""
            try:
                while chunk := os.read(terminal, 4096):
                    shown += chunk
            except OSError:
                pass  # the other side is closed
            finally:
                os.close(terminal)
            self.assertEqual(process.wait(timeout=60), 0, shown)
        return shown.decode()

    def test_progress_of_a_run(self):
        run = [self.small, "--set", "workload.layer.batch=4"]
        shown = self.on_a_terminal(*run)
        self.assertRegex(shown, r"\r\S+: \d+ of \d+ CTAs, \d+ %, [\d:]+ (s|min|h) left\x1b\[K")
        self.assertTrue(shown.endswith("\r\x1b[K"), shown)  # nothing stays
        self.assertEqual(self.on_a_terminal(*run, "-q"), "")
        self.assertEqual(tessera("run", *run).stderr, "")

    def test_keys_fit_the_terminal(self):
        for columns in (40, 80):
            terminal, slave = pty.openpty()
            fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            lines = self.shown_by(terminal, slave, ["config", "--list", "sample"], stdout=slave).splitlines()
            self.assertEqual([line for line in lines if len(line) > columns and " " in line.strip()], [])
            self.assertGreater(max(map(len, lines)), columns / 2)
            words = tessera("config", "--list", "sample").stdout.split()
            self.assertLessEqual(set(words) - {"KEY", "DEFAULT", "UNIT", "ALLOWED", "MEANING"}, set(" ".join(lines).split()))

    def test_progress_of_repetitions(self):
        product = sum((["--set", f"workload.gemm.{side}=512"] for side in "mnk"), [])
        process = tessera("run", "duplo_titan_v", "--set", "workload.kind=gemm", *product, "--set", "gpu.sms=2", "--set",
                          "workload.repeat=4", "--progress", "json", "-q")
        self.assertEqual(process.returncode, 0, process.stderr)
        shares = [json.loads(line)["share"] for line in process.stderr.splitlines()]
        self.assertEqual(shares, sorted(shares))
        self.assertLess(shares[0], 0.25)
        self.assertLessEqual(shares[-1], 1 + 1e-9)

    def test_an_interrupt_that_is_ignored(self):
        process = subprocess.Popen([small_run.TESSERA, "run", "resnet.C2", "--set", "gpu.sms=8", "-q", "--out", self.out()],
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        while not os.path.exists(self.out()):
            time.sleep(0.01)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 0)

    def test_interrupt(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with subprocess.Popen([small_run.TESSERA, "run", "resnet.C2", "duplo_paper", "--out", self.out()],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
                while not os.path.exists(self.out()):
                    time.sleep(0.01)
                time.sleep(0.3)
                process.send_signal(number)
                output, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130, errors)
            self.assertTrue(output.startswith("resnet.C2: 80 SMs, values off"), output)
            self.assertIn("INTERRUPTED: the figures cover what ran so far", output)
            self.assertFalse(os.path.exists(self.out()))

    def test_units_of_an_interrupted_kernel_stay_below_their_peaks(self):
        """Writes that are under way when the signal comes have been counted, so their cycles are, too."""
        sizes = sets(workload__kind="tensor", workload__tensor__operation="expand", workload__tensor__shape="1x1x1024",
                     workload__tensor__other="256x1024x1024")
        with subprocess.Popen([small_run.TESSERA, "run", "v100", *sizes, "--progress", "json"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            for line in process.stderr:
                if json.loads(line)["done"] > 40000:
                    break
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        shares = {name: float(share) for name, share in re.findall(r"\n    (\w[\w ]*?) +([\d.]+) % of ", output)}
        self.assertGreater(shares["DRAM"], 50, output)
        for unit, share in shares.items():
            self.assertLessEqual(share, 100, unit)

    def test_interrupt_while_reading(self):
        """Input that never ends, or never comes, does not keep a signal waiting."""
        pipe = self.path("pipe.yaml")
        os.mkfifo(pipe)
        matrix = ["run", *sets(workload__kind="sparse_gemm", tensor_core__kind="outer_product"), "--set",
                  f"workload.sparse.a.file={pipe}"]
        endless = "echo '%%MatrixMarket matrix coordinate real general'; exec yes %"
        for arguments, writer in ((matrix, "exec sleep 100"), (matrix, endless), (["run", "--trace", pipe], "exec sleep 100"),
                                  (["run", "--trace", pipe], "exec yes"), (["run", pipe], "exec sleep 100")):
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                with os.fdopen(os.open(pipe, os.O_RDWR), "wb", buffering=0) as end, \
                        subprocess.Popen(["sh", "-c", writer], stdout=end, stderr=subprocess.DEVNULL) as source:
                    with subprocess.Popen([small_run.TESSERA, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                          text=True) as process:
                        while process.poll() is None and pipe not in self.files_of(process):
                            time.sleep(0.01)
                        process.send_signal(number)
                        output, errors = process.communicate(timeout=60)
                    source.kill()
                self.assertEqual((process.returncode, output, errors), (130, "", ""), arguments)

    def test_arguments_that_are_empty(self):
        self.assert_refused(tessera("run", self.small, "--out", "", "-q"), "got an empty argument behind '--out'")
        self.assert_refused(tessera("run", self.small, "--out=", "-q"), "got '--out=', expected a value")

    def test_commands_that_are_none(self):
        self.assert_refused(tessera("runn"), "got command 'runn', expected one of {run, ")
        self.assert_refused(tessera("trace", "read"), "got command 'read', expected one of {write}")
        self.assert_refused(tessera("--versions"), "got option '--versions', expected a command, --help or --version")

    def test_without_a_command_there_is_help(self):
        process = tessera()
        self.assertEqual((process.returncode, process.stdout), (2, ""))
        self.assertEqual(process.stderr, tessera("--help").stdout)

    def test_run_with_nothing_prints_its_help(self):
        process = tessera("run")
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        self.assertEqual(process.stdout, tessera("run", "--help").stdout)
        self.assertIn("stall_ldst_busy      cycles waiting for the LDST unit\n", process.stdout)

    def test_a_kernel_that_only_writes_lasts_until_dram_has_moved_its_data(self):
        sizes = sets(workload__kind="tensor", workload__tensor__operation="expand", workload__tensor__shape="1x1x1024",
                     workload__tensor__other="8x1024x1024")
        for machine in ("v100", "duplo_titan_v"):
            process = tessera("run", machine, *sizes, "--out", self.out())
            self.assertEqual(process.returncode, 0, process.stderr)
            with open(os.path.join(self.out(), "result.json"), encoding="utf-8") as handle:
                kernel = json.load(handle)["kernels"][0]
            dram = next(unit for unit in kernel["percent_of_peak"] if unit["unit"] == "DRAM")
            # No data moves before the launch is over.
            after_launch = kernel["cycles"] - kernel["launch_cycles"]
            share = dram["percent"] * kernel["cycles"] / after_launch
            self.assertGreater(share, 70, machine)
            self.assertLessEqual(share, 100, machine)

    def test_a_machine_alone_is_nothing_to_run(self):
        for configs in (["v100"], ["v100", "cudnn"], ["duplo_titan_v", "duplo_paper", "workspace_ready"]):
            process = tessera("run", *configs, "--out", self.out())
            self.assert_refused(process, f"got no workload beside '{' '.join(configs)}', expected a layer "
                                         f"('tessera run {' '.join(configs)} resnet.C2')")
            self.assertEqual(process.stdout, "")
            self.assertFalse(os.path.exists(self.out()))
        self.assert_refused(tessera("run", "--set", "gpu.sms=2"), "got no workload")
        # A layer, sizes, or a whole run name one.
        self.assertEqual(tessera("run", "v100", "resnet.C2", "--dry-run").returncode, 0)
        self.assertEqual(tessera("run", "v100", *sets(workload__layer__batch=1), "--dry-run").returncode, 0)
        whole = self.file("whole.yaml", "part: run\ngpu: {sms: 2}\n")
        self.assertEqual(tessera("run", whole, "--dry-run").returncode, 0)

    def test_help_and_version(self):
        for arguments in (["--help"], ["run", "--help"], ["config", "--help"], ["program", "--help"],
                          ["--version"]):
            process = tessera(*arguments)
            self.assertEqual((process.returncode, process.stderr), (0, ""), arguments)
            self.assertNotEqual(process.stdout, "")

    def test_full_standard_output(self):
        """Output that cannot be written is an error, whether it is one line at the end or pages of text."""
        for arguments in (["run", self.small], ["config", "--list"], ["config", self.small], ["program", self.small],
                          ["block-pairs", "lenet5.F1.forward"], ["--help"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                process = subprocess.run([small_run.TESSERA, *arguments], stdout=full, stderr=subprocess.PIPE,
                                         text=True, check=False, timeout=300)
            self.assertEqual((process.returncode, process.stderr),
                             (2, "tessera: standard output: cannot write to file: No space left on device\n"),
                             arguments)

    def test_standard_error_that_cannot_be_written(self):
        """Messages are lost then, results and exit codes are not, and no file of ours becomes standard error."""
        loud = ["--set", "workload.tiling.ctas_per_sm=20", "--set", "workload.tiling.overhead_registers=180"]
        self.assertIn("warning", tessera("run", self.small, *loud).stderr)
        for redirection in ("2>/dev/full", "2>&-", "0<&- 2>&-"):
            for arguments, code in ((["run", "-q", self.small, *loud, "--out", self.out()], 0), (["run", "--fly"], 2),
                                    (["run", self.small, "--set", "gpu.sms=0"], 2),
                                    (["run", "-q", self.small, "duplo_paper", "--set", "values=on", "--set",
                                      "duplo.id_formula=paper"], 1)):
                process = subprocess.run(["sh", "-c", f'exec "$@" {redirection}', "sh", small_run.TESSERA, *arguments],
                                         check=False, timeout=300)
                self.assertEqual(process.returncode, code, (redirection, arguments))
            for name in os.listdir(self.out()):
                with open(os.path.join(self.out(), name), encoding="utf-8") as handle:
                    self.assertNotIn("warning", handle.read(), name)
            shutil.rmtree(self.out())

    def test_closed_standard_output(self):
        """A command with output fails; a quiet run has none and succeeds."""
        for arguments, code in ((["config", self.small], 2), (["run", "-q", self.small, "--out", self.out()], 0)):
            process = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", small_run.TESSERA, *arguments],
                                     stderr=subprocess.PIPE, text=True, check=False, timeout=300)
            self.assertEqual(process.returncode, code, process.stderr)
        self.assertEqual(self.result()["complete"], True)


if __name__ == "__main__":
    small_run.TESSERA = os.path.abspath(sys.argv.pop(1))
    unittest.main()
