// Dense matrix products as BLAS libraries compute them, and which of their kernels suits a shape.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "sc_models/config/workload_config.h"
#include "sc_models/workload/staged_operand.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// A kernel of the family: what a CTA and a warp compute of D. All have steps of 32 k, two buffers
/// in shared memory and FP32 sums. Tiles are those of Volta's cuBLAS (volta_*_s884gemm_*) and, for
/// narrow products, half of the smallest.
struct DenseKernel {
    ProductKernel kernel = ProductKernel::kAuto;
    std::string_view name;
    std::uint32_t cta_m = 0, cta_n = 0, warp_m = 0, warp_n = 0;

    static constexpr std::uint32_t kStep = 32;  ///< k

    [[nodiscard]] std::uint32_t warps() const { return cta_m / warp_m * (cta_n / warp_n); }
};
[[nodiscard]] const std::vector<DenseKernel>& dense_kernels();

/// Whether cuDNN 7 has such a kernel for convolutions of halves on Volta: names of profiles are
/// volta_s884cudnn_fp16_ and volta_fp16_s884cudnn_fp16_ with 256x128_ldg8, 128x128_ldg8 and
/// 256x64_ldg8 (docs/library_kernels.md says where they were seen).
[[nodiscard]] bool is_of_cudnn(ProductKernel kernel);

/// A kernel and how often k is divided.
struct DenseChoice {
    const DenseKernel* kernel = nullptr;
    std::uint32_t parts = 1;
};

/// What the choice of a kernel depends on: a batch of products of one shape, or nearly so.
struct DenseProblem {
    std::uint64_t products = 1;
    std::uint64_t m = 0, n = 0, k = 0;      ///< of each
    bool a_aside = false, b_aside = false;  ///< lines side by side in memory (LinesAside)
    /// Gathered operands (GatheredOperand): what a lane loads; 0: they are not.
    std::uint32_t lane_bytes = 0;
    std::uint64_t tensor_bytes = 0;  ///< of operands and results, each once
    std::string_view k_key;          ///< what k is, in messages
    bool cudnn_divides_k = true;     ///< with ProductKernel::kCudnn

    DenseProblem() = default;
    explicit DenseProblem(const GemmShapeConfig& shape);
};

/// An operand in memory: lines of k one behind the other, or side by side. Allocated up to whole
/// tiles of 16 k and, one behind the other, whole line tiles.
struct DenseSide {
    Address base = 0;
    std::uint64_t lines = 0;
    std::uint32_t k_tiles = 0;
    bool aside = false;
    std::uint32_t cta_lines = 0;

    /// From line to line, or, where they lie side by side, from k to k.
    [[nodiscard]] std::uint64_t pitch_bytes() const {
        constexpr std::uint64_t kAligned = kPieceBytes / sizeof(HalfBits);
        return (aside ? round_up(lines, kAligned) : std::uint64_t{k_tiles} * kDepthTile) *
               sizeof(HalfBits);
    }
    [[nodiscard]] std::uint64_t bytes() const {
        return pitch_bytes() * (aside ? std::uint64_t{k_tiles} * kDepthTile
                                      : round_up(lines, std::uint64_t{kLineTile}));
    }
};
[[nodiscard]] std::unique_ptr<StagedOperand> make_operand(const DenseSide& side);

/// How `kernel` cuts up the transposed product (workload/library_product.h).
[[nodiscard]] TilingConfig dense_tiling(const DenseKernel& kernel);

/// CTAs of `kernel` that an SM of `machine` holds; 0 if none fits.
[[nodiscard]] std::uint32_t resident_ctas(const DenseProblem& problem, const DenseKernel& kernel,
                                          const TargetMachine& machine);
/// Cycles that `choice` is expected to take on `machine`. The fullest SM runs its CTAs in turns of
/// as many as it holds; a step of a turn takes what its tensor cores or its shared memory need for
/// all of them, or what operands need to come where that is longer. L2 and DRAM have to bring what
/// all CTAs copy. Adding the parts is a kernel of its own. docs/library_kernels.md says how close
/// it is.
[[nodiscard]] double expected_cycles(const DenseProblem& problem, const DenseChoice& choice,
                                     const TargetMachine& machine);
/// The kernel and division with the fewest expected cycles, of those that `config` leaves open and
/// that fit an SM; k is divided only where a kernel has fewer tiles than there are SMs. Throws
/// ConfigError if there is none.
[[nodiscard]] DenseChoice choose_dense_kernel(const DenseProblem& problem,
                                              const WorkloadConfig& config,
                                              const TargetMachine& machine);

}  // namespace tessera
