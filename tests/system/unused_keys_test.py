#!/usr/bin/python3
"""A key that the user set and that nothing in the run reads is refused, with what would make it act."""

import os
import shlex
import sys
import unittest

import small_run
from small_run import tessera

SMALL = ["--set", "gpu.sms=1", "--set", "workload.layer.batch=1", "--set", "workload.layer.height=8", "--set",
         "workload.layer.width=8"]
# On a dense layer, lowered, loosely timed, over a crossbar, without mechanism: key, a good value, what it wants.
IDLE = [
    ("duplo.lhb.entries", 64, "duplo.enabled on"),
    ("duplo.lifetime", "forever", "duplo.enabled on"),
    ("duplo.zero_rule", "on", "duplo.enabled on"),
    ("duplo.lhb.shift_bits", 0, "duplo.enabled on"),
    ("opportunistic.pt_entries", 64, "scheme intra"),
    ("opportunistic.at_entries", 64, "scheme inter"),
    ("opportunistic.preempt", "run_to_completion", "opportunistic.scheme"),
    ("noc.mesh.width", 5, "noc.kind mesh"),
    ("noc.mesh.buffer_flits", 5, "noc.kind mesh"),
    ("noc.response_queue_entries", 5, "timing at"),
    ("noc.arbitration", "oldest_first", "timing at"),
    ("l2.response_queue_entries", 5, "timing at"),
    ("l2.miss_queue_entries", 16, "timing at"),
    ("dram.row_hit_cap", 5, "timing at"),
    ("sm.register_file.collectors", 3, "sm.register_file.banks"),
    ("sm.register_file.renamed_rows", "by_lane", "sm.register_file.banks"),
    ("tlb.page_kib", 4, "tlb.entries"),
    ("dram.t_ccd_l_cycles", 3, "dram.bank_groups"),
    ("dram.t_cwl_cycles", 3, "dram.t_wtr_cycles"),
    ("dram.t_wr_cycles", 3, "dram.t_wtr_cycles"),
    ("dram.write_drain_high", 50, "dram.t_wtr_cycles"),
    ("dram.write_drain_low", 20, "dram.t_wtr_cycles"),
    ("dram.t_rfc_cycles", 50, "dram.t_refi_cycles"),
    ("tensor_core.spwmma.ohmma_cycles", 2, "SpWMMA|sparse"),
    ("tensor_core.accumulation_buffer.banks", 64, "SpWMMA"),
    ("workload.sparse.a.sparsity", 0.5, "sparse_gemm"),
    ("workload.sparse.skip_unmet_tiles", "on", "SpWMMAs"),
    ("workload.gemm.m", 64, "workload.kind gemm"),
    ("workload.gemm.transpose_a", "n", "workload.kind gemm"),
    ("workload.gemm.order", "rows", "workload.kind gemm"),
    ("workload.split_k", 2, "workload.kernel"),
    ("workload.sum_order", "taps_inner", "workload.kernel"),
    ("workload.layer.pad_height", 0, "workload.kernel"),
    ("workload.layer.stride_width", 2, "workload.kernel"),
    ("workload.direct.yseg", 4, "direct_convolution"),
    ("workload.tensor.shape", '"8x8"', "workload.kind tensor"),
    ("workload.tensor.other", '"8x8"', "two operands"),
    ("workload.tensor.axis", 0, "along an axis"),
    ("workload.tensor.pad", 1, "a pool or pad"),
    ("workload.attention.heads", 2, "workload.kind attention"),
    ("workload.attention.splits", 2, "operation decode"),
    ("workload.attention.causal", "off", "workload.kind attention"),
    ("sample.error_percent", 5, "sample.enabled on"),
    ("sample.warm_waves", 2, "sample.enabled on"),
    ("workload.activations", "relu", "values on"),
    ("workload.weights", "relu", "values on"),
]


