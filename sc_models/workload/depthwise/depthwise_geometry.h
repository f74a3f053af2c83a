// Division of a depthwise convolution among lanes and warps, and the layers that it suits.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sc_models/workload/library/convolution_pass.h"
#include "sc_models/workload/product_epilogue.h"

namespace tessera {

/// Part of a layer's output that a lane, and a CTA, computes.
struct DepthwiseTile {
    std::uint32_t vector = 8;  ///< adjacent channels per lane: 8, 4 or 2
    std::uint32_t strip = 4;   ///< neighbouring pixels of an output row per lane
    std::uint32_t warps = 4;   ///< per CTA, one row below the other
};

/// A column of the input under a strip, counted from the first one's; pairs of a pixel of the strip
/// and a tap of the filter row that meet there.
struct DepthwiseColumn {
    std::int64_t offset = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> products;
};
[[nodiscard]] std::vector<DepthwiseColumn> depthwise_columns(const ConvolutionPass& pass,
                                                             std::uint32_t strip);

/// Numbers of epilogue operands in memory.
struct DepthwiseOperands {
    DepthwiseOperands() = default;
    /// Null: no epilogue.
    explicit DepthwiseOperands(const ProductEpilogue* epilogue);

    std::uint32_t columns = 0, elements = 0;  ///< one value per channel, and per element
};

/// Registers per thread of a tile, in total and those that instructions may name.
struct DepthwiseRegisters {
    DepthwiseRegisters(const ConvolutionPass& pass, const DepthwiseTile& tile,
                       const DepthwiseOperands& operands_in_memory);

    static constexpr std::uint32_t kInputRows = 2;  ///< one in use, one being loaded
    static constexpr std::uint32_t kResults = 2;    ///< pixels being written

    std::uint32_t inputs_of_lane = 1;  ///< input channels read by a lane's vector
    std::uint32_t sums = 0, filter = 0, inputs = 0, operands = 0, results = 0;  ///< first of each
    std::uint32_t of_input = 1, of_vector = 1;                                  ///< registers
    std::uint32_t columns = 1;  ///< of the input, under a strip
    std::uint32_t named = 0, per_thread = 0;

    /// Whether the registers fit a thread and instructions can name them.
    [[nodiscard]] bool fit_a_thread() const;
};

/// Blocks of 32 lanes along a row of the output, and the total number of warps with work.
[[nodiscard]] std::uint64_t depthwise_blocks(const ConvolutionPass& pass,
                                             const DepthwiseTile& tile);
[[nodiscard]] std::uint64_t depthwise_warps(const ConvolutionPass& pass, const DepthwiseTile& tile);

/// Throws ConfigError, with the key and the expected value, unless `config`, whose layer is not
/// transposed, suits the kernel.
void check_depthwise(const WorkloadConfig& config);

/// Whether the layer of `config` runs on a kernel for depthwise convolutions: if workload.kernel
/// selects it, or if it leaves the choice and the kernel suits the layer.
[[nodiscard]] bool is_depthwise(const WorkloadConfig& config);

}  // namespace tessera
