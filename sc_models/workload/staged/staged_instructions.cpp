#include "sc_models/workload/staged/staged_instructions.h"

#include <algorithm>
#include <utility>

namespace tessera {

void StagedInstructions::clear() {
    pending_.clear();
    order_.clear();
    gathers_.clear();
    lanes_used_ = 0;
    next_ = 0;
    given_ = 0;
}

void StagedInstructions::close() {
    if (order_.empty() && !pending_.empty()) order_.push_back({pending_.data(), pending_.size()});
}

InstructionBatch StagedInstructions::next() {
    if (next_ == order_.size()) return {};
    const InstructionBatch& batch = order_[next_++];
    const std::size_t given = std::exchange(given_, 0);
    return {batch.begin + given, batch.count - given};
}

std::size_t StagedInstructions::fill(WarpInstruction* out, std::size_t capacity) {
    std::size_t count = 0;
    while (count < capacity && next_ < order_.size()) {
        const InstructionBatch& batch = order_[next_];
        const std::size_t some = std::min(capacity - count, batch.count - given_);
        std::copy_n(batch.begin + given_, some, out + count);
        count += some;
        given_ += some;
        if (given_ < batch.count) break;
        given_ = 0;
        ++next_;
    }
    return count;
}

void StagedInstructions::emit_alu(std::uint32_t count) {
    if (count == 0) return;
    emit(Opcode::kAlu).count = static_cast<std::uint16_t>(count);
}

void StagedInstructions::barrier() {
    emit(Opcode::kBarrier);
}

LaneAccess& StagedInstructions::spare_lanes() {
    if (lanes_used_ == lanes_.size()) lanes_.emplace_back();
    return lanes_[lanes_used_];
}

void StagedInstructions::alternate(std::size_t loads, std::size_t products) {
    const std::vector<WarpInstruction> emitted(
        pending_.begin() + static_cast<std::ptrdiff_t>(loads), pending_.end());
    pending_.resize(loads);
    const std::size_t first = products - loads;
    for (std::size_t load = 0, product = first; product < emitted.size() || load < first;) {
        if (product < emitted.size()) pending_.push_back(emitted[product++]);
        if (load < first) pending_.push_back(emitted[load++]);
    }
}

const std::vector<WarpInstruction>& StagedInstructions::take_computation() {
    computation_.swap(pending_);
    pending_.clear();
    return computation_;
}

void StagedInstructions::spread(std::size_t count, const std::vector<WarpInstruction>& computation,
                                std::size_t among) {
    const auto give = [this](const WarpInstruction* begin, std::size_t instructions) {
        if (instructions != 0) order_.push_back({begin, instructions});
    };
    std::size_t done = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t before = ceil_div(i * among, count);
        give(computation.data() + done, before - done);
        done = before;
        give(pending_.data() + i, 1);
    }
    give(computation.data() + done, computation.size() - done);
    give(pending_.data() + count, pending_.size() - count);
}

}  // namespace tessera
