// Random stalls at the output of a pipeline, and the check of its latency under them.
#pragma once

#include <deque>
#include <random>

#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Decides in which cycles results are received, and checks that the pipeline stands as a whole
/// while one waits: each result comes `latency` cycles after its operation and the stalls since.
class StallCheck {
public:
    StallCheck(Session& session, Cycle latency)
        : session_(session),
          latency_(latency),
          random_(session.options().seed),
          result_waits_(session.coverage.add("result_waits", "a result waits for its receiver")),
          input_waits_(session.coverage.add("input_waits", "an operation waits for the block")) {}

    /// Returns whether a result is received in the next cycle.
    [[nodiscard]] bool receives() { return random_() % 8 != 0; }
    /// Notes an operation that enters the pipeline.
    void enter(Cycle now) { entered_.push_back(now - stalls_); }
    void note_input(bool offered, bool taken) {
        session_.coverage.hit_if(input_waits_, offered && !taken);
    }
    /// Notes a result at the output in cycle `now`, received or not.
    void note_result(bool received, Cycle now) {
        if (!received) {
            ++stalls_;
            session_.coverage.hit(result_waits_);
            return;
        }
        if (entered_.empty()) {
            session_.violations({"a result without an operation"});
            return;
        }
        session_.scoreboard.begin_cycle(now);
        session_.scoreboard.expect_count("latency without stalls", latency_,
                                         now - stalls_ - entered_.front());
        entered_.pop_front();
    }

private:
    Session& session_;
    const Cycle latency_;
    std::mt19937_64 random_;  ///< apart from the stimulus, which is that of all implementations
    Cycle stalls_ = 0;
    std::deque<Cycle> entered_;  ///< cycles of entry without the stalls before
    const Coverage::Bin result_waits_, input_waits_;
};

}  // namespace tessera::testbench
