// Cycle model of the RTL's precompute table.
#pragma once

#include <cstdint>

#include "sc_models/cosim/precompute_table_rtl.h"
#include "sc_models/opportunistic/precompute_table.h"

namespace tessera {

/// Precompute table (opportunistic computing, III-A) with the handshakes of rtl/precompute_table:
/// an operation is taken a cycle after it was offered to an idle table, or later by a cycle for
/// each entry that it drops; its answer appears in the cycle after and stays until it is taken.
class ClockedPrecomputeTable {
public:
    using Rtl = PrecomputeTableRtl;
    using Inputs = Rtl::Inputs;
    using Outputs = Rtl::Outputs;
    using Parameters = Rtl::Parameters;

    explicit ClockedPrecomputeTable(const Parameters& parameters = {}) : parameters_(parameters) {}

    /// Outputs in a cycle with these inputs. What an answer does not have is 0.
    [[nodiscard]] Outputs outputs(const Inputs& in) const;
    /// Applies the rising edge.
    void edge(const Inputs& in);
    void reset();

    [[nodiscard]] const PrecomputeTable& core() const { return core_; }
    /// Whether there are entries.
    [[nodiscard]] bool ready() const { return ready_; }
    [[nodiscard]] std::uint32_t entries() const { return entries_; }
    [[nodiscard]] bool idle() const { return state_ == State::kIdle; }
    /// Whether an operation was offered and is not taken yet.
    [[nodiscard]] bool applies() const { return state_ == State::kApply; }
    /// Number of entries that the operation under way has dropped.
    [[nodiscard]] std::uint32_t dropped() const { return dropped_; }

private:
    enum class State : std::uint8_t { kIdle, kApply, kAnswer };

    [[nodiscard]] bool drops(const Inputs& in) const {
        return in.op == Rtl::Op::kDrop && dropped_ != in.count && core_.size() != 0;
    }
    void apply(const Inputs& in);
    void look_up(const Inputs& in);
    void predict(const Inputs& in);
    void find_waiting(const Inputs& in);

    Parameters parameters_;
    PrecomputeTable core_{1, parameters_.lanes};
    State state_ = State::kIdle;
    bool ready_ = false, error_ = false;
    std::uint32_t entries_ = 0, dropped_ = 0;
    Outputs answer_;
};

}  // namespace tessera
