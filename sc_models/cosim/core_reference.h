// Expected cycles of the detection unit in RTL, from the answers of its model.
#pragma once

#include <cstdint>
#include <deque>

#include "sc_models/common/types.h"
#include "sc_models/cosim/duplo_core_rtl.h"
#include "sc_models/cosim/scoreboard.h"
#include "sc_models/duplo/detection_devices.h"

namespace tessera {

/// Inputs and expected outputs of rtl/duplo_core, cycle by cycle: it must take each unit in the
/// cycle in which the model's unit enters the pipe, stall in the cycles in which the model's pipe
/// does, and give the model's answer in its cycle.
class CoreReference {
public:
    /// Adds a unit of the access numbered `access` (0: none), in the order of entry; not before the
    /// next cycle.
    void add(const PipeUnit& unit, const PipeAnswer& answer, std::uint64_t access = 0);
    [[nodiscard]] bool empty() const { return units_.empty(); }
    /// Whether all units that were added are in the pipe.
    [[nodiscard]] bool all_entered() const { return entered_ == units_.size(); }
    /// Cycle of the next step.
    [[nodiscard]] Cycle now() const { return now_; }
    /// Sets the cycle of the next step, while no unit is there.
    void skip_to(Cycle now) { now_ = now; }
    /// Forgets all units: a reset.
    void reset();

    /// Inputs of the next step; set-up and clear stay idle.
    [[nodiscard]] DuploCoreRtl::Inputs inputs() const;
    /// Handshakes of the next step.
    struct Handshakes {
        bool leaves = false;    ///< a unit leaves the ID generator
        bool in_ready = false;  ///< the pipe moves
        bool out_valid = false;
    };
    [[nodiscard]] Handshakes handshakes() const;
    /// Returns the access of the unit that the next step compares: the one answered, or else the
    /// first in the ID generator, or else the one that enters.
    [[nodiscard]] std::uint64_t compared_access() const;
    /// Compares the outputs for these inputs, and goes on to the next cycle.
    void check(const DuploCoreRtl::Outputs& got, Scoreboard& scoreboard);

private:
    struct Unit {
        PipeUnit unit;
        PipeAnswer answer;
        std::uint64_t access = 0;  ///< access that it is a unit of
        std::uint64_t moves = 0;   ///< pipe moves before it entered
    };
    /// Whether the unit that leaves next is at the end of the ID generator.
    [[nodiscard]] bool at_end() const {
        return left_ < entered_ && moves_ - units_[left_].moves == DuploCoreRtl::kIdLatency;
    }
    static void compare(const Unit& unit, const DuploCoreRtl::Outputs& got, Scoreboard& scoreboard);

    std::deque<Unit> units_;   ///< without answer, oldest first
    std::size_t left_ = 0;     ///< number of them that left the ID generator
    std::size_t entered_ = 0;  ///< number of them that entered
    std::uint64_t moves_ = 0;  ///< cycles that ended with a move of the pipe
    Cycle now_ = 0;
};

}  // namespace tessera
