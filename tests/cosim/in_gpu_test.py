#!/usr/bin/python3
"""RTL blocks inside the running GPU give the results of their models: the same output, the same cycles, the
same statistics; and where the RTL is broken, the run says so and where.

Usage: in_gpu_test.py TESSERA_PROGRAM
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None  # path of the tessera program
# A strided, padded layer of several images on two SMs.
LAYER = {"gpu.sms": 2, "values": "on", "workload.layer.name": "small", "workload.layer.batch": 2,
         "workload.layer.height": 20, "workload.layer.width": 20, "workload.layer.channels": 32,
         "workload.layer.filters": 64, "workload.tiling.cta_m": 64, "workload.tiling.cta_n": 32,
         "workload.tiling.warp_m": 32, "workload.tiling.warp_n": 16}
PRODUCT = {"gpu.sms": 2, "values": "on", "tensor_core.kind": "outer_product", "workload.kind": "gemm",
           "workload.gemm.m": 120, "workload.gemm.n": 72, "workload.gemm.k": 80}
# Zeros of both operands.
SPARSE = {"gpu.sms": 2, "values": "on", "tensor_core.kind": "outer_product", "workload.kind": "sparse_gemm",
          "tensor_core.spwmma.accumulation": "collector", "workload.gemm.m": 120, "workload.gemm.n": 72,
          "workload.gemm.k": 80, "workload.sparse.a.sparsity": 0.4, "workload.sparse.b.sparsity": 0.7,
          "workload.tiling.cta_m": 64, "workload.tiling.cta_n": 64, "workload.tiling.warp_m": 32,
          "workload.tiling.warp_n": 32}
DETECTION = ("id_generator", "load_history_buffer")
# The detection unit's pipe as the RTL has it: then the RTL is clocked with the machine.
PIPE = {"duplo.lookups_per_cycle": 1, "duplo.latency_cycles": 20, "duplo.wake_cycles": 318}
# The same, and the order of its operations.
BUILT = {**PIPE, "duplo.pipe": "built"}
TENSOR = ("feop_array", "accumulation_buffer")
SPARSE_TENSOR = (*TENSOR, "bitmap_unit")
# A convolution in vector operations, with precompute tables that are too small for its predictions.
DIRECT = {"gpu.sms": 2, "values": "on", "workload.kind": "direct_convolution", "workload.layer.name": "small",
          "workload.layer.batch": 2, "workload.layer.height": 12, "workload.layer.width": 12,
          "workload.layer.channels": 2, "workload.layer.filters": 4, "workload.layer.filter_height": 5,
          "workload.layer.filter_width": 5, "workload.layer.pad": 0, "workload.activations": "dyadic",
          "workload.weights": "dyadic", "opportunistic.scheme": "intra", "opportunistic.pt_entries": 8}
# The same in two clusters with an assign table each.
INTER = {**{key: value for key, value in DIRECT.items() if key != "opportunistic.pt_entries"}, "gpu.sms": 4,
         "opportunistic.scheme": "inter", "opportunistic.cluster_sms": 2}
# The same with assign tables that are too small for its pairs, and an L1 of 2 KiB that loses blocks.
ASSIGNED = {**INTER, "opportunistic.at_entries": 8, "sm.unified_l1_kib": 50, "workload.layer.channels": 8}


class InGpu(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="in_gpu_")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def tessera(self, configs, settings, *options):
        command = [PROGRAM, "run", *configs, "-q", "--out", os.path.join(self.folder, "out"), *options]
        for key, value in settings.items():
            command += ["--set", f"{key}={value}"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def result(self, configs, settings):
        """Result of a run that must be good, without the configuration; the blocks whose RTL acted."""
        process = self.tessera(configs, settings)
        self.assertEqual(0, process.returncode, process.stderr)
        with open(os.path.join(self.folder, "out", "result.json"), encoding="utf-8") as handle:
            whole = json.load(handle)

        def strip(tree):
            for key in list(tree):
                if key.endswith("rtl_cycles"):
                    del tree[key]
                elif isinstance(tree[key], dict):
                    strip(tree[key])

        for kernel in whole["kernels"]:
            strip(kernel["statistics"])
        self.assertEqual(0, whole["verification"]["mismatches"])
        self.assertGreater(whole["verification"]["outputs"], 0)
        acted = {mechanism["name"].removeprefix("RTL of ") for mechanism in whole["mechanisms"]
                 if mechanism["acted"] and mechanism["name"].startswith("RTL of ")}
        return {key: whole[key] for key in ("kernels", "metrics", "verification")}, acted

    def assert_same(self, configs, base, blocks, timing):
        model, none = self.result(configs, {**base, "timing": timing})
        self.assertEqual(set(), none)
        for choice in ("rtl", "both"):
            with self.subTest(blocks=blocks, choice=choice, timing=timing):
                chosen = {f"impl.{block}": choice for block in blocks}
                rtl, acted = self.result(configs, {**base, "timing": timing, **chosen})
                self.assertEqual(model, rtl)
                self.assertEqual(set(blocks), acted)

    def test_detection_unit(self):
        for timing in ("lt", "at"):
            self.assert_same(["duplo_paper"], LAYER, DETECTION, timing)

    def test_detection_unit_of_every_organisation(self):
        for more in ({"duplo.lhb.ways": 4, "duplo.lhb.entries": 64, "duplo.lhb.fold": "on"},
                     {"duplo.lhb.ways": 8, "duplo.lhb.entries": 2048, "duplo.lhb.shift_bits": 0},
                     {"duplo.lifetime": "until_reused", "duplo.spare_units": 512, "duplo.scope": "warp"},
                     {"duplo.zero_rule": "on", "duplo.release": "commit", "workload.layer.transposed": "on",
                      "workload.layer.stride": 2}):
            with self.subTest(more=more):
                self.assert_same(["duplo_paper"], {**LAYER, **more}, DETECTION, "lt")

    def test_detection_unit_clocked_with_the_machine(self):
        """One ID generator and one buffer take every operation in its cycle and answer in theirs."""
        for timing in ("lt", "at"):
            self.assert_same(["duplo_paper"], {**LAYER, **PIPE}, DETECTION, timing)
        for more in ({"duplo.hit_frees_slot": "on", "duplo.octet_copies": 1},
                     {"duplo.lhb.ways": 8, "duplo.lhb.entries": 64, "duplo.lhb.fold": "on", "duplo.release": "commit"},
                     {"duplo.lifetime": "until_reused", "duplo.spare_units": 512, "duplo.scope": "warp"},
                     {"duplo.zero_rule": "on", "workload.layer.transposed": "on", "workload.layer.stride": 2}):
            with self.subTest(more=more):
                self.assert_same(["duplo_paper"], {**LAYER, **PIPE, **more}, DETECTION, "lt")
        for block in DETECTION:
            self.assert_same(["duplo_paper"], {**LAYER, **PIPE}, (block,), "lt")

    def test_rename_table(self):
        for timing in ("lt", "at"):
            self.assert_same(["duplo_paper"], LAYER, ("rename_table",), timing)
        for more in ({"duplo.lifetime": "in_flight", "duplo.octet_copies": 1}, PIPE,
                     {"duplo.zero_rule": "on", "duplo.granularity": "tile16",
                      "duplo.octet_copies": 1}):
            with self.subTest(more=more):
                self.assert_same(["duplo_paper"], {**LAYER, **more}, ("rename_table",), "lt")

    def test_precompute_table(self):
        for timing in ("lt", "at"):
            self.assert_same(["gtx480_56sm"], DIRECT, ("precompute_table",), timing)
        for more in ({"opportunistic.pt_granularity": "scalar", "opportunistic.pt_entries": 64},
                     {"opportunistic.pt_policy": "periodic", "opportunistic.pt_period_entries": 2,
                      "opportunistic.pt_entries": 512},
                     {"opportunistic.scheme": "both", "opportunistic.cluster_sms": 2},
                     {"opportunistic.scheme": "inter", "opportunistic.cluster_sms": 2,
                      "opportunistic.assign_predicts": "on"}):
            with self.subTest(more=more):
                self.assert_same(["gtx480_56sm"], {**DIRECT, **more}, ("precompute_table",), "lt")

    def test_assign_table(self):
        table = self.result(["gtx480_56sm"], ASSIGNED)[0]["kernels"][-1]["statistics"]["opportunistic"]["assign_table"]
        for count in ("hits", "replaced", "invalidated"):
            self.assertGreater(table[count], 10)
        for timing in ("lt", "at"):
            self.assert_same(["gtx480_56sm"], ASSIGNED, ("assign_table",), timing)
        for more in ({"opportunistic.at_cost": "messages", "opportunistic.at_entries": 1024},
                     {"opportunistic.at_key": "all", "opportunistic.assign_when": "waiting"},
                     {"opportunistic.credits": "off", "opportunistic.cluster_sms": 4}):
            with self.subTest(more=more):
                self.assert_same(["gtx480_56sm"], {**ASSIGNED, **more}, ("assign_table",), "lt")
        self.assert_same(["gtx480_56sm"], {**ASSIGNED, "opportunistic.scheme": "both", "opportunistic.at_cost": "messages"},
                         ("precompute_table", "assign_table"), "at")

    def test_detection_unit_as_one_block(self):
        """The whole unit in RTL takes every unit in its cycle and answers in the model's, with the model's registers."""
        for timing in ("lt", "at"):
            self.assert_same(["duplo_paper"], {**LAYER, **BUILT}, ("duplo_core",), timing)
        for more in ({"duplo.hit_frees_slot": "on", "duplo.octet_copies": 1, "duplo.scope": "lane"},
                     {"duplo.lhb.ways": 8, "duplo.lhb.entries": 64, "duplo.lhb.fold": "on", "duplo.scope": "warp"},
                     {"duplo.zero_rule": "on", "workload.layer.transposed": "on", "workload.layer.stride": 2}):
            with self.subTest(more=more):
                self.assert_same(["duplo_paper"], {**LAYER, **BUILT, **more}, ("duplo_core",), "lt")

    def test_clock_of_the_detection_unit_is_the_machines(self):
        """The RTL's clock cycles are some of the machine's; called as its model is, it takes more of them."""
        rtl = {f"impl.{block}": "both" for block in DETECTION}
        for settings, clocked in ((PIPE, True), ({}, False)):
            with self.subTest(settings=settings):
                process = self.tessera(["duplo_paper"], {**LAYER, **rtl, **settings})
                self.assertEqual(0, process.returncode, process.stderr)
                with open(os.path.join(self.folder, "out", "result.json"), encoding="utf-8") as handle:
                    kernel = json.load(handle)["kernels"][-1]
                unit = kernel["statistics"]["sm"]["ldst"]["detection"]
                for count in ("id_generator_rtl_cycles", "lhb_rtl_cycles"):
                    self.assertGreater(unit[count], unit["lookups"])
                    check = self.assertLess if clocked else self.assertGreater
                    check(unit[count], LAYER["gpu.sms"] * kernel["cycles"])

    def test_tensor_cores(self):
        for timing in ("lt", "at"):
            self.assert_same([], PRODUCT, TENSOR, timing)

    def test_tensor_cores_one_block_at_a_time(self):
        for block in TENSOR:
            self.assert_same([], PRODUCT, (block,), "lt")

    def test_sparse_tensor_cores(self):
        for timing in ("lt", "at"):
            self.assert_same([], SPARSE, SPARSE_TENSOR, timing)
        for block in SPARSE_TENSOR:
            self.assert_same([], SPARSE, (block,), "lt")

    def test_sparse_tensor_core_as_one_block(self):
        for timing in ("lt", "at"):
            self.assert_same([], SPARSE, ("spwmma_core",), timing)

    def test_sparse_products_of_every_kind(self):
        for base in ({**SPARSE, "workload.sparse.method": "single"},
                     {**SPARSE, "workload.sparse.a.sparsity": 0.97, "workload.sparse.a.pattern": "clustered"},
                     {**SPARSE, "workload.sparse.a.sparsity": 0, "workload.sparse.b.sparsity": 0}):
            with self.subTest(base=base):
                self.assert_same([], base, SPARSE_TENSOR, "lt")
                self.assert_same([], base, ("spwmma_core",), "lt")

    def test_dense_fragments_of_a_sparse_workload(self):
        dense = {key: value for key, value in SPARSE.items() if not key.startswith("tensor_core.spwmma.")}
        self.assert_same([], {**dense, "workload.sparse.method": "dense", "workload.gemm.k": 64}, TENSOR, "lt")

    def test_all_at_once(self):
        self.assert_same(["duplo_paper"], {**LAYER, "tensor_core.kind": "outer_product"},
                         (*DETECTION, *TENSOR), "lt")

    def test_broken_rtl_in_lock_step_ends_the_run_with_a_report(self):
        clocked = {**LAYER, **PIPE}
        for configs, base, block, faults in (
                (["duplo_paper"], clocked, "id_generator",
                 ("invert:288", "stuck1:292@500", "stuck0:96@900", "late", "stuck1:128", "invert:128@900", "invert:0",
                  "invert:32@900", "stuck1:64@900", "invert:96@900", "invert:256", "stuck0:257@700")),
                (["duplo_paper"], clocked, "load_history_buffer",
                 ("invert:192", "stuck0:64@900", "late", "stuck1:96", "invert:0@900", "stuck1:32@900", "invert:64@900",
                  "stuck1:205")),
                (["duplo_paper"], {**LAYER, **BUILT}, "duplo_core",
                 ("stuck1:0", "stuck1:32@900", "stuck1:64", "stuck0:96@900", "invert:128@900", "invert:160@900",
                  "stuck1:192@900", "stuck1:224", "invert:256@900", "late")),
                (["duplo_paper"], LAYER, "rename_table", ("invert:192@2000", "stuck0:320@900", "invert:352@900")),
                (["gtx480_56sm"], DIRECT, "precompute_table",
                 ("stuck0:128", "stuck0:160", "stuck1:192@900", "invert:224@900", "stuck0:256", "invert:320@900", "invert:512",
                  "stuck0:1536@900")),
                (["gtx480_56sm"], ASSIGNED, "assign_table",
                 ("stuck0:128", "stuck1:160", "invert:192@50", "invert:224@50", "stuck0:256")),
                (["duplo_paper"], LAYER, "id_generator", ("invert:288", "stuck1:292@500")),
                (["duplo_paper"], LAYER, "load_history_buffer", ("invert:192", "stuck0:128")),
                ([], PRODUCT, "feop_array", ("invert:200", "stuck1:300@50", "late")),
                ([], PRODUCT, "accumulation_buffer", ("invert:4300", "late")),
                ([], SPARSE, "feop_array", ("invert:200",)),
                ([], SPARSE, "accumulation_buffer", ("stuck0:0", "invert:170", "stuck1:224@500")),
                ([], SPARSE, "bitmap_unit", ("invert:0", "stuck1:64", "invert:3680", "stuck0:3810", "late")),
                ([], SPARSE, "spwmma_core",
                 ("invert:0", "stuck1:64", "stuck0:3136", "stuck1:3648", "stuck1:3712@300", "invert:3744", "invert:3904@500",
                  "invert:4256", "late"))):
            for fault in faults:
                with self.subTest(block=block, fault=fault):
                    process = self.tessera(configs, {**base, f"impl.{block}": "both",
                                                     "impl.fault": f"{block}:{fault}"})
                    self.assertEqual(1, process.returncode, process.stderr)
                    for part in (f".{block}: ", "model and RTL part", "first divergence in cycle", "expected",
                                 "got", "last transactions", "(seed 1)"):
                        self.assertIn(part, process.stderr)
                    self.assert_command(process)
                    cycles = base not in (LAYER, DIRECT, ASSIGNED)
                    self.assertIn("compared results and cycles: " if cycles else "compared results: ", process.stderr)
                    if block not in ("precompute_table", "assign_table"):  # operations without a warp instruction
                        self.assert_place(process, f".{block}")

    def assert_place(self, process, block):
        """The report names the warp instruction, and the last cycles of its SM are in a waveform."""
        sm = re.search(rf"(sm\d+)(?:\.tensor\d)?{block}: ", process.stderr)[1]
        self.assertRegex(process.stderr, r"(?m)^  during   kernel \d \(\S+\), CTA \d+, warp \d+, instruction \d+ \(\S+\), "
                                         r"(issued in cycle \d+|access 0x[0-9a-f]+)$")
        self.assertIn(f"last transactions of SM {sm[2:]}:\n    cycle ", process.stderr)
        wave = os.path.join(self.folder, "out", "mismatch.fst")
        self.assertIn(f"  waveform {wave}: the last 200 cycles of SM {sm[2:]}", process.stderr)
        with open(wave, "rb") as file:
            self.assertGreater(len(file.read()), 500)
        os.remove(wave)

    def assert_command(self, process):
        """The report's command is the one that was run, as a shell takes it."""
        again = re.search(r"^  again    (.*)$", process.stderr, re.MULTILINE)
        self.assertIsNotNone(again, process.stderr)
        self.assertEqual(process.args, shlex.split(again[1], comments=True))

    def test_in_ready_that_never_falls(self):
        """Ids wait at the pipe's end now and then, so that the generator's pipe stands and it takes no address."""
        process = self.tessera(["duplo_paper"], {**LAYER, **PIPE, "impl.id_generator": "both",
                                                 "impl.fault": "id_generator:stuck1:96"})
        self.assertEqual(1, process.returncode, process.stderr)
        self.assertIn("in_ready", process.stderr)

    def test_a_buffer_alone_that_contradicts_itself_ends_the_run(self):
        """Registers that there are not, more found than there were: said, and no number of entries below none."""
        for fault, said in (("stuck1:205", "a look-up finds register"), ("invert:205", "a look-up finds register"),
                            ("stuck1:128", " register"), ("stuck0:128", "a release finds none that names register")):
            with self.subTest(fault=fault):
                process = self.tessera(["duplo_paper"], {**LAYER, "impl.load_history_buffer": "rtl",
                                                         "impl.fault": f"load_history_buffer:{fault}"})
                self.assertEqual(1, process.returncode, process.stderr)
                for part in (".load_history_buffer: the RTL contradicts itself: ", said, "(seed 1)"):
                    self.assertIn(part, process.stderr)
                self.assert_command(process)

    def test_broken_rtl_alone_gives_wrong_output(self):
        process = self.tessera([], {**PRODUCT, "impl.feop_array": "rtl",
                                    "impl.fault": "feop_array:invert:200"})
        self.assertEqual(1, process.returncode, process.stderr)
        self.assertIn("differ from the golden model", process.stderr)

    def test_broken_rtl_alone_gives_wrong_sparse_output(self):
        """An offset of values, a row, a product, a word of the tile: none of them stays unseen without lock-step."""
        for fault in ("bitmap_unit:invert:4641", "bitmap_unit:invert:3809", "feop_array:invert:200",
                      "accumulation_buffer:invert:200"):
            with self.subTest(fault=fault):
                process = self.tessera([], {**SPARSE, f"impl.{fault.split(':')[0]}": "rtl", "impl.fault": fault})
                self.assertEqual(1, process.returncode, process.stderr)
                self.assertIn("differ from the golden model", process.stderr)

    def test_a_fault_that_breaks_nothing_is_one_line(self):
        for fault, expected in (("feop_array:invert:200@9999999", "a cycle below "),
                                ("feop_array:invert:9999", "a bit below 5312, "),
                                # The operation is always an OHMMA, which is a 0.
                                ("feop_array:stuck0:64", "a fault that changes an output, this one changed none")):
            process = self.tessera([], {**PRODUCT, "impl.feop_array": "both", "impl.fault": fault})
            self.assertEqual(2, process.returncode, process.stderr)
            fault = fault.split(":", 1)[1]
            self.assertIn("impl.fault", process.stderr)
            self.assertIn(f": got '{fault}', expected {expected}", process.stderr)
            self.assertEqual(1, len(process.stderr.strip().splitlines()), process.stderr)

    def test_a_fault_that_no_comparison_notices_is_said(self):
        """The comparison by function does not cover whether the buffer would accept an organisation."""
        process = self.tessera(["duplo_paper"], {**LAYER, "impl.load_history_buffer": "both",
                                                 "impl.fault": "load_history_buffer:stuck1:32"})
        self.assertEqual(1, process.returncode, process.stderr)
        self.assertRegex(process.stderr, r"impl\.fault: got 'stuck1:32': changed \d+ outputs, and no comparison noticed")

    def test_threads_say_that_rtl_runs_on_one(self):
        process = self.tessera([], {**PRODUCT, "impl.feop_array": "both", "logging.level": "info"}, "--threads", "2")
        self.assertEqual(0, process.returncode, process.stderr)
        self.assertIn("one thread simulates this machine, as blocks of it run as RTL (impl)", process.stderr)

    def test_what_the_rtl_cannot_do_is_one_line(self):
        rtl = {"impl.load_history_buffer": "rtl", "impl.id_generator": "rtl"}
        for settings, word in (
                ({**LAYER, "impl.id_generator": "rtl"}, "duplo.enabled"),
                ({**LAYER, "duplo.enabled": "on", **rtl, "duplo.lhb.entries": "infinite"}, "entries"),
                ({**LAYER, "duplo.enabled": "on", **rtl, "duplo.lhb.entries": 4096}, "2048"),
                ({**LAYER, "duplo.enabled": "on", **rtl, "duplo.lhb.ways": 16}, "ways"),
                ({**LAYER, "duplo.enabled": "on", **rtl, "duplo.lifetime": "forever"}, "lifetime"),
                ({**LAYER, "duplo.enabled": "on", **rtl, "duplo.id_formula": "paper"}, "id_formula"),
                ({**LAYER, "duplo.enabled": "on", **rtl, "duplo.keep": "duplicates"}, "duplo.keep any"),
                ({**LAYER, "duplo.enabled": "on", "impl.load_history_buffer": "both", "duplo.keep": "duplicates"},
                 "least recently used"),
                ({**LAYER, "duplo.enabled": "on", "impl.rename_table": "rtl", "duplo.lifetime": "until_reused"},
                 "duplo.lifetime"),
                ({**LAYER, "duplo.enabled": "on", "impl.rename_table": "both", "duplo.release": "commit"},
                 "duplo.release"),
                ({**LAYER, "duplo.enabled": "on", "impl.duplo_core": "both"}, "duplo.pipe"),
                ({**LAYER, **BUILT, "duplo.enabled": "on", "impl.duplo_core": "both", "duplo.latency_cycles": 21},
                 "duplo.latency_cycles"),
                ({**LAYER, **BUILT, "duplo.enabled": "on", "duplo.lifetime": "in_flight"}, "duplo.lifetime"),
                ({**LAYER, "duplo.enabled": "on", "duplo.pipe": "built"}, "duplo.lookups_per_cycle"),
                ({**DIRECT, "impl.precompute_table": "rtl", "opportunistic.scheme": "none"}, "opportunistic.scheme"),
                ({**DIRECT, "impl.precompute_table": "both", "opportunistic.scheme": "inter"}, "assign_predicts"),
                ({**DIRECT, "impl.precompute_table": "rtl", "opportunistic.pt_entries": 513}, "512"),
                ({**DIRECT, "impl.assign_table": "rtl"}, "opportunistic.scheme"),
                ({**INTER, "impl.assign_table": "both", "opportunistic.at_entries": 1025}, "1024"),
                ({**INTER, "impl.assign_table": "rtl", "gpu.sms": 9, "opportunistic.cluster_sms": 9}, "at most 8"),
                ({**PRODUCT, "impl.feop_array": "rtl", "values": "off"}, "values"),
                ({**PRODUCT, "impl.feop_array": "rtl", "tensor_core.kind": "fedp"}, "tensor_core.kind"),
                ({**PRODUCT, "impl.bitmap_unit": "rtl"}, "workload.sparse.method"),
                ({**SPARSE, "impl.bitmap_unit": "both", "values": "off"}, "values"),
                ({**SPARSE, "impl.spwmma_core": "both", "values": "off"}, "values"),
                ({**PRODUCT, "impl.spwmma_core": "rtl"}, "workload.sparse.method"),
                ({**SPARSE, "impl.spwmma_core": "rtl", "tensor_core.spwmma.accumulation": "memo"}, "collector"),
                ({**SPARSE, "impl.spwmma_core": "rtl", "impl.bitmap_unit": "rtl"}, "impl.spwmma_core"),
                ({**SPARSE, "impl.bitmap_unit": "rtl", "tensor_core.spwmma.accumulation": "memo"}, "collector"),
                ({**SPARSE, "impl.feop_array": "rtl", "tensor_core.spwmma.ohmma_cycles": 2}, "tensor_core.spwmma"),
                ({**SPARSE, "impl.accumulation_buffer": "rtl", "tensor_core.accumulation_buffer.banks": 64},
                 "tensor_core.accumulation_buffer"),
                ({**PRODUCT, "impl.accumulation_buffer": "rtl", "tensor_core.accumulation_buffer.depth_entries": 4},
                 "tensor_core.accumulation_buffer"),
                ({**SPARSE, "impl.bitmap_unit": "rtl", "impl.fault": "feop_array:late"}, "impl.fault"),
                ({**PRODUCT, "impl.fault": "feop_array:late"}, "impl.fault"),
                ({**PRODUCT, "impl.feop_array": "rtl", "impl.fault": "feop_array:loud"}, "impl.fault"),
                ({**PRODUCT, "impl.feop_array": "verilog"}, "impl.feop_array")):
            with self.subTest(settings=settings):
                process = self.tessera([], settings)
                self.assertEqual(2, process.returncode, process.stderr)
                lines = process.stderr.strip().splitlines()
                self.assertEqual(1, len(lines), lines)
                self.assertIn(word, lines[0])


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
