// Instructions of a block of keys that are the same in every CTA of a fused attention kernel.
#pragma once

#include <vector>

#include "sc_models/workload/attention/flash_kernel.h"
#include "sc_models/workload/attention/flash_softmax.h"

namespace tessera {

/// Appends instructions of a FlashKernel to a list.
class FlashEmitter : public FlashSoftmax {
public:
    FlashEmitter(const FlashKernel& kernel, std::vector<WarpInstruction>& out)
        : FlashSoftmax(kernel.function(), kernel.registers(), out), kernel_(kernel) {}

    /// Scores of a block: queries of the warp times keys.
    void scores(std::uint32_t warp);
    /// Softmax of a block and its part of the output.
    void update(bool first);

private:
    void load(std::uint32_t address, std::uint8_t dst, bool transposed);
    void multiply(std::uint8_t sums, std::uint8_t a, std::uint8_t b);
    void output();

    const FlashKernel& kernel_;
};

}  // namespace tessera
