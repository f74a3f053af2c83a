"""The effect of each key of `tessera config --list`: another value than that of a small base run, the results that must
differ between the two runs, and the direction where it is plain. parameter_test.py runs them."""

import operator

from parameter_bases import (ALONE, AT, ATTENTION, BUILT_PIPE, COLLECTOR, DECODE, DIRECT, DIRECT_VALUES, FORGETFUL, INTEGERS, INTEGER_LAYER, INTER, INTRA,
                             LAYER, LAYER_DIGEST, LIBRARY, LIBRARY_LAYER, MATRIX, MESH, MULTISTAGE, NONFINITE,
                             OPERATIONS, OUTER_PRODUCT, OVERCOMMITTED, POOL, PORTS, PRODUCT, RATED, SAMPLED, SHAPES,
                             SMALL_BUFFER, SPARSE, SPARSE_LAYER, STRUCTURED, TENSOR, WARPGROUP_ATTENTION, WARPGROUP_TYPE, WAVES, WGMMA, WRONG, trace)


def result(*path):
    """Reads the value under `path` of result.json."""
    def read(run):
        value = run["result"]
        for key in path:
            value = value[key]
        return value
    read.what = ".".join(map(str, path))
    return read


def statistic(*path):
    """A statistic of the matrix product."""
    return result("kernels", -1, "statistics", *path)


def above_power_limit(run):
    return "above_power_limit" in run["result"]


def stderr(run):
    return run["stderr"]


def host_threads(run):
    return run["host"]["threads"]


def kernels(run):
    return len(run["result"]["kernels"])


def instances(run):
    return sorted(run["result"]["kernels"][-1]["statistics"])


def opportunistic_statistics(run):
    return sorted(run["result"]["kernels"][-1]["statistics"].get("opportunistic", {}))


opportunistic_statistics.what = "statistics of opportunistic computing listed"
stderr.what, kernels.what, instances.what = "stderr", "number of kernels", "statistics listed"
host_threads.what = "threads in host.json"
CYCLES = result("metrics", "cycles")
OHMMAS = statistic("sm", "sub_core", "tensor", "ohmmas")
ADDITIONS = statistic("sm", "sub_core", "tensor", "additions")
SPWMMA_CYCLES = statistic("sm", "sub_core", "tensor", "busy_cycles")
HIT_RATE = result("metrics", "hit_rate_percent")
MMAS = result("metrics", "mmas")
RESIDENT = result("kernels", -1, "ctas_per_sm")
CTAS = result("kernels", -1, "ctas")
SAMPLED_CTAS = result("kernels", -1, "sample", "ctas")
L1_HITS = statistic("sm", "l1", "read_hits")
TLB_MISSES = statistic("sm", "l1", "tlb", "misses")
TLB_STALLS = statistic("sm", "l1", "tlb", "stall_cycles")
READS = statistic("sm", "sub_core", "operands", "reads")
LATE_OPERANDS = statistic("sm", "sub_core", "operands", "late_cycles")
L2_HITS = statistic("memory", "l2", "read_hits")
TURNAROUNDS = statistic("memory", "dram", "turnarounds")
ROW_HITS = statistic("memory", "dram", "row_hits")
PREDICTIONS = statistic("sm", "opportunistic", "precompute_table", "inserted")
MORE, LESS, OTHER = (operator.gt, "more"), (operator.lt, "less"), (operator.ne, "other")

