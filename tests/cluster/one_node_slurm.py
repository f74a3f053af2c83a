#!/usr/bin/python3
"""A Slurm of one node for tests: munged, slurmctld and slurmd with a folder, a key and ports of their own.

Usage: one_node_slurm.py COMMAND [ARGUMENT...]   (runs the command while such a Slurm is there)

Its partition "short" runs jobs, and "parked" keeps them waiting. Runs as whoever starts it, root or not, beside any other Slurm of the machine, and without cgroups, which containers
often lack: processes are followed by their session (proctrack/linuxproc) and nothing is bound or accounted.
"""

import getpass
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo"]

CONFIG = """
ClusterName=tessera_test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket,cred_expire={requeue_seconds}
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=100
EnforcePartLimits=ALL
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1
MaxArraySize={max_array_size}
MaxJobCount={max_jobs}
MinJobAge=300
KillWait=1
SlurmdTimeout=300
SlurmctldTimeout=30
ReturnToService=2
JobRequeue=1
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=short Nodes={host} Default=YES MaxTime=60 State=UP
PartitionName=parked Nodes={host} MaxTime=60 State=DOWN
"""


def missing_programs():
    """The required programs that are missing."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    return [name for name in PROGRAMS if shutil.which(name, path=path) is None]


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class OneNodeSlurm:
    """Use as a context; `environment` is what its clients need. Everything ends with the context."""

    def __init__(self, *, cpus=2, max_array_size=1001, max_jobs=20000, requeue_seconds=5):
        self.folder = tempfile.mkdtemp(prefix="tessera_slurm_")
        controller_port, node_port = free_ports(2)
        self.host = socket.gethostname().split(".")[0]
        for name in ["munge", "state", "spool"]:
            os.mkdir(os.path.join(self.folder, name), 0o755)
        config = os.path.join(self.folder, "slurm.conf")
        with open(config, "w", encoding="utf-8") as handle:
            handle.write(CONFIG.format(host=self.host, controller_port=controller_port, node_port=node_port,
                                       user=getpass.getuser(), folder=self.folder, cpus=cpus, memory=1000,
                                       max_array_size=max_array_size, max_jobs=max_jobs,
                                       requeue_seconds=requeue_seconds))
        self.environment = {**os.environ, "SLURM_CONF": config,
                            "PATH": os.environ.get("PATH", "") + ":/usr/sbin:/sbin"}
        self.daemons = {}

    def __enter__(self):
        try:
            self.start_munged()
            self.start_controller()
            self.start_node()
            self.wait_for_node()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def start_munged(self):
        key = os.path.join(self.folder, "munge", "key")
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o400), "wb") as handle:
            handle.write(os.urandom(1024))
        munge = os.path.join(self.folder, "munge")
        self.start("munged", ["munged", "--foreground", "--force", "--num-threads=2", f"--socket={munge}/socket",
                              f"--key-file={key}", f"--log-file={munge}/log", f"--pid-file={munge}/pid",
                              f"--seed-file={munge}/seed"])
        self.until(lambda: os.path.exists(f"{munge}/socket"), "munged has no socket")

    def start_controller(self):
        self.start("slurmctld", ["slurmctld", "-D"])

    def start_node(self, wrapper=()):
        self.start("slurmd", [*wrapper, "slurmd", "-D", "-N", self.host])

    def wait_for_node(self):
        def is_idle():
            state = self.call("sinfo", "--noheader", "--partition=short", "--format=%t", check=False).stdout
            return state.strip() in ("idle", "mix", "alloc")
        self.until(is_idle, "the node does not come up")

    def start(self, name, argv):
        with open(os.path.join(self.folder, name + ".out"), "ab") as out:
            self.daemons[name] = subprocess.Popen(argv, env=self.environment, stdin=subprocess.DEVNULL, stdout=out,
                                                  stderr=out, start_new_session=True)

    def kill(self, name):
        """kill -9, with whatever it became."""
        process = self.daemons.pop(name)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def call(self, *argv, check=True):
        return subprocess.run(argv, env=self.environment, capture_output=True, text=True, check=check, timeout=30)

    def queue(self):
        """Job array, element and state of what is in the queue."""
        lines = self.call("squeue", "--noheader", "--array", "--format=%F %K %T").stdout.splitlines()
        return [tuple(line.split()) for line in lines]

    def arrays(self):
        """All job arrays that Slurm knows, ended ones as well."""
        return set(self.call("squeue", "--states=all", "--noheader", "--format=%F").stdout.split())

    def until(self, condition, failure, seconds=20):
        deadline = time.time() + seconds
        while not condition():
            if time.time() > deadline:
                raise AssertionError(f"{failure}\n{self.logs()}")
            time.sleep(0.05)

    def logs(self):
        text = ""
        for name in ["munged.out", "munge/log", "slurmctld.out", "slurmctld.log", "slurmd.out", "slurmd.log"]:
            path = os.path.join(self.folder, name)
            if os.path.exists(path):
                with open(path, encoding="utf-8", errors="replace") as handle:
                    text += f"--- {name}\n" + "".join(handle.readlines()[-15:])
        return text

    def close(self):
        for name in list(self.daemons):
            self.kill(name)
        self.end_steps()
        shutil.rmtree(self.folder, ignore_errors=True)

    def end_steps(self):
        """Ends slurmstepds of this Slurm that outlive its slurmd, and what they run: all that has its SLURM_CONF."""
        mine = ("SLURM_CONF=" + self.environment["SLURM_CONF"]).encode()
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as handle:
                    if int(pid) != os.getpid() and mine in handle.read().split(b"\0"):
                        os.kill(int(pid), signal.SIGKILL)
            except OSError:
                pass  # ended, or somebody else's


def main():
    missing = missing_programs()
    if missing or len(sys.argv) < 2:
        print(f"no {', '.join(missing)} here (tools/setup --tests installs them)" if missing else __doc__.strip(), file=sys.stderr)
        return 2
    with OneNodeSlurm(cpus=os.cpu_count()) as slurm:
        return subprocess.call(sys.argv[1:], env=slurm.environment)


if __name__ == "__main__":
    sys.exit(main())
