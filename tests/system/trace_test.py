#!/usr/bin/python3
"""Instruction traces as users meet them: replayed on the machine Accel-Sim ships, beside what that simulator
said; refused in one line when something is wrong with them.

Usage: trace_test.py TESSERA
"""

import json
import lzma
import os
import shutil
import sys
import unittest

import yaml

import small_run
from small_run import tessera
from small_traces import ROOT, TRACES, Traces, golden

# Cycles of Accel-Sim for the same traces on the machine of qv100_accelsim.
ACCEL_SIM_CYCLES = {"tiny": 8743, "gemm_1024x64x576": 46855}
ACCEL_SIM_GEMM_XOR_CYCLES = 38724


class Replay(Traces):
    def test_plain_and_compressed_are_the_same(self):
        kernels = []
        for file in ("kernel-1.traceg", "kernel-1.traceg.xz"):
            shutil.copy(os.path.join(TRACES, "fmt", file), self.folder)
            kernels += self.replay(self.file("kernelslist.g", file + "\n"))["kernels"]
        self.assertEqual(kernels[0], kernels[1])
        # 2 warps: a load of one lane, one of 512 bytes less what they share, and the atomic's line.
        self.assertEqual(kernels[0]["statistics"]["sm"]["sub_core"]["instructions"], 30)
        self.assertGreater(kernels[0]["statistics"]["sm"]["l1"]["writes"], 0)

    def test_same_bytes_twice(self):
        arguments = ("qv100_accelsim", "--trace", golden("tiny"))
        self.assertEqual(self.run_bytes(*arguments), self.run_bytes(*arguments))

    def test_loads_into_no_register(self):
        """Nobody waits for them: several waves of CTAs that do nothing else, at both levels of timing and on threads."""
        with open(os.path.join(TRACES, "operations", "kernel-1.traceg"), encoding="utf-8") as handle:
            head = handle.read().split("#BEGIN_TB")[0].replace("grid dim = (1,", "grid dim = (40,")
        text = head.replace("block dim = (32,", "block dim = (64,")
        for cta in range(40):
            text += f"#BEGIN_TB\n\nthread block = {cta},0,0\n"
            for warp in range(2):
                loads = [f"0 LDG.E.SYS 1 R2 4 1 {0x7f4000000000 + ((cta * 2 + warp) * 3 + i) * 4096:#x} 4 0" for i in range(3)]
                lines = ["1 R2 IADD3 2 R2 R4 0 0"] * 5 + loads + ["0 EXIT 0 0 0"]
                text += f"\nwarp = {warp}\ninsts = {len(lines)}\n"
                text += "".join(f"{16 * i:04x} ffffffff {line}\n" for i, line in enumerate(lines))
            text += "\n#END_TB\n\n"
        self.file("kernel-1.traceg", text)
        run = ["titan_v", "--trace", self.file("kernelslist.g", "kernel-1.traceg\n"), "--set", "gpu.sms=4",
               "--set", "sm.max_ctas=2"]
        alone = self.run_bytes(*run)
        os.environ["TESSERA_TAKE_ALL_TURNS"] = "1"
        self.addCleanup(os.environ.pop, "TESSERA_TAKE_ALL_TURNS")
        self.assertEqual(self.run_bytes(*run, "--threads", "3"), alone)
        at = [*run, "--set", "timing=at"]
        self.assertEqual(self.run_bytes(*at, "--threads", "3"), self.run_bytes(*at))

    def small_kernel(self, name, lines, ctas=1, threads=32, version=70, end="\n"):
        """The list of one kernel, whose warps execute what `lines` gives for (CTA, warp), and EXIT."""
        warps = threads // 32
        text = (f"-kernel name = k\n-kernel id = 1\n-grid dim = ({ctas},1,1)\n-block dim = ({threads},1,1)\n-shmem = 0\n"
                f"-nregs = 32\n-binary version = {version}\n-cuda stream id = 0\n-shmem base_addr = 0x00007f0000000000\n"
                "-local mem base_addr = 0x00007f0010000000\n-nvbit version = 1.5.5\n-accelsim tracer version = 5\n"
                "-enable lineinfo = 0\n\n#traces format = x\n")
        for cta in range(ctas):
            text += f"#BEGIN_TB\nthread block = {cta},0,0\n"
            for warp in range(warps):
                of_warp = [f"{16 * i:04x} {line}" for i, line in enumerate(lines(cta, warp) + ["ffffffff 0 EXIT 0 0 0"])]
                text += f"warp = {warp}\ninsts = {len(of_warp)}\n" + "\n".join(of_warp) + "\n"
            text += "#END_TB\n"
        os.makedirs(self.path(name), exist_ok=True)
        with open(self.path(name, "kernel-1.traceg"), "w", encoding="utf-8", newline=end) as handle:
            handle.write(text)
        with open(self.path(name, "kernelslist.g"), "w", encoding="utf-8", newline=end) as handle:
            handle.write("kernel-1.traceg\n")
        return self.path(name, "kernelslist.g")

    def test_local_memory_is_that_of_words_side_by_side(self):
        """A kernel that spills takes what it takes with its words placed by hand: word, CTA, thread."""
        ctas, threads, words = 160, 64, 4
        registers = list(range(2, 2 + words))

        def local(_cta, _warp):
            return ([f"ffffffff 0 STL 2 R1 R2 4 1 0x{0xfff700 + 4 * w:x} 0 0" for w in range(words)] +
                    [f"ffffffff 1 R{registers[w]} LDL 1 R1 4 1 0x{0xfff700 + 4 * w:x} 0 0" for w in range(words)])

        def by_hand(cta, warp):
            first = [0x7f1000000000 + 4 * (ctas * threads * w + threads * cta + 32 * warp) for w in range(words)]
            return ([f"ffffffff 0 STG.E.SYS 2 R1 R2 4 1 0x{first[w]:x} 4 0" for w in range(words)] +
                    [f"ffffffff 1 R{registers[w]} LDG.E.SYS 1 R1 4 1 0x{first[w]:x} 4 0" for w in range(words)])

        found = []
        for name, lines in (("local", local), ("by_hand", by_hand)):
            kernel = self.result("v100", "--trace", self.small_kernel(name, lines, ctas, threads))["kernels"][0]
            l1 = kernel["statistics"]["sm"]["l1"]
            found.append((kernel["cycles"], l1["writes"], l1["reads"], l1["read_misses"]))
        self.assertEqual(found[0][1:], found[1][1:])
        # Other addresses: what differs is how they fall into banks of DRAM.
        self.assertLessEqual(abs(found[0][0] - found[1][0]), 0.01 * found[1][0])
        self.assertEqual(found[0][1], ctas * threads // 32 * words * 4, "4 sectors a warp and word")

    def test_tensor_cores_keep_their_peak(self):
        """512 multiply-adds a cycle on an SM of v100, whatever the shape: 8 warps of 256 HMMAs."""
        cycles = {}
        for shape, version, products in (("884.F32.F32.STEP0", 70, 256), ("1688.F32", 75, 1024), ("16816.F32", 80, 2048)):
            def lines(_cta, _warp, shape=shape):
                return [f"ffffffff 1 R{16 + 4 * (i % 16)} HMMA.{shape} 3 R4 R8 R{16 + 4 * (i % 16)} 0 0" for i in range(256)]
            trace = self.small_kernel("hmma" + shape, lines, threads=256, version=version)
            process = tessera("run", "v100", "--trace", trace, "-q", "--out", self.path("hmma", shape))
            self.assertEqual(process.returncode, 0, process.stderr)
            self.assertEqual(process.stderr.count("\n"), 0 if version == 70 else 1, process.stderr)
            if version != 70:
                self.assertIn(f"kernel 1.k: its binary version {version} is not that of this machine's tensor cores (70)", process.stderr)
            with open(self.path("hmma", shape, "result.json"), encoding="utf-8") as handle:
                cycles[products] = json.load(handle)["kernels"][0]["cycles"]
        # Launch, exit and latency are common; the rest is 8 * 256 * products / 512.
        self.assertEqual(cycles[1024] - cycles[256], 8 * 256 * (1024 - 256) // 512)
        self.assertEqual(cycles[2048] - cycles[1024], 8 * 256 * (2048 - 1024) // 512)

    def test_lines_may_end_in_carriage_returns(self):
        def lines(_cta, _warp):
            return ["ffffffff 1 R2 MOV 0 0 0", "ffffffff 1 R4 LDG.E.SYS 1 R2 4 1 0x7f4000000000 4 0"]
        plain = self.result("v100", "--trace", self.small_kernel("plain", lines))["kernels"]
        carriage = self.result("v100", "--trace", self.small_kernel("crlf", lines, end="\r\n"))["kernels"]
        self.assertEqual(plain, carriage)

    def test_tiny(self):
        kernel, = self.replay(golden("tiny"))["kernels"]
        self.assert_within(kernel["cycles"], ACCEL_SIM_CYCLES["tiny"], 15, "cycles")

    def test_gemm(self):
        kernel, = self.replay(golden("gemm_1024x64x576"))["kernels"]
        statistics = kernel["statistics"]
        l1 = statistics["sm"]["l1"]
        self.assertEqual(statistics["sm"]["sub_core"]["instructions"], 185152)
        self.assertEqual(l1["reads"], 294912)
        self.assertEqual(l1["writes"], 16384)
        self.assertEqual(l1["reads"] + l1["writes"], 311296, "as Accel-Sim counts them")
        self.assertEqual(l1["read_misses"], 55296, "as in Accel-Sim")
        self.assertEqual(statistics["memory"]["dram"]["reads"], 39168, "as in Accel-Sim")
        self.assert_within(kernel["cycles"], ACCEL_SIM_CYCLES["gemm_1024x64x576"], 15, "cycles")

    def test_gemm_with_hashed_banks(self):
        kernel, = self.replay(golden("gemm_1024x64x576"), "--set", "l1.bank_hash=xor_next")["kernels"]
        self.assert_within(kernel["cycles"], ACCEL_SIM_GEMM_XOR_CYCLES, 15, "cycles")

    def test_microbenchmarks_have_accel_sims_slopes(self):
        with open(os.path.join(ROOT, "configs", "reference", "titan_v_hardware.yaml"), encoding="utf-8") as file:
            reference = {name: row.get("accel_sim") for name, row in yaml.safe_load(file).items()}
        kernels = self.replay(golden("microbench"))["kernels"]
        cycles = {kernel["name"].split(".", 1)[1]: kernel["cycles"] for kernel in kernels}

        def slope(name, few, many):
            return cycles[f"{name}_N{many}"] - cycles[f"{name}_N{few}"]

        for name, measured in {
                "l1_hit_latency": slope("l1_lat", 64, 192) / 128,
                "l2_hit_latency": slope("l2_lat", 64, 192) / 128,
                "dram_latency": slope("dram_lat", 32, 96) / 64,
                "shared_memory_latency": slope("lds_lat", 64, 192) / 128,
                "fp32_dependent_issue": slope("ffma_lat", 64, 320) / 256,
                "int32_dependent_issue": slope("iadd_lat", 64, 320) / 256,
                "wmma_16x16x16_f32_acc": slope("wmma_lat_1warp", 8, 40) / 32,
                "tensor_throughput_f32_acc": 16 * 32 * 4096 / slope("wmma_bw_16warp", 8, 40),
                "l1_bandwidth_128b": 16 * 128 * 512 / slope("l1_bw_ldg128_16warp", 32, 160),
                "shared_memory_bandwidth": 16 * 128 * 128 / slope("lds_bw_16warp", 32, 160)}.items():
            with self.subTest(name):
                self.assert_within(measured, reference[name], 10, name)

    def test_options_are_the_keys(self):
        short = self.run_bytes("qv100_accelsim", "--trace", golden("tiny"))
        long = self.run_bytes("qv100_accelsim", "--set", "workload.kind=trace", "--set",
                              f"workload.trace={golden('tiny')}")
        self.assertEqual(short, long)


class Refused(Traces):
    """Wrong traces: exit code 2, one line that says where, nothing in the folder of results."""

    def setUp(self):
        super().setUp()
        with open(os.path.join(TRACES, "fmt", "kernel-1.traceg"), encoding="utf-8") as handle:
            self.good = handle.read()

    def refused(self, trace, *expected, sets=()):
        process = tessera("run", "qv100_accelsim", "--trace", trace, *sets, "--out", self.path("out"))
        self.assert_refused(process, *expected)
        if os.path.exists(self.path("out")):
            self.assertEqual(os.listdir(self.path("out")), [])

    def refused_kernel(self, text, line, *expected):
        """A trace whose kernel is `text`; the message must name the line."""
        self.file("kernel-1.traceg", text)
        self.refused(self.file("kernelslist.g", "kernel-1.traceg\n"), f"kernel-1.traceg:{line}: ", *expected)

    def line_of(self, text):
        return self.good[:self.good.index(text)].count("\n") + 1

    def replaced(self, old, new):
        self.assertIn(old, self.good)
        return self.good.replace(old, new, 1)

    def test_good_to_begin_with(self):
        self.file("kernel-1.traceg", self.good)
        self.replay(self.file("kernelslist.g", "kernel-1.traceg\n"))

    def test_list(self):
        self.refused(self.path("missing.g"), "missing.g", "No such file or directory")
        self.refused(self.folder, self.folder, "Is a directory")
        self.refused(self.file("kernelslist.g", "kernel-1.traceg\n"), "kernelslist.g:1: ", "kernel-1.traceg")
        self.refused(self.file("empty.g", "MemcpyDtoH,0x1000,4\n"), "empty.g", "no kernel")

    def test_truncated(self):
        end = self.line_of("#END_TB")
        self.refused_kernel(self.good[:self.good.index("#END_TB")], end - 1, "the file ends in a thread block")
        self.refused_kernel(self.good[:-len("ND_TB\n")], end, "'#E'")
        self.refused_kernel(self.good[:self.good.index("00c0 ")], self.line_of("00c0 ") - 1,
                            "the file ends after 12 instructions of warp 0, expected 15")
        compressed = lzma.compress(self.good.encode())
        with open(self.path("kernel-1.traceg.xz"), "wb") as handle:
            handle.write(compressed[:len(compressed) // 2])
        self.refused(self.file("kernelslist.g", "kernel-1.traceg.xz\n"), "kernel-1.traceg.xz:")

    def test_truncated_in_a_later_thread_block(self):
        """Found when other thread blocks run already: no check of the model that failed."""
        with lzma.open(os.path.join(TRACES, "gemm_1024x64x576", "kernel-1.traceg.xz"), "rt", encoding="utf-8") as handle:
            text = handle.read()
        cut = text.rindex("insts = ", 0, text.rindex("#BEGIN_TB"))
        self.file("kernel-1.traceg", text[:cut])
        for timing in ("lt", "at"):
            self.refused(self.file("kernelslist.g", "kernel-1.traceg\n"), "kernel-1.traceg:",
                         "the file ends in a warp, expected 'insts = COUNT'",
                         sets=["--set", "gpu.sms=1", "--set", "sm.max_ctas=1", "--set", f"timing={timing}"])

    def test_products_without_a_rate(self):
        for opcode, key in (("HMMA.SP.16832.F32", "hmma_sp_16832"), ("IMMA.16832.S8.S8", "imma_16832"),
                            ("HMMA.1688.F32.TF32", "hmma_1688_tf32")):
            self.refused_kernel(self.replaced("HMMA.884.F32.F32.STEP1", opcode), self.line_of("HMMA"), f"got '{opcode}'",
                                f"the machine has no rate for it: expected sm.tensor_rates.{key}.products_per_cycle")
        self.refused_kernel(self.replaced("HMMA.884.F32.F32.STEP1", "DMMA.884"), self.line_of("HMMA"),
                            "got 'DMMA.884'", "no machine has a rate for it")

    def test_newer_tracers(self):
        self.refused_kernel(self.replaced("tracer version = 5", "tracer version = 7"), self.line_of("-accelsim tracer"),
                            "got '7', expected a decimal number from 1 to 6")
        self.file("kernel-1.tracez", "")
        self.refused(self.file("kernelslist.g", "kernel-1.tracez\n"), "kernel-1.tracez: the file is too short")
        self.file("kernel-1.zst", "")
        self.refused(self.file("kernelslist.g", "kernel-1.zst\n"), "kernelslist.g:1: ",
                     "expected a kernel's trace that ends in .traceg, .xz or .tracez")

    def test_instructions_of_hopper(self):
        text = self.replaced("tracer version = 5", "tracer version = 6")
        text = "\n".join(line + " NoVal" if line[:1].isdigit() else line for line in text.split("\n"))
        self.refused_kernel(text.replace("FFMA", "HGMMA.64x8x16.F32", 1), self.line_of("FFMA"),
                            "got 'HGMMA.64x8x16.F32', which is not modelled (products of warp groups)")

    def test_unknown_opcode(self):
        self.refused_kernel(self.replaced("FFMA", "FFMAX"), self.line_of("FFMA"), "unknown opcode 'FFMAX'",
                            "did you mean 'FFMA'?")

    def test_bad_address_mode(self):
        self.refused_kernel(self.replaced("4 0 0x7f4000000000", "4 3 0x7f4000000000"),
                            self.line_of("4 0 0x7f4000000000"), "address mode")

    def test_missing_exit(self):
        self.refused_kernel(self.replaced("insts = 15", "insts = 14").replace(
            "00e0 ffffffff 0 EXIT 0 0 0\n", "", 1), self.line_of("00d0 "), "expected EXIT")

    def test_garbage_header(self):
        self.refused_kernel("garbage\n" + self.good, 1, "garbage")
        self.refused_kernel(self.replaced("(1,1,1)", "(1,x,1)"), self.line_of("-grid dim"), "(1,x,1)")
        self.file("kernel-1.traceg", "")
        self.refused(self.file("kernelslist.g", "kernel-1.traceg\n"), "kernel-1.traceg: the file ends in the header")

    def test_values(self):
        process = tessera("run", "--trace", golden("tiny"), "--set", "values=on", "--out", self.path("out"))
        self.assertEqual(process.returncode, 2)
        self.assertEqual(process.stderr.count("\n"), 1, process.stderr)
        self.assertIn("values off with traces", process.stderr)
        self.assertFalse(os.path.exists(self.path("out")))

    def test_cta_that_fits_no_sm(self):
        self.refused_kernel_on_machine("-shmem = 4096", "-shmem = 1000000", "shared")

    def refused_kernel_on_machine(self, old, new, expected):
        self.file("kernel-1.traceg", self.replaced(old, new))
        self.refused(self.file("kernelslist.g", "kernel-1.traceg\n"), expected)


class Microbench(Traces):
    def test_titan_v_is_as_measured(self):
        process = tessera("microbench", "titan_v", "--within", "10")
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        self.assertIn("0 rows further than 10 % from the TITAN V", process.stdout)
        self.assertRegex(process.stdout, r"l1_hit_latency +34\.0 +33\.7 ")

    def test_duplos_machine_is_not(self):
        process = tessera("microbench", "--within", "1")
        self.assertEqual(process.returncode, 1)
        self.assertRegex(process.stdout, r"\n[1-9]\d* rows further than 1 % from the TITAN V")

    def test_accel_sims_machine_is_accel_sims(self):
        process = tessera("microbench", "qv100_accelsim", "--against", "accel_sim")
        rows = {line.split()[0]: line for line in process.stdout.splitlines() if line.strip()}
        for name in ("l2_hit_latency", "dram_latency", "shared_memory_latency", "fp32_dependent_issue"):
            self.assertRegex(rows[name], r"[-+][01]\.\d %  cycles  ")

    def test_out(self):
        process = tessera("microbench", "titan_v", "--set", "gpu.sms=1", "--out", self.path("out"))
        self.assertEqual(process.returncode, 0)
        with open(self.path("out", "result.json"), encoding="utf-8") as handle:
            names = [kernel["name"] for kernel in json.load(handle)["kernels"]]
        self.assertIn("l1_hit_latency.long", names)


if __name__ == "__main__":
    small_run.TESSERA = os.path.abspath(sys.argv.pop(1))
    unittest.main()
