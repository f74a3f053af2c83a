#!/usr/bin/python3
"""Every signal of the saved GTKWave views of RTL is in a fresh dump, and the other way round: every block that
can be co-simulated has a view.

Usage: views_test.py TESSERA_PROGRAM
"""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None  # path of the tessera program
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# How the dump of a view that is not one of a bench is made.
RUNS = {
    "rtl_detection": ["run", "duplo_paper", "-q", "--set", "gpu.sms=1", "--set", "workload.layer.channels=16",
                      "--set", "workload.tiling.cta_limit=1", "--set", "impl.id_generator=both",
                      "--set", "impl.load_history_buffer=both"],
    "rtl_tensor_core": ["run", "-q", "--set", "gpu.sms=1", "--set", "values=on", "--set", "workload.kind=gemm",
                        "--set", "workload.gemm.m=64", "--set", "workload.gemm.n=64", "--set",
                        "workload.gemm.k=32", "--set", "tensor_core.kind=outer_product",
                        "--set", "impl.feop_array=both", "--set", "impl.accumulation_buffer=both"],
    "rtl_sparse": ["run", "-q", "--set", "gpu.sms=1", "--set", "values=on", "--set", "workload.kind=sparse_gemm",
                   "--set", "workload.gemm.m=64", "--set", "workload.gemm.n=64", "--set", "workload.gemm.k=32",
                   "--set", "workload.tiling.cta_m=64", "--set", "workload.tiling.cta_n=64",
                   "--set", "workload.sparse.a.sparsity=0.5", "--set", "workload.sparse.b.sparsity=0.5",
                   "--set", "tensor_core.kind=outer_product", "--set", "tensor_core.spwmma.accumulation=collector",
                   "--set", "impl.bitmap_unit=both", "--set", "impl.feop_array=both",
                   "--set", "impl.accumulation_buffer=both"],
}


def view_signals(path):
    """Names in a view, with their ranges as GTKWave writes them."""
    names = []
    with open(path, encoding="utf-8") as handle:
        for line in handle:
            if re.match(r"(gpu|bench)\.", line):
                names.append(line.split()[0])
    return names


def dump_signals(path):
    """Full names of all variables of a dump, with ranges."""
    names, scopes = set(), []
    with open(path, encoding="utf-8") as handle:
        for line in handle:
            words = line.split()
            if words[:1] == ["$scope"]:
                scopes.append(words[2])
            elif words[:1] == ["$upscope"]:
                scopes.pop()
            elif words[:1] == ["$var"]:
                names.add(".".join([*scopes, "".join(words[4:-1])]))
            elif words[:1] == ["$enddefinitions"]:
                return names
    raise AssertionError(f"{path}: no $enddefinitions")


def flat_signals(path):
    """Full names of the variables of a dump that keep their first value."""
    names, scopes, values = {}, [], {}
    with open(path, encoding="utf-8") as handle:
        for line in handle:
            words = line.split()
            if words[:1] == ["$scope"]:
                scopes.append(words[2])
            elif words[:1] == ["$upscope"]:
                scopes.pop()
            elif words[:1] == ["$var"]:
                names.setdefault(words[3], []).append(".".join([*scopes, "".join(words[4:-1])]))
            elif line[:1] == "b" and len(words) == 2:
                values.setdefault(words[1], set()).add(words[0])
            elif line[:1] in ("0", "1"):
                values.setdefault(line[1:].strip(), set()).add(line[0])
    return {name for code, aliases in names.items() if len(values.get(code, ())) < 2 for name in aliases}


class Views(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="views_")
        self.addCleanup(folder.cleanup)
        self.wave = os.path.join(folder.name, "wave.vcd")
        self.folder = folder.name

    def dump(self, arguments):
        process = subprocess.run([PROGRAM, *arguments, "--wave", self.wave], capture_output=True, text=True,
                                 check=False, cwd=self.folder)
        self.assertEqual(0, process.returncode, process.stderr)
        return dump_signals(self.wave)

    def check(self, name, arguments):
        path = os.path.join(ROOT, "waveforms", f"{name}.gtkw")
        self.assertTrue(os.path.exists(path), f"no view {name}")
        wanted, there = view_signals(path), self.dump(arguments)
        self.assertGreater(len(wanted), 5, name)
        self.assertEqual([], [signal for signal in wanted if signal not in there], name)
        self.assertNotIn("gpu.nothing", there)

    def test_every_block_has_a_view(self):
        listed = subprocess.run([PROGRAM, "cosim", "--list"], capture_output=True, text=True, check=True).stdout
        blocks = [line.split()[0] for line in listed.splitlines()]
        self.assertTrue(blocks)
        for block in blocks:
            with self.subTest(block=block):
                self.check(f"cosim_{block}", ["cosim", block, "--count", "500"])
        views = {os.path.basename(path) for path in glob.glob(os.path.join(ROOT, "waveforms", "cosim_*.gtkw"))}
        self.assertEqual({f"cosim_{block}.gtkw" for block in blocks}, views)

    def test_the_documented_waveform_is_not_flat(self):
        """The command of docs/cosim.md records cycles in which both blocks work."""
        with open(os.path.join(ROOT, "docs", "cosim.md"), encoding="utf-8") as handle:
            command = re.search(r"^tessera (run .*) \\\n +(.*) --wave waveforms/rtl.vcd (.*)$", handle.read(), re.MULTILINE)
        self.dump([*" ".join(command.groups()).split(), "-q"])
        still = flat_signals(self.wave)
        wanted = view_signals(os.path.join(ROOT, "waveforms", "rtl_detection.gtkw"))
        moving = [signal for signal in wanted if signal not in still]
        for signal in ("sm0.detection.lookups", "sm0.lhb.hits", "sm0.lhb.misses",
                       "sm0.rtl.id_generator.top.in_valid_i", "sm0.rtl.id_generator.top.element_o",
                       "sm0.rtl.load_history_buffer.top.in_valid_i", "sm0.rtl.load_history_buffer.top.found_o"):
            self.assertIn("gpu." + signal, [name.split("[")[0] for name in moving])
        self.assertGreater(len(moving), 0.7 * len(wanted), still)

    def test_views_of_the_machine(self):
        for name, arguments in RUNS.items():
            with self.subTest(view=name):
                self.check(name, arguments)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
