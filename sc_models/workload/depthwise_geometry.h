// How a depthwise convolution is divided among lanes and warps, and which layers that suits.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sc_models/workload/convolution_pass.h"
#include "sc_models/workload/product_epilogue.h"

namespace tessera {

/// The part of a layer's output that a lane, and a CTA, computes.
struct DepthwiseTile {
    std::uint32_t vector = 8;  ///< channels side by side that a lane computes: 8, 4 or 2
    std::uint32_t strip = 4;   ///< neighbouring pixels of an output row that it computes
    std::uint32_t warps = 4;   ///< of a CTA, one below the other
};

/// A column of the input under a strip, counted from the first one's; pixel of the strip and tap of
/// the filter's row that meet there.
struct DepthwiseColumn {
    std::int64_t offset = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> products;
};
[[nodiscard]] std::vector<DepthwiseColumn> depthwise_columns(const ConvolutionPass& pass,
                                                             std::uint32_t strip);

/// Operands of an epilogue that lie in memory.
struct DepthwiseOperands {
    DepthwiseOperands() = default;
    /// Null: none.
    explicit DepthwiseOperands(const ProductEpilogue* epilogue);

    std::uint32_t columns = 0, elements = 0;  ///< for each channel, and for each element
};

/// Registers of a thread that computes such a tile, and those that instructions may name.
struct DepthwiseRegisters {
    DepthwiseRegisters(const ConvolutionPass& pass, const DepthwiseTile& tile,
                       const DepthwiseOperands& operands_in_memory);

    static constexpr std::uint32_t kInputRows = 2;  ///< one is worked on, one is on its way
    static constexpr std::uint32_t kResults = 2;    ///< pixels that are being written

    std::uint32_t inputs_of_lane = 1;  ///< channels of the input that a lane's vector reads
    std::uint32_t sums = 0, filter = 0, inputs = 0, operands = 0, results = 0;  ///< first of each
    std::uint32_t of_input = 1, of_vector = 1;                                  ///< registers
    std::uint32_t columns = 1;  ///< of the input, under a strip
    std::uint32_t named = 0, per_thread = 0;

    /// Whether a thread has as many, and instructions can name them.
    [[nodiscard]] bool fit_a_thread() const;
};

/// Blocks of 32 lanes along a row of the output, and warps with something to do in all.
[[nodiscard]] std::uint64_t depthwise_blocks(const ConvolutionPass& pass,
                                             const DepthwiseTile& tile);
[[nodiscard]] std::uint64_t depthwise_warps(const ConvolutionPass& pass, const DepthwiseTile& tile);

/// Throws ConfigError, with the key and what is expected, unless `config`, whose layer is not
/// transposed, suits the kernel.
void check_depthwise(const WorkloadConfig& config);

/// Whether the layer of `config` runs on a kernel for depthwise convolutions: where
/// workload.kernel says so, and where it leaves the choice and the kernel suits the layer.
[[nodiscard]] bool is_depthwise(const WorkloadConfig& config);

}  // namespace tessera
