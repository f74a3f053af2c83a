#!/usr/bin/python3
"""Sweeps through GNU parallel: on this machine, on hosts that a script in the place of ssh makes up, and on a real sshd.

Usage: parallel_test.py TESSERA

Exits with 77, which CTest counts as skipped, where GNU parallel is not there.
"""

import getpass
import os
import shutil
import signal
import socket
import subprocess
import sys
import unittest

from cluster_case import UNEVEN, ClusterCase, processes_about, read

SKIPPED = 77
# Runs a command as ssh does, and notes for whom. An sshd sets SHELL, which parallel's part on the host takes. The host "hermit" has folders
# of its own.
SSH = r"""#!/bin/sh
host=$1
shift
[ "$1" != -- ] || shift
echo "$host" >>"$SSH_CALLS"
export SHELL=/bin/sh
case "$host" in
    nowhere) echo "ssh: Could not resolve hostname nowhere: Name or service not known" >&2; exit 255 ;;
    hermit) exec sh -c "$(echo "$*" | sed 's|/tessera_cluster_|/elsewhere_|g')" ;;
esac
exec sh -c "$*"
"""


class ParallelCase(ClusterCase):
    def setUp(self):
        super().setUp()
        self.ssh = os.path.join(self.folder, "fake_ssh")
        with open(self.ssh, "w", encoding="utf-8") as handle:
            handle.write(SSH)
        os.chmod(self.ssh, 0o755)
        self.calls = os.path.join(self.folder, "calls")
        self.environment = {**os.environ, "SSH_CALLS": self.calls}
        self.environment.pop("SHELL", None)  # as from cron or a service

    def host(self, name):
        return f"1/{self.ssh} {name}"

    def sshd(self):
        """Starts an sshd of the test's own; what logs in to it, or None where there is no sshd."""
        server = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin")
        if server is None:
            return None
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        for name in ["host", "own"]:
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", os.path.join(self.folder, name)], check=True)
        if os.geteuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)
        config = os.path.join(self.folder, "sshd_config")
        with open(config, "w", encoding="utf-8") as handle:
            handle.write(f"Port {port}\nListenAddress 127.0.0.1\nHostKey {self.folder}/host\nUsePAM no\nStrictModes no\n"
                         f"AuthorizedKeysFile {self.folder}/own.pub\nPidFile none\nPermitRootLogin yes\nMaxStartups 100\n")
        daemon = subprocess.Popen([server, "-D", "-f", config], stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        self.addCleanup(daemon.wait)
        self.addCleanup(daemon.terminate)

        def listens():
            with socket.socket() as client:
                return client.connect_ex(("127.0.0.1", port)) == 0
        self.until(listens, "sshd does not listen")
        return (f"ssh -p {port} -i {self.folder}/own -o BatchMode=yes -o StrictHostKeyChecking=no -o LogLevel=ERROR "
                f"-o UserKnownHostsFile={self.folder}/known {getpass.getuser()}@127.0.0.1")


class Sweeps(ParallelCase):
    def test_the_bytes_of_a_local_sweep(self):
        process = self.sweep("--backend", "parallel", "-j", "2")
        self.assertIn("trial: 4 runs, through GNU parallel, into", process.stderr)
        self.assert_as_local()

    def test_hosts_and_packs(self):
        self.sweep("--backend", "parallel", "--pack", "2", "--sshlogin", self.host("one") + "," + self.host("two"),
                   "--sshlogin", "1/:")
        self.assert_as_local()
        self.assertLessEqual({"one", "two"}, set(read(self.calls).split()))

    def test_a_real_ssh(self):
        login = self.sshd()
        if login is None:
            self.skipTest("no sshd here")
        self.sweep("--backend", "parallel", "--sshlogin", "2/" + login)
        self.assert_as_local()


class Refusals(ParallelCase):
    def test_hosts_that_will_not_do(self):
        for login, expected in [
                (self.host("nowhere"), "--sshlogin: cannot reach '.* nowhere': ssh: Could not resolve hostname nowhere"),
                (self.host("hermit"), f"--out: the host .* hermit does not share {self.out} or .*, expected folders that all"),
                ("1/:,,:", "--sshlogin: got '1/:,,:', expected hosts with commas between")]:
            self.assert_refused(self.sweep("--backend", "parallel", "--sshlogin", self.host("one") + "," + login
                                           if ".*" in expected else login, code=2), expected)
            self.assertFalse(os.path.exists(os.path.join(self.out, "runs", "yolo.C6", "duplo", "log.txt")))

    def test_a_program_of_that_name(self):
        other = os.path.join(self.folder, "bin")
        os.makedirs(other)
        with open(os.path.join(other, "parallel"), "w", encoding="utf-8") as handle:
            handle.write("#!/bin/sh\necho parallel from moreutils\n")
        os.chmod(os.path.join(other, "parallel"), 0o755)
        self.environment["PATH"] = other + ":" + os.environ["PATH"]
        self.assert_refused(self.sweep("--backend", "parallel", code=2), "the parallel in PATH is not GNU parallel")
        self.environment["PATH"] = self.folder
        self.assert_refused(self.sweep("--backend", "parallel", code=2), "--backend parallel: there is no parallel in PATH")
        self.assertFalse(os.path.exists(self.out))


class Kills(ParallelCase):
    def test_runs_parallel_and_the_sweep(self):
        self.use(UNEVEN)
        arguments = ["--backend", "parallel", "--sshlogin", "2/" + (self.sshd() or ":")]
        process = self.start(*arguments)
        self.hold_long_run("the long run does not start")
        process.kill()
        process.wait()
        self.until(lambda: not self.runs() and not processes_about(self.out), "runs outlive the sweep")

        process = self.start(*arguments)
        self.hold_long_run("the long run does not start again")
        self.kill_long_run()
        self.hold_long_run("the long run is not tried again")
        self.send(signal.SIGKILL, processes_about("--arg-file\0" + self.out))
        self.send(signal.SIGCONT, self.runs("yolo.C6", "long"))  # it may outlive parallel; another one waits for it
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, errors)
        self.assert_as_local()


if __name__ == "__main__":
    if shutil.which("parallel") is None:
        print("skipped: no GNU parallel here (tools/setup --tests installs it)")
        sys.exit(SKIPPED)
    ClusterCase.tessera = os.path.abspath(sys.argv.pop(1))
    unittest.main()
