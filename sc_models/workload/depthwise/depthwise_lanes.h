// Lanes of a warp of the depthwise kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sc_models/isa/kernel.h"
#include "sc_models/workload/depthwise/depthwise_kernel.h"

namespace tessera {

/// Outputs of each lane of a block of lanes along a row of the output, and where they and the
/// inputs under them lie in memory.
class DepthwiseLanes {
public:
    /// Lanes of `block` along row `row` of image `image`. The kernel must outlive this object.
    DepthwiseLanes(const DepthwiseKernel& kernel, std::uint64_t image, std::int64_t row,
                   std::uint64_t block);

    /// Returns the number of lanes with work: the first ones.
    [[nodiscard]] std::uint32_t active() const { return active_; }
    /// Returns the first channel of a lane's outputs.
    [[nodiscard]] std::uint64_t channel(std::uint32_t lane) const { return lanes_[lane].channel; }

    /// Returns whether a column of the kernel's inputs is inside the image for a lane.
    [[nodiscard]] bool is_inside(std::uint32_t lane, std::size_t column) const;
    [[nodiscard]] bool is_any_inside(std::size_t column) const;
    /// Returns the offset in bytes of a lane's input in a column, of row `row` of the input.
    [[nodiscard]] std::int64_t input_offset(std::uint32_t lane, std::int64_t row,
                                            std::size_t column) const;

    /// Returns whether a lane makes output `pixel` of its strip.
    [[nodiscard]] bool is_made(std::uint32_t lane, std::uint32_t pixel) const;
    [[nodiscard]] bool is_any_made(std::uint32_t pixel) const;
    /// Returns the offset in bytes of a lane's output.
    [[nodiscard]] std::int64_t output_offset(std::uint32_t lane, std::uint32_t pixel) const;

private:
    struct Lane {
        std::uint64_t channel = 0;  ///< first of the output
        std::int64_t pixel = 0;     ///< first of the strip
    };

    [[nodiscard]] std::int64_t input_column(std::uint32_t lane, std::size_t column) const;

    const DepthwiseKernel& kernel_;
    const ConvolutionPass& pass_;
    const std::uint64_t image_;
    const std::int64_t row_;
    std::array<Lane, kWarpLanes> lanes_{};
    std::uint32_t active_ = 0;
};

}  // namespace tessera
