"""Small runs that parameters.py changes a key of: settings over the defaults, by what they make act."""

import os

# A padded layer on one SM in front of an L2 too small for it, Duplo on: some 20 ms.
BASE = {
    "gpu.sms": 1, "duplo.enabled": "on", "logging.level": "info",
    "l2.slices": 4, "l2.sets_per_slice": 4, "l2.ways": 4, "dram.channels": 2,
    "workload.layer.name": "base", "workload.layer.batch": 2, "workload.layer.height": 16,
    "workload.layer.width": 16, "workload.layer.channels": 32, "workload.layer.filters": 64,
    "workload.tiling.cta_m": 64, "workload.tiling.cta_n": 32, "workload.tiling.warp_m": 32,
    "workload.tiling.warp_n": 16,
}
PRODUCT = {"workload.kind": "gemm", "workload.gemm.m": 128, "workload.gemm.n": 64, "workload.gemm.k": 64}
# The product on a library's kernel.
LIBRARY = {**PRODUCT, "duplo.enabled": "off", "workload.kernel": "64x64"}
LIBRARY_LAYER = {"duplo.enabled": "off", "workload.kernel": "64x64"}
# Many waves, of which some run.
WAVES = {"workload.tiling.ctas_per_sm": 1, "workload.layer.batch": 8, "workload.im2col": "functional"}
SAMPLED = {**WAVES, "sample.enabled": "on"}
# One CTA, so that no other warp fills its waits.
ALONE = {"workload.tiling.cta_limit": 1}
# Few registers and long between a row's uses.
FORGETFUL = {"duplo.lifetime": "until_reused", "workload.tiling.fragment_buffers": 1,
             "workload.tiling.ctas_per_sm": 1, "workload.layer.channels": 128}
# The detection unit's pipe as its RTL is built.
BUILT_PIPE = {"duplo.pipe": "built", "duplo.lookups_per_cycle": 1, "duplo.latency_cycles": 20}
# Wrong data on purpose: the first wrong value depends on the values.
WRONG = {"values": "on", "duplo.id_formula": "paper", "workload.layer.stride": 2}
# One warp that executes every kind of SASS instruction, four in a chain and four on their own.
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TRACES = os.path.join(ROOT, "tests", "golden", "traces")
LAYER = os.path.join(ROOT, "tests", "golden", "layers", "relu.tensors")
LAYER_DIGEST = "a82c9fbddc30dbc7"
MATRIX = os.path.join(ROOT, "tests", "golden", "matrices", "small.mtx")
NONFINITE = os.path.join(ROOT, "tests", "golden", "matrices", "nonfinite.mtx")


def trace(name):
    return {"workload.kind": "trace", "workload.trace": os.path.join(TRACES, name, "kernelslist.g")}


OPERATIONS = ("integer", "fp32", "half", "fp64", "special_function", "hmma_f32", "hmma_f16", "branch", "move")
SHAPES = ("hmma_884", "hmma_884_f16", "hmma_1688", "hmma_1688_f16", "hmma_16816", "hmma_16816_f16", "hmma_1688_bf16",
          "hmma_16816_bf16", "hmma_1684_tf32", "hmma_1688_tf32", "imma_8816", "imma_16816", "imma_16832",
          "hmma_sp_16832", "imma_sp_16864")
# One warp that executes every shape, each with a rate.
RATED = {**trace("tensor_shapes"), **{f"sm.tensor_rates.{shape}.products_per_cycle": 1024 for shape in SHAPES}}
# A product with asynchronous copies.
MULTISTAGE = {**LIBRARY, "workload.kernel": "multistage", "sm.tensor_rates.hmma_16816.products_per_cycle": 1024}
STRUCTURED = {**MULTISTAGE, "workload.gemm.m": 64, "workload.gemm.n": 64, "workload.gemm.k": 64,
              "sm.tensor_rates.hmma_sp_16832.products_per_cycle": 2048}
INTEGERS = {**MULTISTAGE, "workload.gemm.k": 256, "gpu.energy_table": "none",
            "sm.tensor_rates.imma_16832.products_per_cycle": 2048}
INTEGER_LAYER = {**LIBRARY_LAYER, "workload.kernel": "multistage", "workload.layer.channels": 64, "gpu.energy_table": "none",
                 "sm.tensor_rates.hmma_16816.products_per_cycle": 1024, "sm.tensor_rates.imma_16832.products_per_cycle": 2048}
