"""GoogleTest cases of tools/mutate, each a process with limits of its own."""

import os
import resource
import subprocess
import tempfile
import time

import rtl_common as common

MEMORY_BYTES = 4 << 30  # that a case may take


class Case:
    """One GoogleTest case, in a process of its own."""

    def __init__(self, program, name):
        self.program, self.name = program, name
        self.seconds = 0.0  # of processor, without an error
        self.reaches = []

    def key(self):
        """For lists."""
        return f"{os.path.basename(self.program)} {self.name}"

    def run(self, mutant=0, reached=None):
        """(whether it passes, processor seconds) with an error switched on."""
        cpu = int(10 + 10 * self.seconds)

        def limits():
            resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 5) if mutant else (600, 605))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
            resource.setrlimit(resource.RLIMIT_FSIZE, (MEMORY_BYTES // 4, MEMORY_BYTES // 4))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        environment = {**os.environ, "TESSERA_MUTANT": str(mutant)}
        if reached is not None:
            environment["TESSERA_MUTANTS_REACHED"] = reached
        with tempfile.TemporaryDirectory(prefix="tessera-mutate-") as folder:
            environment["TMPDIR"] = folder
            before = time.monotonic()
            code, _ = common.Children.run([self.program, f"--gtest_filter={self.name}", "--gtest_brief=1"],
                                          60 + 20 * cpu if mutant else 1800, stdout=subprocess.DEVNULL,
                                          stderr=subprocess.DEVNULL, cwd=folder, env=environment, preexec_fn=limits)
            if common.Children.stopped_by:  # that ended the case, not an error
                raise common.Stopped(common.Children.stopped_by)
            return code == 0, time.monotonic() - before


def cases_of(program):
    """The cases that --gtest_list_tests lists, except disabled ones."""
    text = subprocess.run([program, "--gtest_list_tests"], check=True, capture_output=True, text=True).stdout
    suite, cases = "", []
    for line in text.splitlines():
        line = line.split("#")[0].rstrip()
        if line.startswith("  "):
            cases.append(Case(program, suite + line.strip()))
        elif line.endswith("."):
            suite = line
    return [case for case in cases if "DISABLED_" not in case.name]
