#include "sc_models/opportunistic/block_pairs.h"

#include <algorithm>
#include <numeric>

namespace tessera {
namespace {

using Counts = tsl::robin_map<BlockPair, std::uint64_t, BlockPairHash>;

/// Counts the pairs as a filter row at `weights` slides over an input row at `input`.
void slide(const DirectGeometry& g, Address input, Address weights, std::uint32_t line_bytes,
           Counts& counts) {
    for (std::uint32_t kw = 0; kw < g.kernel_width; ++kw) {
        const BlockNumber weight_block = (weights + kw * kFloatBytes) / line_bytes;
        for (std::uint32_t x = 0; x < g.out_width;) {
            // Counts all windows that read the same block at once.
            const Address at = input + (Address{x} * g.stride + kw) * kFloatBytes;
            const Address room = line_bytes - at % line_bytes;
            const auto windows = static_cast<std::uint32_t>(std::min<Address>(
                g.out_width - x, ceil_div<Address>(room, Address{g.stride} * kFloatBytes)));
            counts[{at / line_bytes, weight_block}] += windows;
            x += windows;
        }
    }
}

}  // namespace

BlockPairs::BlockPairs(const DirectConvolutionKernel& kernel, std::uint32_t line_bytes) {
    const DirectGeometry& g = kernel.geometry();
    Counts counts;
    for (std::uint32_t n = 0; n < g.batch; ++n) {
        for (std::uint32_t plane = 0; plane < g.planes; ++plane) {
            for (std::uint32_t r = 0; r < g.reduction; ++r) {
                const std::uint64_t in = g.input_plane(n, plane, r);
                const std::uint64_t w = g.weight_plane(n, plane, r);
                for (std::uint32_t y = 0; y < g.out_height; ++y) {
                    for (std::uint32_t kh = 0; kh < g.kernel_height; ++kh) {
                        slide(g,
                              kernel.regions().input +
                                  (in + (std::uint64_t{y} * g.stride + kh) * g.in_width) *
                                      kFloatBytes,
                              kernel.regions().weights +
                                  (w + std::uint64_t{kh} * g.kernel_width) * kFloatBytes,
                              line_bytes, counts);
                    }
                }
            }
        }
    }
    for (const auto& [pair, count] : counts) counts_.push_back(count);
    std::sort(counts_.begin(), counts_.end());
}

std::uint64_t BlockPairs::multiplications() const {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

std::uint64_t BlockPairs::over(std::uint64_t multiplications) const {
    return static_cast<std::uint64_t>(
        counts_.end() - std::upper_bound(counts_.begin(), counts_.end(), multiplications));
}

}  // namespace tessera
