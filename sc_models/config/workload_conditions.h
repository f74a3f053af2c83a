// Conditions under which keys of workloads act, for their declarations.
#pragma once

#include "sc_models/config/key_conditions.h"

namespace tessera::acts {

inline constexpr KeyCondition kValues = {"values on",
                                         [](const Config& c) { return bool{c.values}; }};

/// Convolutions of workload.layer.
inline constexpr KeyCondition kLayer = {
    "the kinds of workload that are convolutions", [](const Config& c) {
        const WorkloadKind kind = c.workload.kind;
        return is_dense_convolution(kind) || has_vector_operations(kind) ||
               kind == WorkloadKind::kSparseConvolution;
    }};
/// Dense convolutions of any kernel but fragments.
inline constexpr KeyCondition kLibraryLayer = {
    "workload.kind convolution and a workload.kernel other than fragments", [](const Config& c) {
        return is_dense_convolution(c.workload.kind) &&
               c.workload.kernel != ProductKernel::kFragments;
    }};
/// Products and convolutions through shared memory and tensor cores, as libraries have them.
inline constexpr KeyCondition kStagedProduct = {
    "workload.kind gemm or convolution and a workload.kernel other than fragments, simt, "
    "winograd and fft",
    [](const Config& c) {
        const WorkloadKind kind = c.workload.kind;
        const ProductKernel kernel = c.workload.kernel;
        return (is_dense_convolution(kind) || kind == WorkloadKind::kGemm) &&
               kernel != ProductKernel::kFragments && !is_fp32(kernel);
    }};
inline constexpr KeyCondition kProduct = {"workload.kind gemm or sparse_gemm", [](const Config& c) {
                                              const WorkloadKind kind = c.workload.kind;
                                              return kind == WorkloadKind::kGemm ||
                                                     kind == WorkloadKind::kSparseGemm;
                                          }};
/// Warps that load fragments from global memory.
inline constexpr KeyCondition kFragments = {
    "workload.kind gemm or convolution and workload.kernel fragments", [](const Config& c) {
        const WorkloadKind kind = c.workload.kind;
        return (is_dense_convolution(kind) || kind == WorkloadKind::kGemm) &&
               c.workload.kernel == ProductKernel::kFragments;
    }};
/// Sparse products with tiles in tensor cores: all but those in CSR.
inline constexpr KeyCondition kSparseTiles = {
    "workload.kind sparse_gemm or sparse_convolution and a workload.kernel other than simt",
    [](const Config& c) {
        const WorkloadKind kind = c.workload.kind;
        return has_sparse_product(kind) &&
               (kind != WorkloadKind::kSparseGemm || c.workload.kernel != ProductKernel::kSimt);
    }};
inline constexpr KeyCondition kDirect = {"workload.kind direct_convolution", [](const Config& c) {
                                             return has_vector_operations(c.workload.kind);
                                         }};
/// Operands that the program generates.
inline constexpr KeyCondition kGenerated = {
    "workload.given.file unset", [](const Config& c) { return c.workload.given.file.empty(); }};

inline constexpr KeyCondition kNamed = {
    "workload.kind tensor, attention and the kinds that are convolutions", [](const Config& c) {
        return kLayer.holds(c) || c.workload.kind == WorkloadKind::kTensor ||
               c.workload.kind == WorkloadKind::kAttention;
    }};
inline constexpr KeyCondition kPadOfAxis = {
    "workload.kind convolution and a workload.kernel other than fragments, or direct_convolution",
    [](const Config& c) { return kLibraryLayer.holds(c) || kDirect.holds(c); }};
inline constexpr KeyCondition kCommonPad = {
    "workload.layer.pad_height or pad_width at same", [](const Config& c) {
        const LayerConfig& layer = c.workload.layer;
        return layer.pad_height == LayerConfig::kSame || layer.pad_width == LayerConfig::kSame ||
               !kPadOfAxis.holds(c);
    }};
inline constexpr KeyCondition kCommonStride = {
    "workload.layer.stride_height or stride_width at same", [](const Config& c) {
        const LayerConfig& layer = c.workload.layer;
        return layer.stride_height == LayerConfig::kSame ||
               layer.stride_width == LayerConfig::kSame || !kLibraryLayer.holds(c);
    }};
inline constexpr KeyCondition kKernel = {
    "workload.kind gemm or convolution", [](const Config& c) {
        const WorkloadConfig& w = c.workload;
        return is_dense_convolution(w.kind) || w.kind == WorkloadKind::kGemm ||
               (w.kind == WorkloadKind::kSparseGemm && w.kernel == ProductKernel::kSimt);
    }};
inline constexpr KeyCondition kMultistage = {
    "workload.kind gemm or convolution and workload.kernel multistage", [](const Config& c) {
        const WorkloadConfig& w = c.workload;
        return (w.kind == WorkloadKind::kGemm || is_dense_convolution(w.kind)) &&
               w.kernel == ProductKernel::kMultistage;
    }};
inline constexpr KeyCondition kMultistageLayer = {
    "workload.kind convolution and workload.kernel multistage", [](const Config& c) {
        return is_dense_convolution(c.workload.kind) &&
               c.workload.kernel == ProductKernel::kMultistage;
    }};
inline constexpr KeyCondition kWgmma = {
    "workload.kind gemm and workload.kernel wgmma", [](const Config& c) {
        return c.workload.kind == WorkloadKind::kGemm && c.workload.kernel == ProductKernel::kWgmma;
    }};
inline constexpr KeyCondition kPass = {
    "workload.kind convolution and direct_convolution",
    [](const Config& c) { return is_dense_convolution(c.workload.kind) || kDirect.holds(c); }};
inline constexpr KeyCondition kStagedGemm = {
    "workload.kind gemm and a workload.kernel other than fragments and simt", [](const Config& c) {
        return c.workload.kind == WorkloadKind::kGemm && kStagedProduct.holds(c);
    }};
inline constexpr KeyCondition kFloatGemm = {
    "workload.kind gemm, a workload.kernel other than fragments and simt, and "
    "workload.gemm.operands other than int8 and uint8",
    [](const Config& c) { return kStagedGemm.holds(c) && !c.workload.multiplies_integers(); }};
inline constexpr KeyCondition kSumOrder = {
    "workload.kind convolution, a workload.kernel other than fragments, simt, winograd and fft, "
    "and "
    "workload.pass forward or backward_data",
    [](const Config& c) {
        return kLibraryLayer.holds(c) && kStagedProduct.holds(c) &&
               c.workload.pass != LayerPass::kBackwardWeight;
    }};
inline constexpr KeyCondition kTrace = {
    "workload.kind trace", [](const Config& c) { return c.workload.kind == WorkloadKind::kTrace; }};
inline constexpr KeyCondition kSparse = {
    "workload.kind sparse_gemm or sparse_convolution",
    [](const Config& c) { return has_sparse_product(c.workload.kind); }};
inline constexpr KeyCondition kSparseLayer = {
    "workload.kind sparse_convolution", [](const Config& c) {
        return c.workload.kind == WorkloadKind::kSparseConvolution ||
               c.workload.kind == WorkloadKind::kComposition;
    }};
inline constexpr KeyCondition kSparseProduct = {
    "workload.kind sparse_gemm and a workload.kernel other than simt", [](const Config& c) {
        return c.workload.kind == WorkloadKind::kSparseGemm && kSparseTiles.holds(c);
    }};
inline constexpr KeyCondition kSparseFile = {
    "workload.kind sparse_gemm and a workload.sparse.a.file or b.file", [](const Config& c) {
        const SparseConfig& sparse = c.workload.sparse;
        return c.workload.kind == WorkloadKind::kSparseGemm &&
               !(sparse.a.file.empty() && sparse.b.file.empty());
    }};
inline constexpr KeyCondition kStagedTiles = {
    "SpWMMAs (workload.sparse.method single or dual) whose A is staged in tiles, which lowering "
    "implicit has with method dual, and a_fragments never",
    [](const Config& c) {
        const SparseConfig& sparse = c.workload.sparse;
        const bool gathers = kSparseLayer.holds(c) && sparse.lowering == Lowering::kImplicit;
        return c.workload.uses_spwmma() && !sparse.a_fragments &&
               !(gathers && sparse.method == ProductMethod::kSingle);
    }};
inline constexpr KeyCondition kTiled = {
    "kernels that load fragments (workload.kernel fragments) and sparse products",
    [](const Config& c) { return kFragments.holds(c) || kSparseTiles.holds(c); }};
inline constexpr KeyCondition kRaster = {
    "kernels of products on tensor cores",
    [](const Config& c) { return kTiled.holds(c) || kStagedProduct.holds(c); }};
inline constexpr KeyCondition kOperator = {"workload.kind tensor", [](const Config& c) {
                                               return c.workload.kind == WorkloadKind::kTensor;
                                           }};
inline constexpr KeyCondition kAttention = {"workload.kind attention", [](const Config& c) {
                                                return c.workload.kind == WorkloadKind::kAttention;
                                            }};
inline constexpr KeyCondition kPrefill = {
    "workload.attention.operation prefill",
    [](const Config& c) { return c.workload.attention.operation == AttentionOperation::kPrefill; }};
/// Whether a prefill runs as FlashAttention-3.
[[nodiscard]] inline bool is_flash_attention_3(const Config& c) {
    const MmaShape product = warpgroup_shape_of(c.workload.attention.operands);
    const bool possible =
        c.sm.tensor_rates[product].is_number() && c.sm.bulk_copy_latency_cycles > 0;
    return c.workload.kind == WorkloadKind::kAttention &&
           c.workload.attention.is_by_warpgroups(possible);
}
inline constexpr KeyCondition kMulticast = {
    "workload.kernel wgmma, and workload.attention.kernel flash_attention_3 with heads of 128 and "
    "causal off",
    [](const Config& c) {
        return kWgmma.holds(c) || (is_flash_attention_3(c) && c.workload.attention.shares_keys());
    }};
inline constexpr KeyCondition kDecode = {
    "workload.attention.operation decode",
    [](const Config& c) { return c.workload.attention.operation == AttentionOperation::kDecode; }};
inline constexpr KeyCondition kOfTokens = {
    "workload.attention.operation prefill or rotary",
    [](const Config& c) { return c.workload.attention.operation != AttentionOperation::kDecode; }};
inline constexpr KeyCondition kGiven = {
    "workload.given.file set", [](const Config& c) { return !c.workload.given.file.empty(); }};
inline constexpr KeyCondition kLoweredFragments = {
    "workload.kind convolution and workload.kernel fragments",
    [](const Config& c) { return is_dense_convolution(c.workload.kind) && kFragments.holds(c); }};
inline constexpr KeyCondition kWorkspace = {
    "convolutions that are lowered explicitly", [](const Config& c) {
        return kLoweredFragments.holds(c) ||
               (kSparseLayer.holds(c) && c.workload.sparse.lowering == Lowering::kExplicit);
    }};
inline constexpr KeyCondition kPatterns = {
    "dense products, convolutions, operators and attention", [](const Config& c) {
        const WorkloadKind kind = c.workload.kind;
        return is_dense_convolution(kind) || has_vector_operations(kind) ||
               kind == WorkloadKind::kGemm || kind == WorkloadKind::kTensor ||
               kind == WorkloadKind::kAttention;
    }};

}  // namespace tessera::acts
