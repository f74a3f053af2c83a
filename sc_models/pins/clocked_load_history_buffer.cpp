#include "sc_models/pins/clocked_load_history_buffer.h"

#include "sc_models/common/types.h"

namespace tessera {

ClockedLoadHistoryBuffer::Outputs ClockedLoadHistoryBuffer::outputs(const Inputs& in) const {
    Outputs out;
    out.setup_ready = rows_left_ == 0 && results_.empty() ? 1 : 0;
    out.setup_error = error_ ? 1 : 0;
    out.in_ready =
        results_.advances(in.out_ready) && ready_ && rows_left_ == 0 && !in.setup_valid ? 1 : 0;
    out.out_valid = results_.out_valid() ? 1 : 0;
    if (out.out_valid == 0) return out;
    out.found = results_.out().found;
    out.same_key = results_.out().same_key;
    out.phys = results_.out().phys;
    return out;
}

void ClockedLoadHistoryBuffer::edge(const Inputs& in) {
    const Outputs out = outputs(in);
    const bool take = in.in_valid && out.in_ready != 0;
    Outputs result;
    if (take) result = operate(in);
    results_.edge(in.out_ready, take, result);
    if (in.setup_valid && out.setup_ready != 0) {
        set_up(in);
    } else if (rows_left_ != 0) {
        --rows_left_;
    }
}

void ClockedLoadHistoryBuffer::reset() {
    results_.reset();
    ready_ = error_ = false;
    rows_left_ = 0;
}

ClockedLoadHistoryBuffer::Outputs ClockedLoadHistoryBuffer::operate(const Inputs& in) {
    using Op = LoadHistoryBufferRtl::Op;
    Outputs out;
    switch (in.op) {
        case Op::kLookup: {
            const PhysRegId phys = core_.find(in.key);
            out.found = phys.valid() ? 1 : 0;
            out.phys = phys.valid() ? phys.value() : 0;
            break;
        }
        case Op::kInsert: {
            const LoadHistoryBuffer::Replaced replaced = core_.insert(in.key, PhysRegId{in.phys});
            out.found = replaced.phys.valid() ? 1 : 0;
            out.same_key = replaced.same_key ? 1 : 0;
            out.phys = replaced.phys.valid() ? replaced.phys.value() : 0;
            break;
        }
        case Op::kRelease:
            out.found = core_.release(PhysRegId{in.phys}) ? 1 : 0;
            break;
    }
    return out;
}

void ClockedLoadHistoryBuffer::set_up(const Inputs& in) {
    if (in.setup_keep) {
        core_.clear();
        rows_left_ = ready_ ? rows_ : 0;
        return;
    }
    const std::uint32_t entries = 1U << (in.setup_log_sets + in.setup_log_ways);
    const std::uint32_t ways = 1U << in.setup_log_ways;
    ready_ = entries <= parameters_.max_entries && ways <= parameters_.max_ways;
    error_ = !ready_;
    if (!ready_) return;
    core_ = LoadHistoryBuffer(entries, ways, in.setup_fold);
    core_.program(in.setup_shift, parameters_.max_registers());
    rows_left_ = rows_ = ceil_div(entries, parameters_.max_ways);
}

}  // namespace tessera
