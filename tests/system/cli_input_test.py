#!/usr/bin/python3
"""Wrong input to tessera run, config and program gives one line and exit code 2, and writes nothing."""

import gzip
import os
import re
import resource
import shutil
import subprocess
import sys
import unittest

import small_run
from small_run import Cli, sets, tessera


class BadConfigurations(Cli):
    def refused_file(self, text, *expected):
        path = self.file("bad.yaml", text)
        for command in ("run", "config", "program"):
            self.refused([command, path], path, *expected)

    def test_malformed_yaml(self):
        self.refused_file("gpu: {sms: 4\nsm: [", ":2:", "malformed YAML")

    def test_unknown_key(self):
        self.refused_file("gpu:\n  smz: 4\n", ":2:3: gpu.smz: unknown key", "did you mean 'sms'?")

    def test_unknown_section(self):
        self.refused_file("gpus:\n  sms: 4\n", ":1:1: gpus: unknown key", "did you mean 'gpu'?")

    def test_duplicate_key(self):
        self.refused_file("gpu:\n  sms: 4\n  sms: 5\n", ":3:3: ", "sms")

    def test_wrong_types(self):
        self.refused_file("gpu: {sms: four}\n", ":1:12: gpu.sms: got 'four', expected an integer")
        self.refused_file("gpu: {sms: 1.5}\n", "gpu.sms: got '1.5', expected an integer")
        self.refused_file("gpu: {sms: [1]}\n", "gpu.sms: got a list")
        self.refused_file("gpu: 4\n", "gpu: got")
        self.refused_file("values: 3\n", "values: got '3', expected one of {on, off, true, false}")
        self.refused_file("sm: {scheduler: gtu}\n", "expected one of {gto, lrr} (did you mean 'gto'?)")
        self.refused_file("- 1\n", "got a list, expected a mapping")

    def test_out_of_range(self):
        for value in ("0", "-1", "1025", "99999999999999999999"):
            self.refused_file(f"gpu: {{sms: {value}}}\n", f"got '{value}', expected an integer from 1 to 1024")

    def test_unreadable_file(self):
        for command in ("run", "config", "program"):
            self.refused([command, os.path.join(self.folder, "missing.yaml")], "No such file or directory")
            self.refused([command, self.folder], "Is a directory")

    def test_a_pipe_is_read_once(self):
        for text, code, expected in (("gpu:\n  sms: 7\n", 0, "  sms: 7"), ("gpu:\n  smz: 7\n", 2, "/dev/stdin:2:3: gpu.smz: unknown key")):
            process = subprocess.run([small_run.TESSERA, "config", "--print", "duplo_titan_v", "/dev/stdin"], input=text,
                                     capture_output=True, text=True, check=False)
            self.assertEqual(process.returncode, code, process.stderr)
            self.assertIn(expected, process.stdout + process.stderr)

    def test_unknown_name(self):
        for command in ("run", "config", "program"):
            self.refused([command, "duplo_titan_w"], "unknown configuration 'duplo_titan_w'", "'duplo_titan_v'?")
            self.refused([command, "resnet.C99"], "resnet.C99", "did you mean 'resnet.C")

    def test_bad_set(self):
        for setting, expected in {
                "gpu.smz=1": "--set gpu.smz=1: unknown key",
                "gpu.sms": "got no '='",
                "=1": "got key ''",
                "gpu.sms=": "--set gpu.sms=: ",
                "gpu=1": "--set gpu=1: ",
                "gpu.sms=x": "got 'x', expected an integer",
                "gpu..sms=1": "--set gpu..sms=1: ",
                "gpu.sms.x=1": "--set gpu.sms.x=1: "}.items():
            for command in ("run", "config", "program"):
                self.refused([command, self.small, "--set", setting], expected)

    def test_contradictions(self):
        for settings, expected in (
                (sets(duplo__lhb__entries=1000, duplo__lhb__ways=3), "a multiple of duplo.lhb.ways (3)"),
                (sets(duplo__lhb__entries=1000), "a power of two"),
                (sets(duplo__granularity="tile16"), "duplo.octet_copies 1"),
                (sets(sm__max_warps=6), "a multiple of sm.sub_cores (4)"),
                (sets(sm__shared_memory_kib=128), "to leave an L1 cache"),
                (sets(l1__ways=3), "a multiple of l1.ways x l1.line_bytes (384)"),
                (sets(l2__slices=50), "a multiple of dram.channels"),
                (sets(values="on", workload__tiling__c_traffic="off"), "workload.tiling.c_traffic on"),
                (sets(workload__tiling__cta_m=40), "a multiple of workload.tiling.warp_m (32)"),
                (sets(workload__tiling__warp_n=8), "'8'"),
                (sets(sample__error_percent=0), "sample.error_percent=0: got '0'"),
                (sets(sample__enabled="on", values="on", workload__kernel="64x64"), "sample.enabled off with values on"),
                (sets(sample__enabled="on", workload__kind="microbenchmarks"), "sample.enabled off with"),
                (sets(logging__level="loud"), "logging.level=loud: got 'loud', expected one of {trace"),
                (sets(logging__modules__gpux="info"), "unknown module")):
            self.refused(["run", self.small, *settings], expected)

    def test_impossible_layers(self):
        for settings, expected in (
                (sets(workload__layer__filter_height=12), "to be at most the padded input (11)"),
                (sets(workload__layer__filter_width=12), "to be at most the padded input (11)"),
                (sets(workload__layer__height=0), "got '0', expected an integer from 1"),
                (sets(workload__layer__channels=0), "got '0', expected an integer from 1"),
                (sets(workload__layer__filters=0), "got '0', expected an integer from 1"),
                (sets(workload__layer__batch=0), "got '0', expected an integer from 1"),
                (sets(workload__layer__filter_height=0), "got '0', expected an integer from 1"),
                (sets(workload__layer__stride=0), "got '0', expected an integer from 1"),
                (sets(workload__layer__transposed="on", workload__layer__pad=3), "workload.layer.pad (3)"),
                (sets(workload__layer__transposed="on", workload__layer__filter_width=2), "a square filter")):
            self.refused(["run", self.small, *settings], expected)

    def test_names_that_are_no_files(self):
        """Results have files named after the layer: nothing may end up beside their folder."""
        for name in ("../evil", "/evil", "a/b", ".hidden", "a b", "caf\u00e9", "x" * 65, "a\\nb"):
            self.refused(["run", self.small, "--set", f'workload.layer.name="{name}"'],
                         "at most 64 letters, digits, '_', '-', '+' and '.', which is not the first")
        latin = os.path.join(self.folder, "latin.yaml")
        with open(latin, "wb") as handle:
            handle.write(b"workload: {layer: {name: caf\xe9}}\n")
        self.refused(["run", self.small, latin], ":1:29: malformed YAML: text that is not UTF-8")

    def test_files_that_are_not_utf_8(self):
        """A byte order mark is text; UTF-16 and NUL bytes, which the YAML parser would make something of, are not."""
        for content, expected in (("seed: 7\ngpu: {sms: 4}\n".encode("utf-16"), ":1:1: malformed YAML: text that is not"),
                                  ("seed: 7\n".encode("utf-16-le"), ":1:2: malformed YAML: a NUL byte"),
                                  ("seed: 7\n".encode("utf-32-be"), ":1:1: malformed YAML: a NUL byte"),
                                  (b"gpu: {sms: 4}\nseed\0: 7\n", ":2:5: malformed YAML: a NUL byte, expected text in UTF-8"),
                                  (b"seed: 7  # caf\xe9\n", ":1:15: malformed YAML: text that is not UTF-8")):
            path = self.path("bytes.yaml")
            with open(path, "wb") as handle:
                handle.write(content)
            for command in ("run", "config", "program"):
                self.refused([command, path], path, expected)
        marked = self.file("marked.yaml", "\ufeffseed: 7\n")
        self.assertIn("seed: 7\n", tessera("config", marked).stdout)

    def test_sizes_of_a_product_are_those_of_its_files(self):
        matrix = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden", "matrices", "small.mtx")
        with open(matrix, "rb") as plain, gzip.open(self.path("small.mtx.gz"), "wb") as compressed:
            shutil.copyfileobj(plain, compressed)
        sparse = ["dual_side_v100", "dual_side_paper", *sets(workload__kind="sparse_gemm")]

        def sizes(**keys):
            process = tessera("config", *sparse, *sets(**keys))
            self.assertEqual(process.returncode, 0, process.stderr)
            gemm = process.stdout[process.stdout.index("  gemm:"):]
            return [int(re.search(rf"\b{side}: (\d+)", gemm).group(1)) for side in "mnk"]
        file = {"workload__sparse__a__file": self.path("small.mtx.gz")}
        self.assertEqual(sizes(**file), [5, 1024, 7])
        self.assertEqual(sizes(**file, workload__gemm__m=6), [6, 1024, 7])
        self.assertEqual(sizes(workload__sparse__b__file=matrix), [1024, 7, 5])
        self.refused(["run", *sparse, *sets(**file, workload__gemm__m=6)],
                     "rows, columns: got 5 x 7, expected 6 x 7, the shape of A")
        self.refused(["run", *sparse, *sets(**file, workload__sparse__b__file=matrix)], "expected 7 x 7, the shape of B")

    def test_messages_are_text(self):
        """Messages escape bytes that are not UTF-8 as numbers."""
        for arguments in (["run", b"\xff\xfe.yaml"], [b"fly\xff"], ["run", b"--fly\xff"], ["compare", b"\xff", "b"],
                          ["run", "--set", b"gpu.sms=\xff"], ["run", "--trace", b"\xff.g"],
                          ["run", "--set", b"\xff=3"]):
            process = subprocess.run([small_run.TESSERA, *arguments], capture_output=True, check=False, timeout=300,
                                     stdin=subprocess.DEVNULL)
            self.assertEqual((process.returncode, process.stderr.count(b"\n")), (2, 1), process.stderr)
            self.assertTrue(process.stderr.isascii(), process.stderr)
        matrix = self.path("bad.mtx")
        with open(matrix, "wb") as handle:
            handle.write(b"%%MatrixMarket matrix coordinate real gen\xff\xfeeral\n")
        process = tessera("run", *sets(workload__kind="sparse_gemm", tensor_core__kind="outer_product"), "--set",
                          f"workload.sparse.a.file={matrix}")
        self.assertEqual(process.returncode, 2, process.stderr)
        self.assertIn("bad.mtx:1: symmetry: got 'gen\\xff\\xfeeral', expected one of", process.stderr)

    def test_machines_larger_than_this_computer(self):
        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))

        if tessera("--version", preexec_fn=little_memory).returncode != 0:
            self.skipTest("a build with sanitizers takes terabytes of addresses for itself")

        for settings, expected in (
                (sets(gpu__sms=1024, sm__unified_l1_kib=65536), "the tags of the L1 caches (gpu.sms 1024 x 65440 KiB)"),
                (sets(gpu__sms=1024, duplo__lhb__entries=1 << 20), "the load history buffers (gpu.sms 1024 x"),
                (sets(l2__slices=1024, dram__channels=1024, l2__sets_per_slice=65536), "the tags of L2 (l2.slices 1024 x")):
            process = tessera("run", "duplo_paper", self.small, *settings, "--out", self.out(), preexec_fn=little_memory)
            self.assertEqual((process.returncode, process.stderr.count("\n")), (2, 1), process.stderr)
            self.assertRegex(process.stderr, r"^tessera: --set \S+: got '\d+', expected a machine whose tables fit the \d+ MiB")
            self.assertIn(expected, process.stderr)
            self.assertFalse(os.path.exists(self.out()))

    def test_more_threads_than_this_computer_starts(self):
        """Each thread wants a stack of some MiB."""
        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (512 << 20, 512 << 20))

        if tessera("--version", preexec_fn=little_memory).returncode != 0:
            self.skipTest("a build with sanitizers takes terabytes of addresses for itself")

        for timing in ("lt", "at"):
            process = tessera("run", self.small, "--threads", "250", *sets(timing=timing), "--out", self.out(), preexec_fn=little_memory)
            self.assertEqual((process.returncode, process.stderr.count("\n")), (2, 1), process.stderr)
            self.assertRegex(process.stderr, r"^tessera: --set host.threads=250: got 250, expected at most \d+, as the computer starts no more threads ")
            self.assertFalse(os.path.exists(self.out()))

    def test_cta_that_fits_no_sm(self):
        for settings, expected in (
                (sets(sm__max_warps=4, workload__tiling__cta_m=256), "needs 16 warps of sm.max_warps (4)"),
                (sets(sm__shared_memory_kib=3), "bytes of sm.shared_memory_kib (3 KiB)"),
                (sets(sm__register_file_kib=16), "warp registers of 128 (sm.register_file_kib)"),
                (sets(workload__tiling__ctas_per_sm=33), "33 CTAs (workload.tiling.ctas_per_sm) to fit an SM"),
                (sets(workload__tiling__warp_m=256, workload__tiling__cta_m=256), "255 registers a thread")):
            self.refused(["run", self.small, *settings], expected)

    def test_a_later_kernel_that_fits_no_sm(self):
        """Refused before the kernels in front of it run and print their warnings."""
        composition = sets(workload__kind="composition", tensor_core__kind="outer_product", workload__tiling__warp_n=32)
        forced = sets(workload__tiling__ctas_per_sm=12, sm__register_file_kib=32)
        self.refused(["run", "-q", self.small, *composition, *forced, "--set", "logging.level=info"],
                     "kernel sparse.small.im2col: a CTA fits no SM: it needs 384 warp registers of 256", out=False)

    def test_bad_command_lines(self):
        for arguments, expected in (
                (["trace"], "subcommand"), (["fly"], "expected one of {run, microbench, trace, cosim, block-pairs, program, config, sweep, report, reproduce, atlas, compare, correlate, table, tune, "
                                        "align, timeline, energy, im2col-table, network, cache}"),
                (["run", "--fly"], "--fly"),
                (["run", "--out"], "--out"), (["config", "--list", "--print"], "excludes"),
                (["config", "--list", "duplo", self.small], "excludes"),
                (["config", "--list", "warp drive"], "--list: no key has 'warp drive' in its name or meaning"),
                (["run", "-q"], "run: nothing to run, expected a CONFIG, --set or --trace"),
                (["config", "--names", "--set", "gpu.sms=1"], "excludes"),
                (["program", self.small, "--cta", "1"], "--cta: got '1', expected 0..0"),
                (["program", self.small, "--cta", "-1"], "--cta"),
                (["program", self.small, "--cta", "x"], "--cta"),
                (["program", self.small, "--warp", "2"], "--warp: got '2', expected 0..1"),
                (["program", self.small, "--kernel", "gemm"],
                 "--kernel: got 'gemm', expected one of {small.im2col, small.gemm}")):
            self.refused(arguments, expected, out=False)

    def test_keys_without_effect(self):
        """Every command that reads a configuration for a run refuses them, as the run itself does."""
        idle = ("--set", "duplo.lhb.entries=512")
        for command in (("run", "v100", "library"), ("program", "v100", "library"), ("trace", "write", "v100", "library", "--out", self.path("traces")),
                        ("microbench", "v100", "--set", "gpu.sms=1"), ("block-pairs", "lenet5.C1.forward")):
            if command[-1] == "library" or "write" in command:
                command += ("--set", "workload.gemm.m=16", "--set", "workload.gemm.n=16", "--set", "workload.gemm.k=16")
            done = tessera(*command, *idle)
            self.assertEqual(done.returncode, 2, command)
            self.assertIn("duplo.lhb.entries=512: got '512', which has no effect in this run: it acts with duplo.enabled on", done.stderr)
            self.assertEqual(tessera(*command, *idle, "--allow-unused").returncode, 0, command)

    def test_bad_block_pairs(self):
        self.refused(["block-pairs", "--network", "lenet6"], "got network 'lenet6', expected one of {",
                     "did you mean 'lenet5'?", out=False)
        for arguments in ([self.small], ["--network", "resnet"]):
            self.refused(["block-pairs", *arguments], "workload.kind: got 'convolution', expected direct_convolution",
                         out=False)

    def test_bad_co_simulations(self):
        if "no blocks" in tessera("cosim", "--list").stdout:
            self.refused(["cosim", "fp"], "cosim fp: needs the RTL blocks, but ", out=False)
            self.skipTest("this build has no RTL")
        for arguments, expected in (
                ([], "which block?"), (["fly"], "got block 'fly', expected one of {accumulation_buffer, "),
                (["fp", "--count", "0"], "--count: got 0"), (["fp", "--count", "-3"], "--count: got '-3', expected a whole number"),
                (["fp", "--seed", "-1"], "--seed: got '-1', expected a whole number up to 4294967295"),
                (["fp", "--seed", "99999999999"], "--seed: got '99999999999', expected a whole number up to 4294967295"),
                (["fp", "--mutant", "65536"], "--mutant: got '65536', expected a whole number up to 65535"),
                (["nosuch", "--list"], "excludes"), (["--list", "--count", "0"], "excludes"), (["--list", "--fault", "zzz"], "excludes"),
                (["--list", "--list-faults"], "excludes"), (["fp", "--list-faults", "--seed", "2"], "excludes"),
                (["--list-faults"], "which block?"), (["fly", "--list-faults"], "got block 'fly', expected one of {"),
                (["fp", "--wave", "/nowhere/x.vcd"], "cannot write /nowhere/x.vcd"),
                (["fp", "--wave-window", "1:2"], "--wave-window"), (["fp", "--fault", "loud"], "--fault: got 'loud'"),
                (["fp", "--fault", "invert:999999"], "--fault: got 'invert:999999', expected a bit below"),
                (["fp", "--count", "100", "--fault", "late@1000000"], "--fault: got 'late@1000000', expected a cycle below"),
                (["fp", "--coverage", "/proc/x"], "--coverage: "),  # counts none, or cannot make the folder
                (["fp", "--mutant", "3"], "--mutant")):
            self.refused(["cosim", *arguments], expected, out=False)


if __name__ == "__main__":
    small_run.TESSERA = os.path.abspath(sys.argv.pop(1))
    unittest.main()
