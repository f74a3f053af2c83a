// Kernels of dense matrix products of BLAS libraries, and the choice of one for a shape.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "sc_models/config/workload_config.h"
#include "sc_models/workload/staged/compressed_lines.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// A kernel of a family: the parts of D that a CTA and a warp compute. All have FP32 sums. Those of
/// dense_kernels() have steps of 32 k and two buffers in shared memory; tiles are those of Volta's
/// cuBLAS (volta_*_s884gemm_*) and, for narrow products, half of the smallest. Those of
/// multistage_kernels() copy asynchronously.
struct DenseKernel {
    ProductKernel kernel = ProductKernel::kAuto;
    std::string_view name;
    std::uint32_t cta_m = 0, cta_n = 0, warp_m = 0, warp_n = 0;

    static constexpr std::uint32_t kStep = 32;  ///< k of dense_kernels()
    std::uint32_t step = kStep;                 ///< k
    std::uint32_t stages = 2;                   ///< buffers of steps
    bool asynchronous = false;
    bool structured = false;  ///< A, in BLAS order, is 2:4 sparse and compressed (CompressedLines)

    [[nodiscard]] std::uint32_t warps() const { return cta_m / warp_m * (cta_n / warp_n); }
};
[[nodiscard]] const std::vector<DenseKernel>& dense_kernels();
/// Kernels with asynchronous copies: tiles, warps, steps and stages that CUTLASS 2 instantiates for
/// HMMA.16816 (tools/library/scripts/generator.py, GenerateSM80_TensorOp_16816), as far as shared
/// memory of 164 KiB holds them. cuBLAS 11 names its kernels alike
/// (ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn).
[[nodiscard]] const std::vector<DenseKernel>& multistage_kernels();
/// Kernels of multistage_kernels() with a 2:4 operand: those that CUTLASS 2 instantiates for
/// HMMA.SP.16832 (GenerateSM80_SparseTensorOp_16832). Its A is the compressed operand, as it is
/// cuSPARSELt's; PyTorch's semi-structured Linear passes the weights as A.
[[nodiscard]] const std::vector<DenseKernel>& structured_kernels();
/// Kernels of warpgroups' products (WgmmaKernel). Tiles of 64 to 256 lines of A and 64 to 256 of B,
/// in BLAS order, are those that CUTLASS 3 instantiates for Hopper
/// (tools/library/scripts/generator.py, GenerateSM90_TensorOp_16b_WGMMA_gemm), narrower ones those
/// of cuBLAS 13 (nvjet_sm90_hsh_64x16_64x16). Buffers fill the shared memory of an SM, or that of
/// two CTAs of it.
[[nodiscard]] const std::vector<DenseKernel>& wgmma_kernels();
/// Kernels that `config` may choose from.
[[nodiscard]] const std::vector<DenseKernel>& kernels_of(const WorkloadConfig& config);

/// Whether cuDNN 7 has such a kernel for convolutions of halves on Volta: names in profiles are
/// volta_s884cudnn_fp16_ and volta_fp16_s884cudnn_fp16_ with 256x128_ldg8, 128x128_ldg8 and
/// 256x64_ldg8 (docs/library_kernels.md lists the sources).
[[nodiscard]] bool is_of_cudnn(ProductKernel kernel);

/// A kernel and the number of parts that k is divided into.
struct DenseChoice {
    const DenseKernel* kernel = nullptr;
    std::uint32_t parts = 1;
};

/// Inputs of the choice of a kernel: a batch of products of equal or nearly equal shape.
struct DenseProblem {
    std::uint64_t products = 1;
    std::uint64_t m = 0, n = 0, k = 0;                ///< of each product
    bool a_transposed = false, b_transposed = false;  ///< with adjacent lines (TransposedLines)
    /// Bytes per lane of a load of gathered operands (GatheredOperand); 0: not gathered.
    std::uint32_t lane_bytes = 0;
    std::uint64_t tensor_bytes = 0;  ///< operands and results, each counted once
    std::string_view k_key;          ///< key that sets k, for messages
    bool cudnn_divides_k = true;     ///< with ProductKernel::kCudnn

