// How often the data of two cache blocks meet in a direct convolution.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/opportunistic/assign_table.h"
#include "sc_models/workload/direct_convolution_kernel.h"

namespace tessera {

/// Multiplications between each block of the input and each block of the weights, over a whole
/// kernel (opportunistic computing, II and Figure 1). A property of the layer and of where its
/// tensors lie; mapping and schedule do not enter.
class BlockPairs {
public:
    BlockPairs(const DirectConvolutionKernel& kernel, std::uint32_t line_bytes);

    /// Pairs that meet at all.
    [[nodiscard]] std::uint64_t pairs() const { return counts_.size(); }
    [[nodiscard]] std::uint64_t multiplications() const;
    /// Pairs with more than `multiplications`.
    [[nodiscard]] std::uint64_t over(std::uint64_t multiplications) const;

private:
    std::vector<std::uint64_t> counts_;  ///< of each pair, ascending
};

}  // namespace tessera
