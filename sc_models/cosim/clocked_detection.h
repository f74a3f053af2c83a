// ID generator and load history buffer in RTL, clocked in step with the machine.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "sc_models/cosim/id_generator_rtl.h"
#include "sc_models/cosim/load_history_buffer_rtl.h"
#include "sc_models/cosim/lockstep.h"

namespace tessera {

/// An ID generator clocked in step with the machine: it must accept each address in the cycle in
/// which the machine's unit enters the pipe, and output its id in the cycle in which the unit
/// leaves. All its outputs are compared in every clock cycle. The clock stops while the pipe is
/// empty.
class ClockedIds {
public:
    ClockedIds(std::uint32_t seed, Lockstep& lockstep) : rtl_(seed), lockstep_(lockstep) {}

    [[nodiscard]] IdGeneratorRtl& rtl() { return rtl_; }
    void program(Cycle now, const ConvolutionPacket& packet, IdFormula formula);
    /// Passes a unit as IdDevice::pass does. Throws CheckError if the RTL's handshake or id
    /// differs.
    void pass(Cycle entered, Cycle left, Address address, const DataId& id);
    /// Clocks until the pipe is empty.
    void finish() { run_to(kNever); }
    [[nodiscard]] std::uint64_t clock_cycles() const { return rtl_.clock_cycles(); }

private:
    struct Unit {
        Cycle entered = 0, left = 0;
        Address address = 0;
        DataId id;
        std::uint8_t tag = 0;      ///< returned with the id
        std::uint64_t moves = 0;   ///< pipe moves before it entered
        std::uint64_t access = 0;  ///< access that it is a unit of
    };
    /// Runs the clock cycles before `end`; their inputs are known.
    void run_to(Cycle end);
    void step();
    /// The inputs of the next clock cycle.
    [[nodiscard]] IdGeneratorRtl::Inputs inputs();
    /// Compares the handshakes, which are valid in every cycle. `advances`: the pipe moves at the
    /// end of the cycle.
    void compare_handshakes(const IdGeneratorRtl::Outputs& got, bool advances,
                            Scoreboard& scoreboard) const;
    /// Whether the first unit's id waits at the output.
    [[nodiscard]] bool at_end() const {
        return inside_ > 0 && moves_ - units_.front().moves == IdGeneratorRtl::kLatency;
    }
    static void compare(const Unit& unit, const IdGeneratorRtl::Outputs& got,
                        Scoreboard& scoreboard);

    IdGeneratorRtl rtl_;
    Lockstep& lockstep_;
    Cycle clock_ = 0;          ///< the next clock cycle
    std::deque<Unit> units_;   ///< units that have not left
    std::size_t inside_ = 0;   ///< number of `units_` in the pipe
    std::uint64_t moves_ = 0;  ///< clock cycles that ended with a move of the pipe
    std::uint8_t tag_ = 0;     ///< tag of the next unit
};

/// A load history buffer clocked in step with the machine: it must accept each operation in its
/// cycle, and answer kLatency cycles later. All its outputs are compared in every clock cycle. The
/// clock stops while no operation is in flight.
class ClockedHistory {
public:
    ClockedHistory(std::uint32_t entries, std::uint32_t ways, bool fold, std::uint32_t seed,
                   Lockstep& lockstep)
        : rtl_(entries, ways, fold, seed), lockstep_(lockstep) {}

    [[nodiscard]] LoadHistoryBufferRtl& rtl() { return rtl_; }
    void program(std::uint32_t shift, std::uint32_t registers);
    void clear();
    /// Expected answer of the buffer.
    struct ExpectedAnswer {
        bool found = false, same_key = false;
        PhysRegId phys;
    };
    /// Issues an operation in cycle `at`. Throws CheckError if the RTL does not accept it then, or
    /// answered an earlier one wrongly.
    void operate(Cycle at, LoadHistoryBufferRtl::Op op, const LhbKey& key, PhysRegId phys,
                 const ExpectedAnswer& answer);
    /// Clocks until all operations have been answered.
    void finish();
    [[nodiscard]] std::uint64_t clock_cycles() const { return rtl_.clock_cycles(); }

private:
    struct Awaited {
        Cycle due = 0;
        ExpectedAnswer answer;
        std::uint64_t access = 0;  ///< access that the operation is for
    };
    void step(const LoadHistoryBufferRtl::Inputs& inputs);

    LoadHistoryBufferRtl rtl_;
    Lockstep& lockstep_;
    Cycle clock_ = 0;  ///< the next clock cycle
    std::deque<Awaited> awaited_;
};

}  // namespace tessera
