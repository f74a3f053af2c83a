// What runs ahead of SystemC's time on another thread of the host, and what it may not know yet.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// A turn of a loosely-timed SM that a thread of the host takes before SystemC's time has come to
/// it. What lies below the L1 is shared, and serves requests in the order of turns; so a request
/// that leaves the L1 meanwhile is only noted, its answer a promise. When the turn's time has come
/// the requests are sent, in the order in which they were noted, and promises become cycles. What a
/// turn does so depends on no other thread.
///
/// No answer comes before `bound`, so that whoever only asks whether one is there by an earlier
/// cycle knows: it is not. Who has to know more, or is about to touch what is shared, catches up
/// first: the thread waits until the turn's time has come, and from there on the turn does not run
/// ahead any more.
class RunAhead {
public:
    virtual ~RunAhead() = default;
    RunAhead(const RunAhead&) = delete;
    RunAhead& operator=(const RunAhead&) = delete;

    /// Whether requests are to be noted and not sent.
    [[nodiscard]] bool active() const { return active_; }
    /// The first cycle at which an answer from below the L1 may be there.
    [[nodiscard]] Cycle bound() const { return bound_; }
    /// Has the turn run ahead no more. All promises are cycles afterwards.
    void catch_up() {
        if (active_) wait_for_time();
    }
    /// The same if what is about to be decided hangs on answers: it compares them with `cycle`.
    void catch_up_beyond(Cycle cycle) {
        if (active_ && cycle >= bound_) wait_for_time();
    }

    /// A new answer to come. Promises count from zero in each turn.
    std::uint32_t promise() {
        answers_.push_back(kNever);
        return static_cast<std::uint32_t>(answers_.size() - 1);
    }
    /// The one that was made last.
    [[nodiscard]] std::uint32_t last_promise() const {
        return static_cast<std::uint32_t>(answers_.size() - 1);
    }
    void answer(std::uint32_t promise, Cycle cycle) { answers_[promise] = cycle; }
    /// kNever: a promise still.
    [[nodiscard]] Cycle answered(std::uint32_t promise) const { return answers_[promise]; }

protected:
    RunAhead() = default;
    void begin(Cycle bound) {
        answers_.clear();
        bound_ = bound;
        active_ = true;
    }
    void end() { active_ = false; }
    /// Comes back when the turn's time has come and end() has been called.
    virtual void wait_for_time() = 0;

private:
    bool active_ = false;
    Cycle bound_ = 0;
    std::vector<Cycle> answers_;
};

}  // namespace tessera
