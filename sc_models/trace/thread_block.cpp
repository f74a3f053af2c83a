#include "sc_models/trace/thread_block.h"

#include <utility>

namespace tessera {

std::uint64_t ThreadBlock::instructions() const {
    std::uint64_t sum = 0;
    for (const Span& warp : warps_) sum += warp.instructions;
    return sum;
}

void ThreadBlock::assign(const Dim3& index, std::shared_ptr<const InstructionTable> table,
                         const WarpEncoder& encoded, const std::vector<Span>& warps) {
    index_ = index;
    table_ = std::move(table);
    // The memory of a much larger CTA is released.
    if (bytes_.capacity() > 2 * encoded.size()) bytes_ = {};
    bytes_.assign(encoded.data(), encoded.data() + encoded.size());
    warps_ = warps;
}

}  // namespace tessera
