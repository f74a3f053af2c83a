#include "sc_models/workload/batched_program.h"

#include <algorithm>
#include <utility>

namespace tessera {

void BatchedProgram::refill() {
    if (given_ != batch_.size()) return;
    batch_.clear();
    given_ = 0;
    while (batch_.empty() && !exited_) {
        std::swap(accesses_, accesses_before_);
        accesses_.clear();
        make_batch();
    }
}

InstructionBatch BatchedProgram::next(WarpInstruction* /*room*/) {
    refill();
    const std::size_t given = std::exchange(given_, batch_.size());
    return {batch_.data() + given, batch_.size() - given};
}

std::size_t BatchedProgram::fill(WarpInstruction* out, std::size_t capacity) {
    refill();
    const std::size_t count = std::min(capacity, batch_.size() - given_);
    std::copy_n(batch_.data() + given_, count, out);
    given_ += count;
    return count;
}

}  // namespace tessera