class UnusedKeys(small_run.InFolder):
    def refused(self, arguments, *words):
        process = tessera("run", *arguments)
        self.assertEqual(process.returncode, 2, process.stderr)
        self.assertEqual(process.stderr.count("\n"), 1, process.stderr)
        for word in ("which has no effect in this run", *words):
            self.assertTrue(any(part in process.stderr for part in word.split("|")), process.stderr)

    def accepted(self, arguments):
        process = tessera("run", "-q", *arguments)
        self.assertEqual((process.returncode, process.stderr), (0, ""), arguments)

    def test_keys_without_a_reader_are_refused_before_the_run(self):
        for key, value, remedy in IDLE:
            with self.subTest(key=key):
                arguments = ["titan_v", "resnet.C3", *SMALL, "--set", f"{key}={value}"]
                self.refused(arguments, f"--set {key}={value}: got '{value}'", remedy)
                self.accepted([*arguments, "--allow-unused", "--dry-run"])

    def test_the_line_of_a_file_is_named(self):
        path = self.file("mine.yaml", "seed: 2\nduplo:\n  lhb:\n    entries: 64\n")
        self.refused(["titan_v", "resnet.C3", path], f"{path}:4:14: duplo.lhb.entries: got '64'")
        self.accepted(["titan_v", "resnet.C3", "duplo_paper", path, "--dry-run"])

    def test_rates_of_instructions_that_never_come_are_refused_after_the_run(self):
        rate = ["--set", "sm.operations.fp64.latency_cycles=9"]
        self.refused(["titan_v", "resnet.C3", *SMALL, *rate], "such instructions")
        self.accepted(["titan_v", "resnet.C3", *SMALL, *rate, "--allow-unused"])

    def test_keys_that_are_looked_at_but_cannot_act_are_refused(self):
        """A library's product loads no fragments from global memory. ALU instructions of element-wise kernels have no result."""
        product = ["v100", "library", "--set", "gpu.sms=2", *small_run.sets(workload__gemm__m=128, workload__gemm__n=64,
                                                                            workload__gemm__k=64)]
        self.refused([*product, "--set", "ldst.octet_l1_accesses=2"], "load fragments from global memory")
        relu = ["v100", "--set", "gpu.sms=2", *small_run.sets(workload__kind="tensor", workload__tensor__operation="relu",
                                                              workload__tensor__shape="8x64")]
        self.refused([*relu, "--set", "ldst.octet_l1_accesses=2"], "load fragments from global memory")
        self.refused([*relu, "--set", "sm.alu_latency_cycles=100"], "ALU instructions that write a register")
        # A product of a library clears its sums with them.
        self.accepted([*product, "--set", "sm.alu_latency_cycles=1000"])
        # Where they act, they are taken.
        without_c = ["titan_v", "resnet.C3", *SMALL, "--set", "workload.tiling.c_traffic=off"]
        self.accepted([*without_c, "--set", "ldst.octet_l1_accesses=2"])
        self.accepted([*without_c, "--set", "sm.alu_latency_cycles=100"])

    def test_descriptions_of_machines_and_whole_runs_need_not_act(self):
        machine = self.file("machine.yaml", "part: gpu\ndram: {row_hit_cap: 5}\nnoc: {mesh: {width: 5}}\n")
        self.accepted([machine, "resnet.C3", "--dry-run"])
        out = self.path("out")
        self.accepted(["titan_v", "resnet.C3", *SMALL, "--out", out])
        self.accepted([os.path.join(out, "config.yaml"), "--dry-run"])
        self.refused([os.path.join(out, "config.yaml"), "--set", "duplo.lhb.entries=64"], "duplo.enabled on")

    def test_every_shipped_experiment_sets_keys_that_act(self):
        sections = tessera("config", "--names").stdout.split("experiments:\n")[1].split("layers of networks:")
        names = sections[0].split()
        self.assertGreater(len(names), 10)
        for name in names:
            listed = tessera("sweep", name, "--list")
            self.assertEqual(listed.returncode, 0, listed.stderr)
            seen = set()
            for line in listed.stdout.splitlines()[:-1]:
                folder, _, arguments = line.split("  ", 2)
                variant = folder.split("/")[2]
                if variant in seen:
                    continue
                seen.add(variant)
                with self.subTest(experiment=name, variant=variant):
                    self.accepted([*shlex.split(arguments), "--dry-run"])


if __name__ == "__main__":
    small_run.TESSERA = os.path.abspath(sys.argv.pop(1))
    unittest.main()
