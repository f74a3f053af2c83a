// Load history buffer of a detection unit behind the pipe that limits its operations.
#pragma once

#include <deque>
#include <optional>

#include "sc_models/common/types.h"
#include "sc_models/duplo/detection_devices.h"
#include "sc_models/duplo/keys/duplo_config.h"
#include "sc_models/duplo/load_history_buffer.h"
#include "sc_models/duplo/lookup_port.h"

namespace tessera {

/// Receives the results of insertions, which may come later than the lookups that missed.
class InsertionListener {
public:
    /// Reports that the entry of `phys` was inserted, and what it replaced.
    virtual void on_inserted(PhysRegId phys, const LoadHistoryBuffer::Replaced& replaced) = 0;

protected:
    ~InsertionListener() = default;
};

/// Operations of the load history buffer (LHB) in the cycles in which the pipe executes them
/// (LookupPort). An insertion comes some cycles after the lookup that missed; until then the id can
/// not be found. If lookups are unlimited (`duplo.lookups_per_cycle`), every operation takes effect
/// at once.
///
/// For each unit of a load: `enter` (or `bypass`), `find` at most once, `leave`, and after a miss
/// `insert`.
class HistoryPipe {
public:
    /// `buffer` must outlive this.
    HistoryPipe(const DuploConfig& config, HistoryPort& buffer) : buffer_(buffer) {
        if (config.lookups_per_cycle != DuploConfig::kUnlimitedLookups) {
            port_.emplace(config.lookups_per_cycle, config.latency_cycles);
        }
    }

    /// Sets the receiver of insertions, which must outlive this.
    void report_to(InsertionListener& listener) { listener_ = &listener; }
    [[nodiscard]] HistoryPort& buffer() { return buffer_; }
    [[nodiscard]] const HistoryPort& buffer() const { return buffer_; }
    /// Returns whether the pipe limits operations. The functions up to `leave` need that.
    [[nodiscard]] bool limited() const { return port_.has_value(); }

    /// Returns the first cycle at or after `now` at which the pipe accepts a unit.
    [[nodiscard]] Cycle open_at(Cycle now) const { return port_->open_at(now); }
    /// Enters the next unit at or after `now`; returns the cycle.
    Cycle enter(Cycle now);
    /// Passes a unit that comes at `now` and is not looked up.
    void bypass(Cycle now) {
        if (!port_) return;
        port_->skip_to(now);
        late_ = 0;
    }
    /// Executes the release of a register that died with the unit that left last; returns whether
    /// it had an entry.
    bool release_behind(PhysRegId phys);
    /// Ends the unit that entered last, after its operations; returns the cycle.
    Cycle leave();

    /// Returns the entry of the unit that entered last, and its delay by stalls.
    [[nodiscard]] Cycle entered() const { return entered_; }
    [[nodiscard]] Cycle late() const { return late_; }

    [[nodiscard]] PhysRegId find(const LhbKey& key) {
        if (port_) look_up();
        return buffer_.find(key);
    }
    /// Inserts the entry of a register for the unit that was looked up last.
    void insert(const LhbKey& key, PhysRegId phys);
    /// Releases the entry of a register that died; returns whether there was one.
    bool release(PhysRegId phys);
    /// Returns whether the register's value recurs, so that its entry is kept.
    [[nodiscard]] bool keeps(PhysRegId phys);
    /// Executes all pending insertions.
    void settle();
    /// Likewise, then advances to `now` for operations without a unit.
    void settle_at(Cycle now);

private:
    /// A miss whose entry has yet to be inserted.
    struct PendingInsertion {
        LhbKey key;
        PhysRegId phys;
    };

    void look_up();
    void insert_oldest(Cycle at);
    void settle_insertion_of(PhysRegId phys);
    [[nodiscard]] Cycle operate();

    HistoryPort& buffer_;
    InsertionListener* listener_ = nullptr;
    std::optional<LookupPort> port_;           ///< empty: lookups are unlimited
    Cycle entered_ = 0;                        ///< entry of the last unit
    Cycle looked_up_ = 0;                      ///< its lookup
    Cycle late_ = 0;                           ///< its delay by stalls
    std::deque<PendingInsertion> insertions_;  ///< oldest first
};

}  // namespace tessera
