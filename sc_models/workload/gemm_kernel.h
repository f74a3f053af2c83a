// Tensor-core matrix product that stages its accumulators through shared memory.
#pragma once

#include <cstdint>

#include "sc_models/config/workload_config.h"
#include "sc_models/isa/kernel.h"
#include "sc_models/workload/tile_order.h"

namespace tessera {

/// Operands of D = A x B + C in global memory, or of `groups` such products of one shape, each with
/// its own rows of A, columns of B and columns of C and D.
/// - A: m rows of k halves, `a_pitch_bytes` apart, group after group. Allocated and zero for whole
///   CTA tiles of the last group.
/// - B: n columns of k halves (column n contiguous along k), `b_pitch_bytes` apart, group after
///   group. Allocated and zero for whole CTA tiles of the last group.
/// - C, D: m rows of groups x n floats, groups x n x 4 bytes apart, exactly m x groups x n.
/// k is a multiple of 16: both A and B are zero-padded up to it.
struct GemmOperands {
    std::uint64_t groups = 1;
    std::uint64_t m = 0, n = 0, k = 0;  ///< of each group
    Address a = 0, b = 0, c = 0, d = 0;
    std::uint32_t a_pitch_bytes = 0, b_pitch_bytes = 0;
    Address convolution_packet = 0;  ///< 0: A is not a workspace

    /// Floats per row of C and D.
    [[nodiscard]] std::uint64_t d_columns() const { return groups * n; }
    /// Rows and columns that A and B must be allocated for.
    [[nodiscard]] std::uint64_t allocated_rows(const TilingConfig& tiling) const {
        return (groups - 1) * m + round_up(m, std::uint64_t{tiling.cta_m});
    }
    [[nodiscard]] std::uint64_t allocated_columns(const TilingConfig& tiling) const {
        return (groups - 1) * n + round_up(n, std::uint64_t{tiling.cta_n});
    }
};

/// Throws ConfigError for tilings that do not divide or need more than 255 registers per thread.
void check_tiling(const TilingConfig& tiling);

/// The GEMM of Duplo II-C whose shared memory holds C only, modelled on `cudaTensorCoreGemm` of the
/// CUDA SDK.
///
/// A CTA computes a cta_m x cta_n tile of D, each of its warps a warp_m x warp_n part:
/// 1. C tile: the warps copy it from global to shared memory, 512 B per instruction; barrier; each
///    warp loads its accumulators from shared memory. The accumulators' registers, idle until then,
///    buffer the copy, so that a warp has 2 x (fragments of its tile) loads in flight.
/// 2. k in steps of 16: A and B fragments straight from global memory into buffer (step mod
///    fragment_buffers), loop overhead, all products of the step. Loads run fragment_buffers-1
///    steps ahead of the products; the scoreboard handles write-after-read on a buffer.
/// 3. D tile: the accumulators go to shared memory; barrier; the warps copy the tile to global
///    memory. With c_traffic off, 1. only clears the accumulators and 3. is omitted.
///
/// Ragged edges: fragments of A that lie entirely beyond m are neither loaded nor multiplied; all
/// others are loaded whole, including filters beyond n, as libraries pad them. They contain the
/// zeros behind the buffers, or the next group's rows and filters. C loads and D stores are clipped
/// to m x n. Rows of A beyond the last group's m lie outside the convolution packet's region, so
/// they bypass the detection unit.
///
/// CTAs process one group after the other; a tile never has elements of two groups.
///
/// Warp registers: A fragments (buffer-major) from 0 on, B fragments, accumulators (row-major), the
/// rest. The C tile is row-major in shared memory without skew; the machine models the bank
/// conflicts.
class GemmKernel : public Kernel {
public:
    /// Checks the tiling first, see check_tiling().
    GemmKernel(std::string name, const GemmOperands& operands, const TilingConfig& tiling);

    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

    [[nodiscard]] const GemmOperands& operands() const { return operands_; }
    [[nodiscard]] const TilingConfig& tiling() const { return tiling_; }
    /// First row and column of CTA `cta`'s tile within its group's part of D.
    struct Tile {
        std::uint64_t row = 0, column = 0;
        std::uint64_t group = 0;
    };
    [[nodiscard]] Tile tile(CtaId cta) const;
    /// First row and column of warp `warp`'s part within the CTA's tile.
    [[nodiscard]] Tile warp_tile(std::uint32_t warp) const;
    [[nodiscard]] bool tells_results() const override { return true; }
    /// Whether a CTA of this launch computes element (row, column) of D, counting the columns of
    /// all groups: always, unless limited or sampled.
    [[nodiscard]] bool makes(std::uint64_t row, std::uint64_t column) const;
    /// Rows of A (from the first of the first group, at most groups x m) that the outputs of this
    /// launch need: all, unless limited.
    [[nodiscard]] std::uint64_t rows_read() const;

private:
    GemmOperands operands_;
    TilingConfig tiling_;
    [[nodiscard]] TileOrder order() const { return {tiling_.raster, tiles_m_, tiles_n_}; }

    std::uint64_t tiles_m_ = 0, tiles_n_ = 0;  ///< per group
    KernelInfo info_;
};

}  // namespace tessera
