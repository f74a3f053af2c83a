// Counts of multiplications between pairs of cache blocks in a direct convolution.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/opportunistic/assign_table.h"
#include "sc_models/workload/direct/direct_convolution_kernel.h"

namespace tessera {

/// Multiplications between each block of the input and each block of the weights, over a whole
/// kernel (opportunistic computing, II and Figure 1). Depends on the layer and the addresses of its
/// tensors, not on mapping and schedule.
class BlockPairs {
public:
    BlockPairs(const DirectConvolutionKernel& kernel, std::uint32_t line_bytes);

    /// Number of pairs with any multiplication.
    [[nodiscard]] std::uint64_t pairs() const { return counts_.size(); }
    [[nodiscard]] std::uint64_t multiplications() const;
    /// Number of pairs with more than `multiplications`.
    [[nodiscard]] std::uint64_t over(std::uint64_t multiplications) const;

private:
    std::vector<std::uint64_t> counts_;  ///< per pair, ascending
};

}  // namespace tessera
