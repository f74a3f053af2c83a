// Kernel of FP32 products on the CUDA cores, staged in shared memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/isa/coalescer.h"
#include "sc_models/isa/kernel.h"

namespace tessera {

/// Parameters of a batch of products D = A x B in FP32. A has m rows of k floats, B n columns of k
/// floats, D m rows of n floats. Pitches and the distances of the batch count floats. k and the
/// pitches of A and B are multiples of 8, the pitch of D of 4, addresses of A and B of 32 bytes and
/// those of D of 16.
struct SimtProductTask {
    std::string name;
    std::uint64_t m = 0, n = 0, k = 0;
    Address a = 0, b = 0, d = 0;
    std::uint64_t a_pitch = 0, b_pitch = 0, d_pitch = 0;
    std::uint32_t batch = 1;
    std::uint64_t a_batch = 0, b_batch = 0, d_batch = 0;
    AccessGranularity granularity;
    bool values = false;
};

/// Rounds a number of k up to whole steps of the kernel.
[[nodiscard]] constexpr std::uint64_t simt_depth(std::uint64_t k) {
    return round_up(k, std::uint64_t{8});
}
/// Rounds a number of columns of D up to whole 16-byte stores.
[[nodiscard]] constexpr std::uint64_t simt_columns(std::uint64_t n) {
    return round_up(n, std::uint64_t{4});
}

/// Product in the manner of CUTLASS's SIMT SGEMM: a CTA computes 128 x 128 of D, or 128 x 64 if n
/// is at most 64, in steps of 8 k; a warp 32 x 64, a thread 8 x 8 in four quarters of 4 x 4. The
/// lanes of a warp are 4 x 8. Operands go from global memory through registers, transposed, into
/// one of two buffers of shared memory, whose rows are one k with 4 floats of padding. While a
/// thread multiplies the fragments of one k it loads those of the next.
///
/// Each sum begins with +0 and takes its products in ascending k by fused multiply-adds. Rows and
/// columns outside are zero in registers and never loaded or stored. CTAs go along n first, then m,
/// then the batch.
class SimtProductKernel : public Kernel {
public:
    static constexpr std::uint32_t kCtaRows = 128, kDepth = 8;
    static constexpr std::uint32_t kWarpRows = 32, kWarpColumns = 64;

    explicit SimtProductKernel(SimtProductTask task);

    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

    [[nodiscard]] const SimtProductTask& task() const { return task_; }
    [[nodiscard]] std::uint32_t cta_columns() const { return cta_columns_; }

private:
    class Program;
    static constexpr std::uint32_t kRowsOfLoad = 4;  ///< of 8 floats each, by 32 lanes
    /// Accesses of a load of 1 to 4 rows of an operand, by place of the first in its line.
    using Loads = std::array<std::array<LaneAccess, kRowsOfLoad>, 4>;
    [[nodiscard]] Loads make_loads(std::uint64_t pitch) const;
    [[nodiscard]] LaneAccess make_fragment_load(bool of_rows) const;

    SimtProductTask task_;
    std::uint32_t cta_columns_;
    std::uint64_t tiles_n_, tiles_m_;
    Loads loads_a_, loads_b_;
    LaneAccess fragment_a_, fragment_b_;  ///< LDS.128 of half the fragment of a k
    KernelInfo info_;
};

}  // namespace tessera
