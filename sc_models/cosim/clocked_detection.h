// ID generator and load history buffer in RTL, clocked with the machine.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "sc_models/cosim/id_generator_rtl.h"
#include "sc_models/cosim/load_history_buffer_rtl.h"
#include "sc_models/cosim/lockstep.h"

namespace tessera {

/// One ID generator whose clock cycles are the machine's: it must take each address in the cycle in
/// which the machine's unit enters the pipe, and show its id in that in which the unit leaves.
/// All its outputs are compared in every clock cycle. While nothing is under way its clock stands.
class ClockedIds {
public:
    ClockedIds(std::uint32_t seed, Lockstep& lockstep) : rtl_(seed), lockstep_(lockstep) {}

    [[nodiscard]] IdGeneratorRtl& rtl() { return rtl_; }
    void program(Cycle now, const ConvolutionPacket& packet, IdFormula formula);
    /// As IdDevice::pass. Throws CheckError if the RTL takes or says anything else.
    void pass(Cycle entered, Cycle left, Address address, const DataId& id);
    /// Clocks on until nothing is under way.
    void finish() { run_to(kNever); }
    [[nodiscard]] std::uint64_t clock_cycles() const { return rtl_.clock_cycles(); }

private:
    struct Unit {
        Cycle entered = 0, left = 0;
        Address address = 0;
        DataId id;
        std::uint8_t tag = 0;     ///< comes back with the id
        std::uint64_t moves = 0;  ///< of the pipe, before it entered
    };
    /// The clock cycles before `end`; their inputs are known.
    void run_to(Cycle end);
    void step();
    /// The inputs of the next clock cycle.
    [[nodiscard]] IdGeneratorRtl::Inputs inputs();
    /// Handshakes, whatever is under way. `advances`: the pipe moves at the end of the cycle.
    void compare_handshakes(const IdGeneratorRtl::Outputs& got, bool advances,
                            Scoreboard& scoreboard) const;
    /// Whether the id of the first unit waits to be taken.
    [[nodiscard]] bool at_end() const {
        return inside_ > 0 && moves_ - units_.front().moves == IdGeneratorRtl::kLatency;
    }
    static void compare(const Unit& unit, const IdGeneratorRtl::Outputs& got,
                        Scoreboard& scoreboard);

    IdGeneratorRtl rtl_;
    Lockstep& lockstep_;
    Cycle clock_ = 0;          ///< the next clock cycle
    std::deque<Unit> units_;   ///< that have not left
    std::size_t inside_ = 0;   ///< of them, in the pipe already
    std::uint64_t moves_ = 0;  ///< clock cycles at whose end the pipe moved
    std::uint8_t tag_ = 0;     ///< of the next unit
};

/// One load history buffer whose clock cycles are the machine's: it must take each operation in its
/// cycle, and answer kLatency cycles later. All its outputs are compared in every clock cycle.
/// While nothing is under way its clock stands.
class ClockedHistory {
public:
    ClockedHistory(std::uint32_t entries, std::uint32_t ways, bool fold, std::uint32_t seed,
                   Lockstep& lockstep)
        : rtl_(entries, ways, fold, seed), lockstep_(lockstep) {}

    [[nodiscard]] LoadHistoryBufferRtl& rtl() { return rtl_; }
    void program(std::uint32_t shift, std::uint32_t registers);
    void clear();
    /// What the buffer must answer.
    struct Answer {
        bool found = false, same_key = false;
        PhysRegId phys;
    };
    /// An operation of cycle `at`. Throws CheckError if the RTL does not take it then, or did not
    /// answer one before as it must.
    void operate(Cycle at, LoadHistoryBufferRtl::Op op, const LhbKey& key, PhysRegId phys,
                 const Answer& answer);
    /// Clocks on until all have been answered.
    void finish();
    [[nodiscard]] std::uint64_t clock_cycles() const { return rtl_.clock_cycles(); }

private:
    struct Awaited {
        Cycle due = 0;
        Answer answer;
    };
    void step(const LoadHistoryBufferRtl::Inputs& inputs);

    LoadHistoryBufferRtl rtl_;
    Lockstep& lockstep_;
    Cycle clock_ = 0;  ///< the next clock cycle
    std::deque<Awaited> awaited_;
};

}  // namespace tessera
