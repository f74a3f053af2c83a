#include "sc_models/pins/clocked_precompute_table.h"

#include <array>
#include <cstring>

namespace tessera {

ClockedPrecomputeTable::Outputs ClockedPrecomputeTable::outputs(const Inputs& in) const {
    Outputs out;
    if (state_ == State::kAnswer) out = answer_;
    out.setup_ready = state_ == State::kIdle ? 1 : 0;
    out.setup_error = error_ ? 1 : 0;
    out.in_ready = state_ == State::kApply && !drops(in) ? 1 : 0;
    out.out_valid = state_ == State::kAnswer ? 1 : 0;
    out.size = core_.size();
    out.waiting = core_.first_pending() != PrecomputeTable::kNone ? 1 : 0;
    return out;
}

void ClockedPrecomputeTable::edge(const Inputs& in) {
    switch (state_) {
        case State::kIdle:
            if (in.setup_valid) {
                ready_ = in.setup_entries != 0 && in.setup_entries <= parameters_.max_entries();
                error_ = !ready_;
                if (!ready_) return;
                entries_ = in.setup_entries;
                core_ = PrecomputeTable(entries_, parameters_.lanes);
            } else if (in.in_valid && ready_) {
                state_ = State::kApply;
                dropped_ = 0;
                answer_ = {};
            }
            return;
        case State::kApply:
            if (drops(in)) {
                core_.eliminate(1);
                ++dropped_;
                return;
            }
            apply(in);
            state_ = State::kAnswer;
            return;
        case State::kAnswer:
            if (in.out_ready) state_ = State::kIdle;
            return;
    }
}

void ClockedPrecomputeTable::reset() {
    core_ = PrecomputeTable(1, parameters_.lanes);
    state_ = State::kIdle;
    ready_ = error_ = false;
    entries_ = 0;
}

void ClockedPrecomputeTable::apply(const Inputs& in) {
    const bool exists = in.slot < entries_;
    switch (in.op) {
        case Rtl::Op::kLookup:
            return look_up(in);
        case Rtl::Op::kPredict:
            return predict(in);
        case Rtl::Op::kWaiting:
            return find_waiting(in);
        case Rtl::Op::kStart:
            if (!exists || !core_.waits(in.slot)) return;
            core_.start(in.slot);
            answer_.done = 1;
            answer_.slot = in.slot;
            answer_.generation = core_.generation(in.slot) % parameters_.generations();
            return;
        case Rtl::Op::kFinish: {
            if (!exists) return;
            std::array<float, Rtl::kLanes> results;
            std::memcpy(results.data(), in.results.data(), sizeof results);
            const std::uint32_t now = core_.generation(in.slot);
            const bool same = now % parameters_.generations() == in.generation;
            if (!core_.finish(in.slot, same ? now : now + 1, results.data())) return;
            answer_.done = 1;
            answer_.slot = in.slot;
            return;
        }
        case Rtl::Op::kDrop:
            answer_.done = dropped_ != 0 ? 1 : 0;
            answer_.count = dropped_;
            return;
    }
}

void ClockedPrecomputeTable::look_up(const Inputs& in) {
    const auto entry = core_.find(in.key);
    if (entry == PrecomputeTable::kNone) return;
    answer_.done = 1;
    answer_.slot = entry;
    if (core_.complete(entry)) {
        answer_.complete = 1;
        std::memcpy(answer_.results.data(), core_.results(entry),
                    parameters_.lanes * sizeof answer_.results[0]);
    }
    core_.use(entry);
}

void ClockedPrecomputeTable::predict(const Inputs& in) {
    answer_.present = core_.find(in.key) != PrecomputeTable::kNone ? 1 : 0;
    const std::uint64_t replaced = core_.counts().replaced;
    const auto entry = core_.insert_if_absent(in.key, VectorOperation{});
    if (entry == PrecomputeTable::kNone) return;
    answer_.done = 1;
    answer_.slot = entry;
    answer_.replaced = core_.counts().replaced != replaced ? 1 : 0;
}

void ClockedPrecomputeTable::find_waiting(const Inputs& in) {
    auto entry = core_.first_pending();
    if (in.after) {
        const bool waits = in.slot < entries_ && core_.waits(in.slot);
        entry = waits ? core_.next_pending(in.slot) : PrecomputeTable::kNone;
    }
    if (entry == PrecomputeTable::kNone) return;
    answer_.done = 1;
    answer_.slot = entry;
    answer_.input = core_.key(entry).input;
    answer_.weights = core_.key(entry).weights;
    answer_.geometry = core_.key(entry).geometry;
}

}  // namespace tessera
