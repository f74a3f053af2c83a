#!/usr/bin/python3
"""tessera trace write: kernels of a run as instruction traces, which replay as the run.

Usage: trace_write_test.py TESSERA
"""

import lzma
import os
import re
import resource
import signal
import subprocess
import sys
import time
import unittest

import small_run
from small_run import SMALL, tessera
from small_traces import TRACES, Traces, golden


class Write(Traces):
    def setUp(self):
        super().setUp()
        self.small = self.file("small.yaml", SMALL)

    def write(self, *arguments):
        process = tessera("trace", "write", *arguments, "--out", self.path("trace"))
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        return self.path("trace", "kernelslist.g")

    def text_of(self, name):
        opened = lzma.open if name.endswith(".xz") else open
        with opened(self.path("trace", name), "rt", encoding="utf-8") as handle:
            return handle.read()

    def test_files(self):
        self.write(self.small)
        self.assertEqual(sorted(os.listdir(self.path("trace"))),
                         ["kernel-1.traceg", "kernel-2.traceg", "kernelslist.g"])
        self.assertEqual(self.text_of("kernelslist.g"), "kernel-1.traceg\nkernel-2.traceg\n")
        header = self.text_of("kernel-2.traceg").split("#", 1)[0]
        self.assertIn("-kernel name = small.gemm\n", header)
        self.assertIn("-grid dim = (1,1,1)\n-block dim = (64,1,1)\n", header)

    def test_product_is_that_of_the_program(self):
        self.write(self.small)
        text = self.text_of("kernel-2.traceg")
        # 25 rows in one tile of 2 x 1 fragments a warp, 9 steps of 16 along k, 16 HMMAs each.
        self.assertEqual(text.count(" HMMA.884.F32.F32."), 2 * 2 * 9 * 16)
        self.assertEqual(text.count(" LDG.E.128.SYS 1 R255 16 2 "), 2 * (2 + 1) * 9 * 2)
        self.assertEqual(text.count(" BAR.SYNC 0 0 0"), 2 * 2)
        self.assertEqual(text.count(" EXIT 0 0 0"), 2)
        # A loop's instructions are the same lines of the program each time round.
        pcs = [line.split()[0] for line in text.splitlines() if " HMMA." in line]
        self.assertEqual(len(set(pcs)), 2 * 2 * 16, "two fragments of C, two buffers")

    def test_replay_asks_l1_for_the_same_sectors(self):
        original = self.result(self.small, "--set", "ldst.octet_l1_accesses=2")
        replay = self.replay_of_layer(self.write(self.small))
        self.assertEqual(len(replay["kernels"]), 2)
        for ours, theirs in zip(original["kernels"], replay["kernels"]):
            for counter in ("reads", "writes", "bytes_written"):
                self.assertEqual(theirs["statistics"]["sm"]["l1"][counter],
                                 ours["statistics"]["sm"]["l1"][counter], counter)
            self.assertEqual(theirs["ctas"], ours["ctas"])

    def test_fragments_are_read_in_two_halves(self):
        """With one access for both octets, the default, a replay differs by exactly that."""
        original = self.result(self.small)["kernels"][1]["statistics"]["sm"]
        replay = self.replay_of_layer(self.write(self.small))["kernels"][1]["statistics"]["sm"]
        rows = original["ldst"]["a_rows_requested"] + original["ldst"]["b_rows_requested"]
        self.assertGreater(rows, 0)
        self.assertEqual(replay["l1"]["reads"], original["l1"]["reads"] + rows)

    def test_compressed_replays_the_same(self):
        plain = self.replay_of_layer(self.write(self.small))
        compressed = self.replay_of_layer(self.write(self.small, "--xz"))
        self.assertEqual(plain["kernels"], compressed["kernels"])
        self.assertEqual(self.text_of("kernel-2.traceg.xz"), self.text_of("kernel-2.traceg"))

    def test_every_version_replays_the_same(self):
        plain = self.replay_of_layer(self.write(self.small))
        for options, name, version in ((["--tracer", "6"], "kernel-2.traceg", "6"), (["--tracez"], "kernel-2.tracez", "6"),
                                       (["--tracer", "5", "--xz"], "kernel-2.traceg.xz", "5")):
            with self.subTest(options):
                self.assertEqual(self.replay_of_layer(self.write(self.small, *options))["kernels"], plain["kernels"])
                if name.endswith(".tracez"):
                    with open(self.path("trace", name), "rb") as handle:
                        text = handle.read().split(b"\0", 1)[0].decode()
                else:
                    text = self.text_of(name)
                self.assertIn(f"-accelsim tracer version = {version}\n", text)
                self.assertIn("-binary version = 70\n", text)
        gemm = ["--set", "workload.kind=gemm", "--set", "workload.gemm.m=256", "--set", "workload.gemm.n=128", "--set", "workload.gemm.k=128",
                "--sass-gemm"]
        results = [self.replay(self.write(*gemm, *options))["kernels"] for options in ([], ["--tracer", "6"], ["--tracez"])]
        self.assertEqual(results[0], results[1])
        self.assertEqual(results[0], results[2])

    STAGED = ("a100", "multistage", "--set", "workload.gemm.m=256", "--set", "workload.gemm.n=192", "--set", "workload.gemm.k=320",
              "--set", "workload.gemm.transpose_a=t", "--set", "workload.gemm.transpose_b=n", "--set", "workload.repeat=1", "--set", "workload.split_k=1")

    def test_product_in_stages(self):
        """Copies, fragments and products of a kernel with LDGSTS, LDSM and HMMA.16816 are those of the run."""
        for kernel in ("128x64_32x6", "64x64_64x5"):
            for timing in ("lt", "at"):
                options = ("--set", f"timing={timing}")
                original = self.result(*self.STAGED, "--set", f"workload.multistage={kernel}", *options)["kernels"][0]
                trace = self.write(*self.STAGED, "--set", f"workload.multistage={kernel}", "--tracez")
                replay = self.result("a100", "--trace", trace, *options)["kernels"][0]
                ours, theirs = original["statistics"]["sm"], replay["statistics"]["sm"]
                self.assertEqual(theirs["sub_core"]["hmmas"], 2 * ours["sub_core"]["mmas"])
                self.assertEqual(theirs["sub_core"]["loads"], ours["sub_core"]["loads"])
                for counter in ("shared_wavefronts", "shared_store_wavefronts"):
                    self.assertEqual(theirs["ldst"][counter], ours["ldst"][counter], counter)
                self.assertEqual(replay["statistics"]["memory"]["l2"]["reads"], original["statistics"]["memory"]["l2"]["reads"])
                self.assert_within(replay["cycles"], original["cycles"], 5, f"{kernel} at {timing}")

    def test_product_in_stages_as_text(self):
        packed = self.result("a100", "--trace", self.write(*self.STAGED, "--tracez"))
        text = self.result("a100", "--trace", self.write(*self.STAGED))
        self.assertEqual(packed["kernels"], text["kernels"])
        lines = self.text_of("kernel-1.traceg")
        self.assertIn("-accelsim tracer version = 6\n", lines)
        self.assertIn("-binary version = 80\n", lines)
        for mnemonic in (" LDGSTS.E.BYPASS.128 ", " LDGDEPBAR ", " DEPBAR.LE ", " LDSM.16.M88.4 ", " HMMA.16816.F32 "):
            self.assertIn(mnemonic, lines)

    def test_2of4_product(self):
        arguments = ("a100", "multistage_2of4", *self.STAGED[2:])
        original = self.result(*arguments)["kernels"][0]["statistics"]["sm"]["sub_core"]
        replay = self.result("a100", "--trace", self.write(*arguments))["kernels"][0]["statistics"]["sm"]["sub_core"]
        self.assertEqual(replay["hmmas"], 2 * original["mmas"])
        self.assertIn(" HMMA.SP.16832.F32 ", self.text_of("kernel-1.traceg"))

    def test_copies_need_tracer_6(self):
        process = tessera("trace", "write", *self.STAGED, "--tracer", "5", "--out", self.path("t"))
        self.assertEqual(process.returncode, 2)
        self.assertIn("--tracer: got 5, expected 6 for kernels with asynchronous copies (LDGSTS)", process.stderr)
        self.assertFalse(os.path.exists(self.path("t")))
        for options, expected in ((("--tracez", "--xz"), "--tracez"), (("--tracer", "4"), "--tracer"),
                                  (("--tracez", "--tracer", "5"), "expected 6 for --tracez")):
            process = tessera("trace", "write", self.small, *options, "--out", self.path("t"))
            self.assertEqual(process.returncode, 2)
            self.assertIn(expected, process.stderr)

    def test_every_channel_rule_and_edge(self):
        for settings in (["workload.channel_rule=dense", "workload.layer.channels=3"],
                         ["workload.channel_rule=pad8_filter_row", "workload.layer.channels=3"],
                         ["workload.layer.transposed=on", "workload.layer.pad=1"],
                         ["workload.layer.filters=19"], ["workload.tiling.c_traffic=off"]):
            with self.subTest(settings):
                arguments = [self.small, *(word for s in settings for word in ("--set", s))]
                original = self.result(*arguments, "--set", "ldst.octet_l1_accesses=2")
                replay = self.replay_of_layer(self.write(*arguments))
                for ours, theirs in zip(original["kernels"], replay["kernels"]):
                    self.assertEqual(theirs["ctas"], ours["ctas"])
                    self.assertEqual(theirs["statistics"]["sm"]["l1"]["bytes_written"] >=
                                     ours["statistics"]["sm"]["l1"]["bytes_written"], True)

    def test_sass_gemm_is_the_golden_trace(self):
        shape = ["--set", "workload.kind=gemm", "--set", "workload.gemm.m=1000", "--set", "workload.gemm.n=60",
                 "--set", "workload.gemm.k=570"]  # rounded up to 1024 x 64 x 576
        self.write(*shape, "--sass-gemm", "--xz")
        self.assertEqual(self.text_of("kernelslist.g"), "kernel-1.traceg.xz\n")
        with lzma.open(os.path.join(TRACES, "gemm_1024x64x576", "kernel-1.traceg.xz"), "rt") as handle:
            self.assertEqual(self.text_of("kernel-1.traceg.xz"), handle.read())

    def test_refused(self):
        for arguments, expected in (
                ([self.small], "--out"),
                (["--trace", golden("tiny"), "--out", self.path("t")], "--trace"),
                ([self.small, "--out", os.path.join(self.small, "below")], "--out: cannot "),
                (["--set", "workload.kind=microbenchmarks", "--out", self.path("t")],
                 "workload.kind=microbenchmarks: got 'microbenchmarks', expected convolution or gemm"),
                (["lenet5.C1.forward", "--out", self.path("t")],
                 "workload.kind: got 'direct_convolution', expected convolution or gemm"),
                (["--set", "workload.kind=trace", "--set", f"workload.trace={golden('tiny')}", "--out",
                  self.path("t")], "workload.kind=trace: got 'trace', expected convolution or gemm")):
            process = tessera("trace", "write", *arguments)
            self.assertEqual(process.returncode, 2, process.stderr)
            self.assertEqual(process.stderr.count("\n"), 1, process.stderr)
            self.assertIn(expected, process.stderr)
            self.assertFalse(os.path.exists(self.path("t")))
        for arguments in (["trace"], ["trace", "read"]):
            process = tessera(*arguments)
            self.assertEqual(process.returncode, 2)
            self.assertEqual(process.stderr.count("\n"), 1, process.stderr)

    def test_help(self):
        for arguments in (["trace", "--help"], ["trace", "write", "--help"]):
            process = tessera(*arguments)
            self.assertEqual((process.returncode, process.stderr), (0, ""))
        self.assertIn("--sass-gemm", process.stdout)

    def test_full_disk_leaves_the_old_files(self):
        self.write(self.small)
        before = {name: self.text_of(name) for name in os.listdir(self.path("trace"))}

        def no_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        process = tessera("trace", "write", self.small, "--out", self.path("trace"), preexec_fn=no_room)
        self.assertEqual(process.returncode, 2, process.stderr)
        self.assertEqual(process.stderr.count("\n"), 1, process.stderr)
        self.assertEqual({name: self.text_of(name) for name in os.listdir(self.path("trace"))}, before)

    def test_interrupt(self):
        os.mkdir(self.path("trace"))
        with open(self.path("trace", "kernelslist.g"), "w", encoding="utf-8") as earlier:
            earlier.write("kernel-1.traceg\nkernel-2.traceg\n")
        with subprocess.Popen([small_run.TESSERA, "trace", "write", "resnet.C2", "--out", self.path("trace")],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            while os.path.exists(self.path("trace", "kernelslist.g")):
                time.sleep(0.01)
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertNotIn("kernelslist.g", os.listdir(self.path("trace")))
        self.assertEqual([name for name in os.listdir(self.path("trace")) if re.search(r"\.part", name)], [])


if __name__ == "__main__":
    small_run.TESSERA = os.path.abspath(sys.argv.pop(1))
    unittest.main()