    DenseProblem() = default;
    /// `structured`: A is compressed.
    explicit DenseProblem(const GemmShapeConfig& shape, bool structured = false);
};

/// An operand in memory: k contiguous within a line, or lines contiguous within a k. Allocated up
/// to whole tiles of 16 k and, with contiguous k, whole line tiles.
struct DenseSide {
    Address base = 0;
    std::uint64_t lines = 0;
    std::uint32_t k_tiles = 0;
    bool aside = false;
    std::uint32_t cta_lines = 0;
    bool swizzled = false;  ///< in shared memory
    /// Compressed: `k_tiles` are those of the kept halves, half as many as of the product.
    bool structured = false;
    Address metadata = 0;

    /// Bytes between lines, or, if lines are adjacent, between k.
    [[nodiscard]] std::uint64_t pitch_bytes() const {
        constexpr std::uint64_t kAligned = kPieceBytes / sizeof(HalfBits);
        return (aside ? round_up(lines, kAligned) : std::uint64_t{k_tiles} * kDepthTile) *
               sizeof(HalfBits);
    }
    /// Placement of the metadata of a compressed operand.
    [[nodiscard]] CompressedLines::Metadata metadata_place() const {
        return {metadata, lines, cta_lines, k_tiles * CompressedLines::kTilesOfWord};
    }
    [[nodiscard]] std::uint64_t bytes() const {
        return pitch_bytes() * (aside ? std::uint64_t{k_tiles} * kDepthTile
                                      : round_up(lines, std::uint64_t{kLineTile}));
    }
};
[[nodiscard]] std::unique_ptr<StagedOperand> make_operand(const DenseSide& side);

/// Bytes of a compressed operand in those of a dense one: half the elements, and a word of metadata
/// for each 32.
inline constexpr double kCompressedShare = 0.5 + 1.0 / 16;

/// Cycles of a step of one CTA if only tensor cores, or only shared memory, took time.
struct StepCycles {
    double products = 0, shared = 0;
};
[[nodiscard]] StepCycles step_cycles(const DenseKernel& kernel, const TargetMachine& machine);
[[nodiscard]] StepCycles structured_step_cycles(const DenseKernel& kernel,
                                                const TargetMachine& machine);

/// Tiling of the transposed product with `kernel` (workload/library/library_product.h).
[[nodiscard]] TilingConfig dense_tiling(const DenseKernel& kernel);

/// CTAs of `kernel` per SM of `machine`; 0 if none fits.
[[nodiscard]] std::uint32_t resident_ctas(const DenseProblem& problem, const DenseKernel& kernel,
                                          const TargetMachine& machine);
/// Estimates the cycles of `choice` on `machine`. The fullest SM runs its CTAs in rounds of as many
/// as it holds; a step of a round takes as long as its tensor cores or its shared memory need for
/// all of them, or as long as the operands take to arrive if that is longer. L2 and DRAM deliver
/// the copies of all CTAs. The addition of the parts is a separate kernel. docs/library_kernels.md
/// states the accuracy.
[[nodiscard]] double expected_cycles(const DenseProblem& problem, const DenseChoice& choice,
                                     const TargetMachine& machine);
/// expected_cycles() of the kernels of multistage_kernels(): `stages - 1` steps of every CTA of an
/// SM are on their way at once.
[[nodiscard]] double expected_multistage_cycles(const DenseProblem& problem,
                                                const DenseChoice& choice,
                                                const TargetMachine& machine);
/// expected_cycles() of the kernels of wgmma_kernels().
[[nodiscard]] double expected_wgmma_cycles(const DenseProblem& problem, const DenseChoice& choice,
                                           const TargetMachine& machine);
/// The kernel and division with the fewest expected cycles, among those that `config` permits and
/// that fit an SM; k is divided only if a kernel has fewer tiles than there are SMs. Throws
/// ConfigError if there is none.
[[nodiscard]] DenseChoice choose_dense_kernel(const DenseProblem& problem,
                                              const WorkloadConfig& config,
                                              const TargetMachine& machine);

}  // namespace tessera
