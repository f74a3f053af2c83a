// Direct convolution kernel: warps multiply rows of the input by rows of the filter.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/isa/kernel.h"
#include "sc_models/workload/direct/direct_convolution_geometry.h"
#include "sc_models/workload/direct/direct_tiling.h"

namespace tessera {

/// One pass of a layer, computed directly (opportunistic computing, II and III-A; NCHW, FP32).
///
/// The work of a warp is a tile of outputs: with mapping `column` yseg rows of up to 32
/// neighbouring columns of a plane, with `packed` the same number of rows of 32 columns that
/// continue from one plane to the next, with `pixel` 32 neighbouring pixels, with `plane` all
/// pixels of up to 32 planes, one per lane, with `image` all pixels of a plane of up to 32 images.
/// Warps take tiles in order, images outermost, then planes (with `image` the other way round); a
/// CTA has cta_warps of them.
///
/// For each window, input plane and filter row a warp executes one vector operation: a kVectorOp
/// (address arithmetic, at which the machine may take over the operation), then for every element a
/// load of the input, a load of the weight and an FP32 multiply-add, with loop_instructions of
/// integer arithmetic for every `unroll` of them. One kAtomicGlobal (a reduction, no result) writes
/// the sum, as AtomicGranularity selects, unless all of it was computed elsewhere.
class DirectConvolutionKernel : public Kernel {
public:
    struct Regions {
        Address input = 0, weights = 0, output = 0;
    };

    DirectConvolutionKernel(std::string name, const DirectGeometry& geometry,
                            const DirectConfig& config, const Regions& regions,
                            const AccessGranularity& granularity);

    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

    [[nodiscard]] const DirectGeometry& geometry() const { return geometry_; }
    [[nodiscard]] const DirectConfig& config() const { return config_; }
    [[nodiscard]] const Regions& regions() const { return regions_; }

    /// Number of tiles; each is the work of one warp.
    [[nodiscard]] std::uint32_t tiles() const { return tiles_; }
    using Tile = DirectTile;
    [[nodiscard]] Tile tile(std::uint32_t index) const { return tiling_.tile(index); }
    /// The vector operation of a tile at window (y, x) of lane 0, input plane r and filter row kh.
    [[nodiscard]] VectorOperation operation(const Tile& tile, std::uint32_t y, std::uint32_t x,
                                            std::uint32_t r, std::uint32_t kh) const;

private:
    DirectGeometry geometry_;
    DirectConfig config_;
    Regions regions_;
    DirectTiling tiling_;
    std::uint32_t tiles_ = 0;
    KernelInfo info_;
};

}  // namespace tessera
