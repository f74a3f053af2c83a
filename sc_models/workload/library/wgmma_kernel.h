// Matrix product of warpgroups, from shared memory that bulk copies fill.
#pragma once

#include <memory>
#include <string>

#include "sc_models/isa/kernel.h"
#include "sc_models/workload/library/dense_kernels.h"
#include "sc_models/workload/tile_order.h"

namespace tessera {

/// Operands, result and cut of a product of warpgroups. D has a row for each line of `second` and a
/// column for each line of `first`.
struct WgmmaProduct {
    DenseSide first;   ///< A in BLAS order: a warpgroup's 64 lines
    DenseSide second;  ///< B in BLAS order: the columns of a warpgroup's product
    std::uint64_t k = 0;
    Address d = 0;
    bool halves = true;                         ///< D is rounded to 16 bits
    OperandType operands = OperandType::kFp16;  ///< that is_for_warpgroups()
    std::uint32_t steps_per_part = 0;           ///< 0: k is not divided
    RasterOrder raster = RasterOrder::kNFastest;
    const DenseKernel* kernel = nullptr;
    bool multicast = false;  ///< between CTAs 2i and 2i + 1
};

/// Warp-specialised product as CUTLASS 3 builds it for Hopper (KernelTmaWarpSpecializedCooperative,
/// with one warpgroup KernelTmaWarpSpecialized). The last warp of a CTA is the producer: it copies
/// a step of both operands by bulk copies, once the buffer of the step is empty. One or two
/// warpgroups consume: they wait for the bytes of a step, multiply 64 lines of the first operand at
/// a time with all lines of the second, and give the buffer of the step before back once its
/// products are over.
///
/// Simplified: the other three warps of a producer warpgroup, which would be idle, do not exist;
/// all warps have as many registers as a consumer; a warp arrives where CUTLASS has one thread
/// arrive; lines behind the end of an operand are not copied, and no bytes of theirs expected; D is
/// stored from registers, 32 bytes a row, where CUTLASS turns it in shared memory. CTAs are not
/// persistent.
///
/// With `multicast` CTAs 2i and 2i + 1 are a cluster if they share rows or columns of D: each
/// fetches half of the operand that both need. They are assumed to run in step; neither waits for
/// the other.
class WgmmaKernel : public Kernel {
public:
    WgmmaKernel(std::string name, const WgmmaProduct& product);

    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;
    [[nodiscard]] bool tells_results() const override { return parts_ == 1; }
    /// Whether the launch computes the element. Valid if k is not divided.
    [[nodiscard]] bool makes(std::uint64_t row, std::uint64_t column) const;

    [[nodiscard]] const WgmmaProduct& product() const { return product_; }
    /// First row and column of D that a CTA computes, and its part of k.
    struct Tile {
        std::uint64_t row = 0, column = 0;
        std::uint32_t part = 0;
    };
    [[nodiscard]] Tile tile(CtaId cta) const;
    /// Operand that a CTA shares with the other one of its cluster.
    enum class Shared : std::uint8_t { kNone, kFirst, kSecond };
    [[nodiscard]] Shared shared(CtaId cta) const;
    [[nodiscard]] std::uint32_t steps() const { return steps_; }
    /// Bytes of a step of the first operand, and of both, in shared memory.
    [[nodiscard]] std::uint32_t first_bytes() const { return first_bytes_; }
    [[nodiscard]] std::uint32_t step_bytes() const { return step_bytes_; }

private:
    WgmmaProduct product_;
    TileOrder order_;
    std::uint64_t tiles_;
    std::uint32_t steps_, parts_ = 1;
    std::uint32_t first_bytes_, step_bytes_;
    KernelInfo info_;
};

/// Registers a thread of `kernel`: sums, halves on their way to D, and the rest.
[[nodiscard]] std::uint32_t wgmma_registers(const DenseKernel& kernel);
/// Shared memory of a CTA of `kernel`, in bytes.
[[nodiscard]] std::uint32_t wgmma_shared_bytes(const DenseKernel& kernel);

}  // namespace tessera