# A product of warpgroups.
WGMMA = {**LIBRARY, "workload.kernel": "wgmma", "workload.gemm.read_c": "off", "sm.unified_l1_kib": 256, "sm.shared_memory_kib": 228,
         "sm.tensor_rates.hgmma_16.products_per_cycle": 2048, "sm.bulk_copy_latency_cycles": 24}
# Microbenchmarks of warpgroups' products in another type, whose kernel is the last.
WARPGROUP_TYPE = {"workload.kind": "microbenchmarks", "duplo.enabled": "off", "gpu.sms": 1, "sm.tensor_rates.hmma_884.products_per_cycle": 0,
                  "sm.tensor_rates.hmma_16816.products_per_cycle": 1024, "sm.unified_l1_kib": 256, "sm.shared_memory_kib": 228}
OVERCOMMITTED = {"workload.tiling.ctas_per_sm": 8}
AT = {"timing": "at"}
# Small: every product goes through RTL.
OUTER_PRODUCT = {**PRODUCT, "values": "on", "tensor_core.kind": "outer_product"}
# Two halves of the elements are zeros, on one SM.
SPARSE = {"workload.kind": "sparse_gemm", "duplo.enabled": "off", "tensor_core.kind": "outer_product",
          "workload.gemm.m": 128, "workload.gemm.n": 128, "workload.gemm.k": 256,
      "workload.sparse.a.sparsity": 0.5, "workload.sparse.b.sparsity": 0.5,
          "workload.tiling.cta_m": 64, "workload.tiling.cta_n": 64, "workload.tiling.warp_m": 32,
          "workload.tiling.warp_n": 32}
TENSOR = {"workload.kind": "tensor", "duplo.enabled": "off", "workload.tensor.shape": "8x56x64"}
POOL = {**TENSOR, "workload.tensor.operation": "max_pool", "workload.tensor.shape": "2x16x20x28"}
# A prompt, and sequences that decode.
ATTENTION = {"workload.kind": "attention", "duplo.enabled": "off", "workload.attention.heads": 2, "workload.attention.kv_heads": 2,
             "workload.attention.tokens": 200, "workload.attention.head_size": 64, "sm.tensor_rates.hmma_16816.products_per_cycle": 1024}
WARPGROUP_ATTENTION = {**ATTENTION, "sm.unified_l1_kib": 256, "sm.shared_memory_kib": 228, "sm.tensor_rates.hgmma_16.products_per_cycle": 2048,
                       "sm.bulk_copy_latency_cycles": 24}
DECODE = {**{key: value for key, value in ATTENTION.items() if not key.endswith(".tokens")}, "workload.attention.operation": "decode",
          "workload.attention.kv_heads": 1, "workload.attention.context": 600}
SPARSE_LAYER = {**SPARSE, "workload.kind": "sparse_convolution"}
COLLECTOR = {**SPARSE, "tensor_core.spwmma.accumulation": "collector"}
SMALL_BUFFER = {"duplo.lhb.entries": 64}
# An SM and two controllers in the corners of a square.
MESH = {"noc.kind": "mesh", "noc.mesh.width": 2, "noc.mesh.height": 2}


# A register file that can be too slow for the tensor cores.
PORTS = {"sm.register_file.banks": 2}


# A layer computed directly on a cluster of small SMs, whose L1 caches cannot hold it.
DIRECT = {"duplo.enabled": "off", "workload.kind": "direct_convolution", "gpu.sms": 2, "workload.layer.channels": 4,
          "workload.layer.filters": 4, "sm.shared_memory_kib": 126, "l1.line_bytes": 64, "sm.max_warps": 4,
          "gpu.quantum_cycles": 1, "opportunistic.cluster_sms": 2}
INTRA = {**DIRECT, "opportunistic.scheme": "intra"}
INTER = {**DIRECT, "opportunistic.scheme": "inter", "workload.layer.channels": 1, "workload.layer.filters": 1,
         "workload.direct.yseg": 1, "sm.sub_cores": 1}
DIRECT_VALUES = {**DIRECT, "values": "on", "workload.activations": "dyadic", "workload.weights": "dyadic"}
