// Look-ahead of a loosely-timed SM on another host thread, with promises for unknown responses.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// A quantum of a loosely-timed SM that a host thread takes ahead of its SystemC time. The levels
/// below the L1 are shared and serve requests in the order of quanta, so a request that leaves the
/// L1 meanwhile is only recorded and its response is a promise. At the quantum's SystemC time the
/// requests are sent, in the order in which they were recorded, and the promises resolve to cycles.
/// The results of a quantum thus depend on no other thread.
///
/// No response comes before `bound`, so a comparison with an earlier cycle needs no actual
/// response. Code that needs more, or is about to access shared state, catches up first: the thread
/// waits for the quantum's SystemC time, and from then on the quantum no longer runs ahead.
class RunAhead {
public:
    virtual ~RunAhead() = default;
    RunAhead(const RunAhead&) = delete;
    RunAhead& operator=(const RunAhead&) = delete;

    /// Returns whether requests are recorded instead of sent.
    [[nodiscard]] bool active() const { return active_; }
    /// Returns the first cycle at which a response from below the L1 may arrive.
    [[nodiscard]] Cycle bound() const { return bound_; }
    /// Ends the look-ahead of the quantum; all promises are resolved afterwards.
    void catch_up() {
        if (active_) wait_for_time();
    }
    /// catch_up() if the outcome of a comparison with `cycle` depends on promises.
    void catch_up_beyond(Cycle cycle) {
        if (active_ && cycle >= bound_) wait_for_time();
    }

    /// Creates a promise; promises count from zero in each quantum.
    std::uint32_t promise() {
        answers_.push_back(kNever);
        return static_cast<std::uint32_t>(answers_.size() - 1);
    }
    /// Returns the promise created last.
    [[nodiscard]] std::uint32_t last_promise() const {
        return static_cast<std::uint32_t>(answers_.size() - 1);
    }
    void answer(std::uint32_t promise, Cycle cycle) { answers_[promise] = cycle; }
    /// Returns the cycle of a promise; kNever: unresolved.
    [[nodiscard]] Cycle answered(std::uint32_t promise) const { return answers_[promise]; }

protected:
    RunAhead() = default;
    void begin(Cycle bound) {
        answers_.clear();
        bound_ = bound;
        active_ = true;
    }
    void end() { active_ = false; }
    /// Returns at the quantum's SystemC time, after end() has been called.
    virtual void wait_for_time() = 0;

private:
    bool active_ = false;
    Cycle bound_ = 0;
    std::vector<Cycle> answers_;
};

}  // namespace tessera
