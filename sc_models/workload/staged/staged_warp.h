// Position of a warp in a staged product.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sc_models/workload/staged/staged_product_kernel.h"

namespace tessera {

/// A warp of a StagedProductKernel: the part of D that it computes, and the steps that it runs.
struct StagedWarp {
    StagedWarp(const StagedProductKernel& of, CtaId cta, std::uint32_t warp);

    /// K-tiles of a step.
    [[nodiscard]] std::uint32_t depth(std::uint32_t step) const {
        const std::uint32_t depth_tiles = kernel.product().depth_tiles;
        const auto left = static_cast<std::uint32_t>(ceil_div(k, std::uint64_t{kDepthTile}) -
                                                     std::uint64_t{step} * depth_tiles);
        return std::min(depth_tiles, left);
    }

    const StagedProductKernel& kernel;
    const std::uint32_t cta, warp;
    const StagedProductKernel::Tile tile;       ///< part of D that the CTA computes
    const std::uint64_t m, k;                   ///< sizes of its member
    const std::uint64_t row, column;            ///< position of the CTA's part of D
    const std::uint32_t warp_row, warp_column;  ///< position of the warp's part in that
    const std::uint32_t first_step, end_step;   ///< equal if there are no steps
    const Address d;
};

}  // namespace tessera