# key: (value, what changes, how, [what both runs have besides BASE], [what must change with the key])
PARAMETERS = {
    "seed": (2, result("verification", "first_mismatch"), OTHER, WRONG),
    "timing": ("at", CYCLES, OTHER),
    "protocol_check": ("on", instances, OTHER),
    "values": ("on", result("verification", "checked"), MORE),
    "gpu.sms": (2, CYCLES, LESS),
    "gpu.core_clock_mhz": (2400, CYCLES, MORE),  # DRAM takes more of its cycles
    "gpu.kernel_launch_cycles": (7258, CYCLES, MORE),
    "gpu.queued_launch_cycles": (5000, CYCLES, MORE),
    "gpu.short_launch_cycles": (5000, CYCLES, OTHER, {**LIBRARY_LAYER, "workload.pass": "backward_data"}),
    "gpu.cta_launch_cycles": (2000, CYCLES, MORE, ALONE),
    "gpu.cta_launch_jitter_cycles": (2000, CYCLES, MORE, ALONE),
    "gpu.quantum_cycles": (1000, CYCLES, OTHER),
    "gpu.energy_table": ("volta_cacti_22nm", result("metrics", "energy_uj"), LESS),
    "gpu.power_limit_w": (1, above_power_limit, MORE),
    "sm.sub_cores": (1, CYCLES, MORE),
    "sm.issue_cycles": (4, CYCLES, MORE, ALONE),
    "sm.max_warps": (8, RESIDENT, LESS),
    "sm.max_ctas": (2, RESIDENT, LESS),
    "sm.scheduler": ("lrr", CYCLES, OTHER),
    "sm.register_file_kib": (128, RESIDENT, LESS),
    "sm.register_file.banks": (1, CYCLES, MORE),
    "sm.register_file.reads_per_bank_cycle": (2, LATE_OPERANDS, LESS, PORTS),
    "sm.register_file.collectors": (1, statistic("sm", "sub_core", "stall_operands"), MORE, PORTS),
    "sm.register_file.reuse_cache": ("off", READS, MORE, PORTS),
    "sm.register_file.renamed_rows": ("by_lane", READS, LESS, PORTS),
    "sm.unified_l1_kib": (160, L1_HITS, MORE),
    "sm.shared_memory_kib": (16, RESIDENT, LESS),
    "sm.adaptive_shared_memory": ("on", L1_HITS, MORE, {"workload.tiling.ctas_per_sm": 2}),
    # Without C an ALU instruction clears the accumulators.
    "sm.alu_latency_cycles": (1000, CYCLES, MORE, {**ALONE, "workload.tiling.c_traffic": "off"}),
    "sm.alu_initiation_cycles": (50, CYCLES, MORE, ALONE),
    "sm.shared_memory_latency_cycles": (2700, CYCLES, MORE),
    "sm.shared_memory_banks": (16, statistic("sm", "ldst", "shared_wavefronts"), MORE),
    "sm.barrier_latency_cycles": (5000, CYCLES, MORE),
    "sm.bulk_copy_latency_cycles": (500, CYCLES, MORE, WGMMA),
    "tensor_core.kind": ("outer_product", CYCLES, OTHER),  # its pipeline is longer
    "tensor_core.spwmma.accumulation": ("count", SPWMMA_CYCLES, OTHER,
                                        {**SPARSE, "tensor_core.accumulation_buffer.depth_entries": 1}),
    "tensor_core.spwmma.granularity": ("8x8", OHMMAS, LESS,
                                       {**SPARSE, "tensor_core.spwmma.accumulation": "count"}),
    "tensor_core.spwmma.issue_model": ("predicated", SPWMMA_CYCLES, MORE, SPARSE),
    "tensor_core.spwmma.ohmma_cycles": (2.5, SPWMMA_CYCLES, MORE, SPARSE),
    "tensor_core.spwmma.bohmma_cycles": (1, SPWMMA_CYCLES, MORE, SPARSE),
    # One CTA: with several, later writes meet less of each other's.
    "tensor_core.spwmma.latency_cycles": (200, CYCLES, MORE,
                                          {**SPARSE, "workload.gemm.m": 64, "workload.gemm.n": 64}),
    "tensor_core.spwmma.swap_cycles": (80, SPWMMA_CYCLES, MORE, SPARSE),
    "tensor_core.accumulation_buffer.banks": (32, SPWMMA_CYCLES, MORE, SPARSE),
    "tensor_core.accumulation_buffer.map": ("linear", SPWMMA_CYCLES, OTHER, COLLECTOR),
    "tensor_core.accumulation_buffer.collector": ("slots", SPWMMA_CYCLES, OTHER,
                                                  {**COLLECTOR, "tensor_core.accumulation_buffer.depth_entries": 2}),
    "tensor_core.accumulation_buffer.depth_entries": (1, SPWMMA_CYCLES, MORE, SPARSE),
    "tensor_core.accumulation_buffer.adder_latency_cycles": (8, SPWMMA_CYCLES, MORE, SPARSE),
    "ldst.arbitration": ("round_robin", CYCLES, OTHER),
    "ldst.sectors_per_cycle": (1, CYCLES, MORE),
    "ldst.octet_l1_accesses": (2, statistic("sm", "ldst", "b_rows_requested"), MORE),
    "l1.ways": (1, L1_HITS, OTHER),
    "l1.line_bytes": (256, L1_HITS, OTHER),
    "l1.sector_bytes": (64, statistic("memory", "crossbar", "read_bytes"), OTHER, {}, {"l2.sector_bytes": 64}),
    "l1.allocation": ("on_fill", L1_HITS, OTHER),
    "l1.replacement": ("fifo", L1_HITS, OTHER),
    "l1.stores": ("allocate", statistic("sm", "l1", "evictions"), MORE),
    "l1.set_hash": ("xor", L1_HITS, OTHER),
    "l1.banks": (1, CYCLES, MORE),
    "l1.bank_interleave_bytes": (128, CYCLES, OTHER),
    "l1.bank_hash": ("none", CYCLES, OTHER),
    "l1.hit_latency_cycles": (2800, CYCLES, MORE),
    "l1.miss_latency_cycles": (1200, CYCLES, MORE),
    "l1.mshr_entries": (4, statistic("sm", "l1", "mshr_stall_cycles"), MORE),
    "l1.mshr_targets": (1, statistic("sm", "l1", "target_stall_cycles"), MORE),
    "tlb.entries": (1, TLB_MISSES, MORE, {"tlb.entries": 4, "tlb.page_kib": 4}),
    "tlb.page_kib": (4, TLB_MISSES, MORE, {"tlb.entries": 4}),
    "tlb.miss_latency_cycles": (2000, TLB_STALLS, MORE, {"tlb.entries": 4, "tlb.page_kib": 4}),
    "l1.returns_per_cycle": (1, CYCLES, MORE, ALONE),
    "noc.latency_cycles": (1400, CYCLES, MORE),
    "noc.request_bytes_per_cycle": (4, CYCLES, MORE),
    "noc.response_bytes_per_cycle": (4, CYCLES, MORE),
    "noc.slice_bytes_per_cycle": (1, CYCLES, MORE),
    "l2.slices": (8, L2_HITS, MORE),
    "l2.sets_per_slice": (16, L2_HITS, MORE),
    "l2.ways": (16, L2_HITS, MORE),
    "l2.line_bytes": (64, L2_HITS, OTHER),
    "l2.sector_bytes": (64, statistic("memory", "dram", "bytes_read"), OTHER, {}, {"l1.sector_bytes": 64}),
    "l2.replacement": ("random", L2_HITS, OTHER),
    "l2.set_hash": ("none", L2_HITS, OTHER),
    "l2.slice_hash": ("none", L2_HITS, OTHER),
    "l2.slice_interleave_bytes": (1024, CYCLES, OTHER),
    "l2.hit_latency_cycles": (8000, CYCLES, MORE),
    "l2.mshr_entries": (1, statistic("memory", "l2", "mshr_stall_cycles"), MORE),
    "dram.channels": (4, CYCLES, LESS),
    "dram.clock_mhz": (200, CYCLES, MORE),
    "dram.bytes_per_clock": (1, CYCLES, MORE),
    "dram.banks": (1, ROW_HITS, LESS),
    "dram.row_bytes": (256, ROW_HITS, LESS),
    "dram.controller_latency_cycles": (9000, CYCLES, MORE),
    "dram.t_rcd_cycles": (1200, CYCLES, MORE),
    "dram.t_rp_cycles": (1200, CYCLES, MORE),
    "dram.t_cl_cycles": (1200, CYCLES, MORE),
    "dram.t_ras_cycles": (2800, CYCLES, MORE),
    "dram.t_ccd_cycles": (32, CYCLES, MORE),
    "dram.queue_entries": (1, ROW_HITS, LESS),
    "dram.row_hit_cap": (1, CYCLES, OTHER, AT),
    "l1.request_queue_entries": (1, CYCLES, OTHER),
    "l1.miss_queue_entries": (1, CYCLES, MORE),
    "l1.sectors_per_request": (1, statistic("memory", "crossbar", "read_requests"), MORE),
    "noc.queueing": ("fifo", CYCLES, OTHER, {"noc.slice_bytes_per_cycle": 4}),
    "noc.arbitration": ("oldest_first", CYCLES, OTHER, {**AT, "gpu.sms": 4, "noc.slice_bytes_per_cycle": 4}),
    "noc.request_queue_entries": (1, CYCLES, MORE),
    "noc.response_queue_entries": (1, CYCLES, MORE, AT),
    "noc.kind": ("mesh", CYCLES, OTHER),
    "noc.mesh.width": (8, CYCLES, MORE, MESH),
    "noc.mesh.height": (4, CYCLES, MORE, MESH),
    "noc.mesh.router_stages": (8, CYCLES, MORE, MESH),
    "noc.mesh.link_cycles": (8, CYCLES, MORE, MESH),
    "noc.mesh.flit_bytes": (4, statistic("memory", "mesh", "flits_in"), MORE, MESH),
    "noc.mesh.buffer_flits": (1, CYCLES, MORE, MESH),
    # In two channels requests to one controller do not wait behind those to the other.
    "noc.mesh.virtual_channels": (8, CYCLES, OTHER, {**MESH, "noc.mesh.buffer_flits": 1}),
    "noc.mesh.ejection_packets": (1, CYCLES, OTHER, {**AT, **MESH, "l2.request_queue_entries": 1}),
    "noc.mesh.controllers": ("diagonal", CYCLES, OTHER, MESH),
    "l2.atomic_words_per_cycle": (1, CYCLES, MORE, {**trace("fmt"), "l2.atomic_words_per_cycle": 1024}),
    "l2.request_queue_entries": (1, CYCLES, OTHER, {"l2.mshr_entries": 1}),
    "l2.response_queue_entries": (1, CYCLES, MORE, AT),
    "l2.miss_queue_entries": (8, CYCLES, OTHER, {**AT, "dram.queue_entries": 1}),
    "dram.bank_groups": (4, CYCLES, MORE, {"dram.t_ccd_l_cycles": 64}),
    "dram.t_ccd_l_cycles": (64, CYCLES, MORE, {"dram.bank_groups": 4}),
    "dram.t_rrd_cycles": (200, CYCLES, MORE),
    "dram.t_faw_cycles": (800, CYCLES, MORE),
    "dram.t_wtr_cycles": (1000, TURNAROUNDS, MORE),
    "dram.t_cwl_cycles": (9000, CYCLES, OTHER, {"dram.t_wtr_cycles": 6}),
    "dram.t_wr_cycles": (9000, CYCLES, MORE, {"dram.t_wtr_cycles": 6}),
    "dram.write_drain_high": (3, TURNAROUNDS, MORE, {"dram.t_wtr_cycles": 6, "dram.write_drain_low": 1}),
    "dram.write_drain_low": (55, TURNAROUNDS, MORE, {"dram.t_wtr_cycles": 6}),
    "dram.t_refi_cycles": (500, CYCLES, MORE),
    "dram.t_rfc_cycles": (3000, CYCLES, MORE, {"dram.t_refi_cycles": 4000}),
    "dram.efficiency_percent": (10, CYCLES, MORE),
    "duplo.enabled": ("off", statistic("sm", "ldst", "a_rows_requested"), MORE),
    "duplo.id_formula": ("paper", HIT_RATE, OTHER),
    "duplo.granularity": ("half_tile8", result("metrics", "loads_of_a"), LESS),
    "duplo.octet_copies": (1, result("metrics", "loads_of_a"), LESS),
    "duplo.lifetime": ("forever", HIT_RATE, MORE),
    "duplo.release": ("commit", HIT_RATE, OTHER),
    "duplo.spare_units": (512, HIT_RATE, MORE, FORGETFUL),
    "duplo.keep": ("duplicates", HIT_RATE, OTHER, SMALL_BUFFER),
    "duplo.scope": ("lane", HIT_RATE, LESS),
    "duplo.in_flight_hits": ("off", HIT_RATE, LESS),
    "duplo.hit_frees_slot": ("on", statistic("sm", "ldst", "busy_cycles"), LESS),
    "duplo.zero_rule": ("on", result("metrics", "hits_zero_percent"), MORE),
    "duplo.latency_cycles": (2000, CYCLES, MORE),
    "duplo.lookups_per_cycle": (1, statistic("sm", "ldst", "lookup_stall_cycles"), MORE),
    "duplo.pipe": ("built", CYCLES, OTHER, {"duplo.lookups_per_cycle": 1}),
    "duplo.wake_cycles": (5000, result("metrics", "bypass_percent"), MORE),
    "duplo.lhb.entries": (64, HIT_RATE, LESS),
    "duplo.lhb.ways": (4, HIT_RATE, OTHER, SMALL_BUFFER),
    "duplo.lhb.shift_bits": (0, HIT_RATE, LESS, SMALL_BUFFER),
    "duplo.lhb.fold": ("on", HIT_RATE, OTHER, SMALL_BUFFER),
    "opportunistic.scheme": ("intra", statistic("sm", "opportunistic", "operations_predicted"), MORE, DIRECT),
    "opportunistic.pt_entries": (2, statistic("sm", "opportunistic", "operations_predicted"), LESS, INTRA),
    "opportunistic.pt_granularity": ("scalar", PREDICTIONS, MORE, INTRA),
    "opportunistic.pt_policy": ("periodic", statistic("sm", "opportunistic", "precompute_table", "eliminated"), MORE,
                                INTRA),
    "opportunistic.pt_period_cycles": (5000, statistic("sm", "opportunistic", "precompute_table", "eliminated"), LESS,
                                       {**INTRA, "opportunistic.pt_policy": "periodic"}),
    "opportunistic.pt_period_entries": (1, statistic("sm", "opportunistic", "precompute_table", "eliminated"), LESS,
                                        {**INTRA, "opportunistic.pt_policy": "periodic"}),
    "opportunistic.pt_lookup_cycles": (500, CYCLES, MORE, INTRA),
    "opportunistic.cluster_sms": (1, statistic("sm", "opportunistic", "assignments", "sent"), LESS, INTER),
    "opportunistic.at_entries": (1, statistic("opportunistic", "assign_table", "replaced"), MORE, INTER),
    "opportunistic.at_key": ("all", statistic("opportunistic", "assign_table", "lookups"), OTHER, INTER),
    "opportunistic.at_cost": ("messages", statistic("sm", "opportunistic", "assignments", "lookup_wait_cycles"), MORE,
                              INTER),
    "opportunistic.assign_when": ("waiting", statistic("opportunistic", "assign_table", "lookups"), MORE, INTER),
    "opportunistic.assign_predicts": ("on", statistic("sm", "opportunistic", "assistant_operations"), MORE,
                                      {**INTER, "workload.direct.yseg": 8}),
    "opportunistic.assign_queue_entries": (1, statistic("opportunistic", "assign_table", "no_credit"), MORE, INTER),
    "opportunistic.credits": ("off", statistic("sm", "opportunistic", "assignments", "refused"), MORE,
                              {**INTER, "opportunistic.assign_queue_entries": 1}),
    "opportunistic.preempt": ("run_to_completion", CYCLES, OTHER, INTRA),
    "opportunistic.assist_buffers": (1, CYCLES, OTHER, INTRA),
    "opportunistic.assist_overhead_instructions": (100, statistic("sm", "opportunistic", "assistant_operations"), LESS,
                                                   INTRA),
    "opportunistic.characterise": ("on", opportunistic_statistics, MORE, DIRECT),
    "opportunistic.fault": ("commit_and_execute", result("verification", "mismatches"), MORE,
                            {**DIRECT_VALUES, "opportunistic.scheme": "intra"}),
    "workload.direct.mapping": ("pixel", CTAS, OTHER, DIRECT),
    "workload.direct.loop_order": ("reduction_outer", statistic("sm", "l1", "read_misses"), OTHER, DIRECT),
    "workload.direct.atomics": ("output", statistic("sm", "sub_core", "stores"), LESS, DIRECT),
    "workload.direct.yseg": (2, CTAS, MORE, DIRECT),
    "workload.direct.cta_warps": (2, CTAS, LESS, DIRECT),
    "workload.direct.unroll": (3, CYCLES, LESS, DIRECT),
    "workload.direct.overhead_instructions": (40, CYCLES, MORE, DIRECT),
    "workload.direct.loop_instructions": (20, CYCLES, MORE, DIRECT),
    "workload.direct.image_alignment_bytes": (4096, CYCLES, OTHER, DIRECT),
    "workload.layer.groups": (2, result("metrics", "warp_instructions"), LESS, DIRECT),
    "impl.id_generator": ("both", statistic("sm", "ldst", "detection", "id_generator_rtl_cycles"), MORE),
    "impl.load_history_buffer": ("rtl", statistic("sm", "ldst", "detection", "lhb_rtl_cycles"), MORE),
    "impl.rename_table": ("both", statistic("sm", "ldst", "detection", "rename_rtl_cycles"), MORE),
    "impl.duplo_core": ("both", statistic("sm", "ldst", "detection", "core_rtl_cycles"), MORE, BUILT_PIPE),
    "impl.precompute_table": ("both", statistic("sm", "opportunistic", "precompute_table", "rtl_cycles"), MORE, INTRA),
    "impl.assign_table": ("both", statistic("opportunistic", "assign_table", "rtl_cycles"), MORE, INTER),
    "impl.feop_array": ("both", statistic("sm", "sub_core", "tensor", "rtl_cycles"), MORE, OUTER_PRODUCT),
    "impl.accumulation_buffer": ("rtl", statistic("sm", "sub_core", "tensor", "rtl_cycles"), MORE, OUTER_PRODUCT),
    "impl.spwmma_core": ("rtl", statistic("sm", "sub_core", "tensor", "rtl_cycles"), MORE, {**COLLECTOR, "values": "on"}),
    "impl.bitmap_unit": ("rtl", statistic("sm", "sub_core", "tensor", "rtl_cycles"), MORE, {**COLLECTOR, "values": "on"}),
    "impl.fault": ("feop_array:invert:200", result("verification", "mismatches"), MORE,
                   {**OUTER_PRODUCT, "impl.feop_array": "rtl"}),
    "workload.kind": ("gemm", result("workload"), OTHER, {k: v for k, v in PRODUCT.items() if "gemm" in k}),
    "workload.layer.name": ("other", result("workload"), OTHER),
    "workload.layer.batch": (3, MMAS, MORE),
    "workload.layer.height": (20, MMAS, MORE),
    "workload.layer.width": (20, MMAS, MORE),
    "workload.layer.channels": (48, MMAS, MORE),
    "workload.layer.filters": (96, MMAS, MORE),
    "workload.layer.filter_height": (4, MMAS, MORE, {"workload.layer.pad": 2}),
    "workload.layer.filter_width": (4, MMAS, MORE, {"workload.layer.pad": 2}),
    "workload.layer.pad": (0, MMAS, LESS),
    "workload.layer.stride": (2, MMAS, LESS),
    "workload.layer.transposed": ("on", MMAS, MORE, {"workload.layer.stride": 2}),
    "workload.layer.pad_height": (0, MMAS, LESS, LIBRARY_LAYER),
    "workload.layer.pad_width": (0, MMAS, LESS, LIBRARY_LAYER),
    "workload.layer.stride_height": (2, MMAS, LESS, LIBRARY_LAYER),
    "workload.layer.stride_width": (2, MMAS, LESS, LIBRARY_LAYER),
    "workload.layer.operands": ("int8", MMAS, LESS, INTEGER_LAYER),
    "workload.layer.dilation": (2, MMAS, LESS, LIBRARY_LAYER),
    "workload.pass": ("backward_weight", CTAS, OTHER, LIBRARY_LAYER),
    "workload.sum_order": ("taps_inner", CYCLES, OTHER, {**LIBRARY_LAYER, "workload.layer.channels": 96}),
    "workload.sparse.method": ("single", OHMMAS, MORE, SPARSE),
    "workload.sparse.k_step": (64, CYCLES, OTHER, SPARSE),
    "workload.sparse.read_c": ("on", statistic("sm", "ldst", "request_bytes"), MORE, SPARSE),
    "workload.sparse.nonfinite": ("explicit", ADDITIONS, MORE,
                                  {**SPARSE, "workload.gemm.m": 5, "workload.gemm.k": 7,
                                   "workload.sparse.a.file": NONFINITE}),
    "workload.sparse.file_values": ("ones", ADDITIONS, LESS,
                                    {**SPARSE, "workload.gemm.m": 5, "workload.gemm.k": 7,
                                     "workload.sparse.nonfinite": "explicit", "workload.sparse.a.file": NONFINITE}),
    "workload.sparse.lowering": ("implicit", kernels, LESS, SPARSE_LAYER),
    "workload.sparse.a_fragments": ("on", CYCLES, OTHER, {**SPARSE_LAYER, "workload.sparse.method": "single"}),
    "workload.sparse.skip_unmet_tiles": ("on", statistic("sm", "ldst", "request_bytes"), LESS,
                                         {**SPARSE, "workload.sparse.b.sparsity": 0.9999}),
    "workload.sparse.a.sparsity": (0.9, OHMMAS, LESS, SPARSE),
    "workload.sparse.a.pattern": ("clustered", OHMMAS, OTHER, SPARSE),
    "workload.sparse.a.concentration": (0.2, OHMMAS, OTHER, {**SPARSE, "workload.sparse.a.pattern": "clustered"}),
    "workload.sparse.a.file": (MATRIX, ADDITIONS, OTHER, {**SPARSE, "workload.gemm.m": 5, "workload.gemm.k": 7}),
    "workload.sparse.b.sparsity": (0.9, OHMMAS, LESS, SPARSE),
    "workload.sparse.b.pattern": ("clustered", OHMMAS, OTHER, SPARSE),
    "workload.sparse.b.concentration": (0.2, OHMMAS, OTHER, {**SPARSE, "workload.sparse.b.pattern": "clustered"}),
    "workload.sparse.b.file": (MATRIX, ADDITIONS, OTHER, {**SPARSE, "workload.gemm.k": 5, "workload.gemm.n": 7}),
    "workload.gemm.m": (256, MMAS, MORE, PRODUCT),
    "workload.gemm.n": (128, MMAS, MORE, PRODUCT),
    "workload.gemm.k": (128, MMAS, MORE, PRODUCT),
    "workload.gemm.transpose_a": ("n", statistic("sm", "ldst", "requests"), OTHER, LIBRARY),
    "workload.gemm.transpose_b": ("t", statistic("sm", "ldst", "requests"), OTHER, LIBRARY),
    "workload.gemm.operands": ("int8", MMAS, LESS, INTEGERS),
    "workload.gemm.output": ("fp16", statistic("sm", "ldst", "request_bytes"), LESS, LIBRARY),
    "workload.gemm.read_c": ("on", statistic("sm", "ldst", "request_bytes"), MORE, LIBRARY),
    "workload.gemm.order": ("rows", CTAS, OTHER, {**LIBRARY, "workload.kernel": "128x64", "workload.gemm.m": 48, "workload.gemm.n": 300}),
    "workload.given.file": (LAYER, CTAS, OTHER, {**TENSOR, "workload.given.digest": LAYER_DIGEST}),
    "workload.given.digest": None,  # any other one is refused: given_layer_test
    "workload.kernel": ("64x64", CTAS, OTHER, {**PRODUCT, "duplo.enabled": "off"}),
    "workload.split_k": (2, kernels, MORE, {**LIBRARY, "workload.gemm.k": 128}),
    "workload.repeat": (2, L2_HITS, MORE, {**LIBRARY, "l2.slices": 48, "l2.sets_per_slice": 32, "l2.ways": 24}),
    "workload.tensor.operation": ("softmax", CTAS, OTHER, TENSOR),
    "workload.tensor.shape": ("16x56x64", CTAS, MORE, TENSOR),
    "workload.tensor.other": ("64", statistic("sm", "l1", "read_misses"), LESS, {**TENSOR, "workload.tensor.operation": "add"}),
    "workload.tensor.type": ("fp32", CTAS, MORE, TENSOR),
    "workload.tensor.axis": (0, CTAS, OTHER, {**TENSOR, "workload.tensor.operation": "reduce_sum"}),
    "workload.tensor.window": (5, statistic("sm", "sub_core", "loads"), MORE, POOL),
    "workload.tensor.stride": (1, CTAS, MORE, POOL),
    "workload.tensor.pad": (1, CYCLES, OTHER, POOL),
    "workload.attention.operation": ("rotary", MMAS, LESS, ATTENTION),
    "workload.attention.kernel": ("flash_attention_2", MMAS, MORE, WARPGROUP_ATTENTION),
    "workload.attention.batch": (2, CTAS, MORE, ATTENTION),
    "workload.attention.tokens": (300, CTAS, MORE, ATTENTION),
    "workload.attention.context": (128, MMAS, MORE, ATTENTION),
    "workload.attention.heads": (4, CTAS, MORE, ATTENTION),
    "workload.attention.kv_heads": (1, CYCLES, OTHER, ATTENTION),
    "workload.attention.head_size": (128, MMAS, OTHER, ATTENTION),
    "workload.attention.causal": ("off", MMAS, MORE, ATTENTION),
    "workload.attention.operands": ("bf16", CYCLES, MORE, {**ATTENTION, "gpu.energy_table": "none", "sm.tensor_rates.hmma_16816_bf16.products_per_cycle": 64}),
    "workload.attention.mask": ("keys", statistic("sm", "sub_core", "loads"), MORE, ATTENTION),
    "workload.attention.layout": ("heads", CYCLES, OTHER, ATTENTION),
    "workload.attention.page_tokens": (16, statistic("sm", "sub_core", "loads"), MORE, {**DECODE, "workload.attention.splits": 1}),
    "workload.attention.splits": (1, kernels, LESS, DECODE),
    "workload.trace": (trace("tiny")["workload.trace"], result("workload"), OTHER, trace("operations")),
    "workload.tiling.cta_m": (128, CTAS, LESS),
    "workload.tiling.cta_n": (64, CTAS, LESS),
    "workload.tiling.warp_m": (16, statistic("sm", "sub_core", "loads"), MORE),
    "workload.tiling.warp_n": (32, statistic("sm", "sub_core", "loads"), LESS),
    "workload.tiling.fragment_buffers": (3, RESIDENT, LESS),
    "workload.tiling.raster": ("m_fastest", CYCLES, OTHER),
    "workload.tiling.warp_map": ("n_neighbours_together", CYCLES, OTHER),
    "workload.tiling.c_traffic": ("off", statistic("sm", "sub_core", "stores"), LESS),
    "workload.tiling.ctas_per_sm": (1, RESIDENT, LESS),
    "workload.tiling.overhead_registers": (120, RESIDENT, LESS),
    "workload.tiling.loop_overhead_instructions": (50, result("metrics", "warp_instructions"), MORE),
    "workload.tiling.cta_limit": (3, CTAS, LESS),
    "workload.multistage": ("64x64_32x10", CYCLES, OTHER, {**MULTISTAGE, "workload.multistage": "64x64_64x5"}),
    "workload.wgmma": ("64x64x64_6", CYCLES, OTHER, {**WGMMA, "workload.wgmma": "128x64x64_4"}),
    # Four tiles that all need the same 64 columns.
    "workload.multicast": ("off", CYCLES, MORE, {**WGMMA, "workload.gemm.m": 256, "workload.gemm.n": 64, "workload.gemm.k": 512,
                                                 "workload.wgmma": "64x64x64_6", "workload.split_k": 1, "noc.slice_bytes_per_cycle": 1}),
    "workload.structured_sparsity": ("2of4", result("metrics", "mmas"), LESS, STRUCTURED),
    "workload.channel_rule": ("pad8_filter_row", MMAS, LESS, {"workload.layer.channels": 3}),
    "workload.im2col": ("functional", kernels, LESS),
    "workload.activations": ("relu", result("verification", "first_mismatch"), OTHER, WRONG),
    "workload.weights": ("relu", result("verification", "first_mismatch"), OTHER, WRONG),
    "sample.enabled": ("on", CYCLES, OTHER, WAVES),
    "sample.error_percent": (0.01, SAMPLED_CTAS, MORE, SAMPLED),
    "sample.warm_waves": (6, SAMPLED_CTAS, MORE, SAMPLED),
    "statistics.full_detail": ("on", instances, OTHER),
    "host.threads": (2, host_threads, MORE),
    "logging.level": ("error", stderr, OTHER, OVERCOMMITTED),
    "logging.modules": ("error", stderr, OTHER, OVERCOMMITTED),
}
PARAMETERS.update((f"sm.operations.{kind}.{key}", (100, CYCLES, MORE, trace("operations")))
             for kind in OPERATIONS for key in ("latency_cycles", "initiation_cycles"))
