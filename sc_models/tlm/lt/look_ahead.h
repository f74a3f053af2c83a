// Look-ahead of a loosely-timed SM on another host thread, with futures for unknown responses.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// A quantum of a loosely-timed SM that a host thread runs ahead of its SystemC time. The levels
/// below the L1 are shared and serve requests in the order of quanta, so a request that leaves the
/// L1 meanwhile is only recorded and its response is a future. At the quantum's SystemC time the
/// requests are sent, in the order in which they were recorded, and the futures resolve to cycles.
/// The results of a quantum thus depend on no other thread.
///
/// No response comes before `bound`, so a comparison with an earlier cycle needs no actual
/// response. Code that needs more, or is about to access shared state, synchronises first: the
/// thread waits for the quantum's SystemC time, and from then on the quantum no longer runs ahead.
class LookAhead {
public:
    virtual ~LookAhead() = default;
    LookAhead(const LookAhead&) = delete;
    LookAhead& operator=(const LookAhead&) = delete;

    /// Returns whether requests are recorded instead of sent.
    [[nodiscard]] bool active() const { return active_; }
    /// Returns the first cycle at which a response from below the L1 may arrive.
    [[nodiscard]] Cycle bound() const { return bound_; }
    /// Ends the look-ahead of the quantum; all futures are resolved afterwards.
    void synchronise() {
        if (active_) wait_for_time();
    }
    /// Synchronises if the result of a comparison with `cycle` depends on futures.
    void synchronise_beyond(Cycle cycle) {
        if (active_ && cycle >= bound_) wait_for_time();
    }

    /// Creates a future; futures count from zero in each quantum.
    std::uint32_t make_future() {
        cycles_.push_back(kNever);
        return static_cast<std::uint32_t>(cycles_.size() - 1);
    }
    void resolve(std::uint32_t future, Cycle cycle) { cycles_[future] = cycle; }
    /// Returns the cycle of a future; kNever: unresolved.
    [[nodiscard]] Cycle cycle_of(std::uint32_t future) const { return cycles_[future]; }

protected:
    LookAhead() = default;
    void begin(Cycle bound) {
        cycles_.clear();
        bound_ = bound;
        active_ = true;
    }
    void end() { active_ = false; }
    /// Returns at the quantum's SystemC time, after end() has been called.
    virtual void wait_for_time() = 0;

private:
    bool active_ = false;
    Cycle bound_ = 0;
    std::vector<Cycle> cycles_;
};

}  // namespace tessera
