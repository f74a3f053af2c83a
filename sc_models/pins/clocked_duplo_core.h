// Cycle model of the RTL's detection unit.
#pragma once

#include <array>
#include <cstdint>

#include "sc_models/cosim/duplo_core_rtl.h"
#include "sc_models/pins/clocked_id_generator.h"
#include "sc_models/pins/clocked_load_history_buffer.h"
#include "sc_models/pins/clocked_rename_table.h"

namespace tessera {

/// Detection unit (Duplo IV) with the handshakes of rtl/duplo_core: the cycle models of ID
/// generator, load history buffer and rename table joined as the RTL joins them. A unit's answer
/// comes kLatency cycles after it, if the pipe does not stall; an answer does not wait. A set-up
/// waits until no unit is under way and then takes the cycles of a packet's check.
class ClockedDuploCore {
public:
    using Inputs = DuploCoreRtl::Inputs;
    using Outputs = DuploCoreRtl::Outputs;
    using Parameters = DuploCoreRtl::Parameters;

    explicit ClockedDuploCore(const Parameters& parameters = {});

    /// Outputs in a cycle with these inputs. An output without its valid is 0.
    [[nodiscard]] Outputs outputs(const Inputs& in) const { return evaluate(in).out; }
    /// Applies the rising edge; returns the outputs of the cycle before it.
    Outputs step(const Inputs& in);
    void edge(const Inputs& in) { static_cast<void>(step(in)); }
    void reset();

    /// Whether a set-up that all blocks took is complete.
    [[nodiscard]] bool ready() const { return ready_ && !settling_; }
    /// Whether a set-up or clear is under way.
    [[nodiscard]] bool settles() const { return settling_; }
    [[nodiscard]] bool insertion_waits() const { return insertion_; }
    /// Whether a waiting insertion goes behind a release.
    [[nodiscard]] bool insertion_is_behind() const { return insertion_behind_; }
    [[nodiscard]] bool release_waits() const { return release_; }
    /// Whether the unit that is answered in this cycle finds the register that it gave up and that
    /// died with it, which is a miss.
    [[nodiscard]] bool finds_own_dead() const;

private:
    using Kind = DuploCoreRtl::Kind;
    /// A unit in the ID generator.
    struct Entered {
        bool valid = false;
        PipeUnit::Op op = PipeUnit::Op::kEnd;
        std::uint32_t unit = 0, domain = 0;
    };
    /// A unit that left it.
    struct Answer {
        bool valid = false, looks_up = false;
        Kind kind = Kind::kEnded;
        std::uint32_t bypass = 0, unit = 0;
        bool died = false;  ///< the register `old` that it gave up has no unit any more
        std::uint32_t old = 0;
        LhbKey key;
    };
    /// Everything that is decided in one cycle.
    struct Decisions {
        Outputs out;
        bool set_up = false, clear = false, idle = false;
        bool take = false, leave = false, advance = false;
        Answer leaving;
        bool died = false, misses = false;
        bool release_wanted = false, releases = false, inserts = false;
        std::uint32_t release_phys = 0, map_phys = 0;
        ClockedIdGenerator::Inputs ids;
        ClockedLoadHistoryBuffer::Inputs history;
        ClockedRenameTable::Inputs table;
    };
    static constexpr std::size_t kDepth = DuploCoreRtl::kIdLatency;
    /// Stage from which a unit's old register is read, so that it comes with the id.
    static constexpr std::size_t kEarly = kDepth - RenameTableRtl::kLatency;

    [[nodiscard]] Decisions evaluate(const Inputs& in) const;
    void decide_setup(const Inputs& in, const ClockedIdGenerator::Outputs& ids, Decisions& c) const;
    void decide_answer(Decisions& c) const;
    void decide_leaving(const ClockedIdGenerator::Outputs& ids, Decisions& c) const;
    void decide_operation(Decisions& c) const;
    /// Unit that entered `moves` moves of the pipe ago, counted from 1.
    [[nodiscard]] const Entered& stage(std::size_t moves) const {
        return entered_[(newest_ + moves - 1) % kDepth];
    }

    ClockedIdGenerator ids_;
    ClockedLoadHistoryBuffer history_;
    ClockedRenameTable table_;
    bool settling_ = false, ready_ = false;
    std::uint8_t tag_ = 0;
    std::array<Entered, kDepth> entered_{};  ///< a ring
    std::size_t newest_ = 0;
    Answer left_, answered_;         ///< units that left one and two cycles before
    bool insertion_ = false;         ///< an insertion waits
    bool insertion_behind_ = false;  ///< behind a release
    LhbKey insertion_key_;
    std::uint32_t insertion_phys_ = 0;
    bool release_ = false;  ///< a release waits
    std::uint32_t release_phys_ = 0;
};

}  // namespace tessera