PARAMETERS.update((f"sm.tensor_rates.{shape}.{key}", (value, CYCLES, MORE, RATED))
             for shape in SHAPES for key, value in (("products_per_cycle", 64), ("latency_cycles", 200)))
PARAMETERS.update((f"sm.tensor_rates.hgmma_16.{key}", (value, CYCLES, MORE, WGMMA))
                  for key, value in (("products_per_cycle", 64), ("latency_cycles", 1000)))
PARAMETERS.update((f"sm.tensor_rates.{shape}.{key}",
                   (value, CYCLES, MORE, {**WARPGROUP_TYPE, f"sm.tensor_rates.{shape}.products_per_cycle": 1024}))
                  for shape in ("hgmma_16_bf16", "qgmma_32") for key, value in (("products_per_cycle", 64), ("latency_cycles", 1000)))
# Further values, where one more way through the model hangs on them: rows as above.
FURTHER = [
    # The kernels' own products too.
    ("sm.operations.hmma_f32.latency_cycles", (160, CYCLES, MORE)),
    ("sm.operations.hmma_f32.initiation_cycles", (16, CYCLES, MORE)),
    ("sm.tensor_rates.hmma_16816.products_per_cycle", (64, CYCLES, MORE, MULTISTAGE)),
    ("sm.barrier_latency_cycles", (5000, CYCLES, MORE, WGMMA)),
    ("sm.tensor_rates.hmma_1688.products_per_cycle", (64, CYCLES, MORE)),
    ("l1.bank_hash", ("xor_next", CYCLES, OTHER)),
    ("workload.kind", ("trace", result("workload"), OTHER, {}, trace("tiny"))),
    ("workload.kind", ("microbenchmarks", kernels, MORE)),
    ("workload.kind", ("sparse_convolution", kernels, MORE, SPARSE)),
    ("workload.kind", ("tensor", kernels, LESS, {"duplo.enabled": "off"})),
    ("workload.sparse.b.sparsity", (0.9, OHMMAS, LESS, SPARSE_LAYER)),
    ("workload.im2col", ("functional", kernels, LESS, SPARSE_LAYER)),
]
# Keys that cannot be changed yet, with the values they allow.
ONE_VALUE = {}
# A mapping is set by one of its names.
SPELLED = {"logging.modules": "logging.modules.gpu"}
