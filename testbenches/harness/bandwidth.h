// Check that a link never carries more than its bandwidth.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Checks that in every interval a link carried at most `rate` bytes a cycle. `transfers`: cycle
/// and bytes of each transfer's end, in any order. `burst`: bytes that may come at once, for the
/// rounding of transfers to cycles.
inline void check_bandwidth(Session& session, const std::string& link,
                            std::vector<std::pair<Cycle, std::uint32_t>> transfers, double rate,
                            double burst) {
    std::sort(transfers.begin(), transfers.end());
    double level = 0;  // bytes not yet carried at full rate: a leaky bucket
    Cycle before = 0;
    for (const auto& [cycle, bytes] : transfers) {
        level = std::max(0.0, level - rate * static_cast<double>(cycle - before)) + bytes;
        before = cycle;
        if (level <= burst + 1e-6) {
            session.scoreboard.passed(1);
            continue;
        }
        session.scoreboard.begin_cycle(cycle);
        session.scoreboard.expect_count(link + ": bytes beyond its bandwidth", 0,
                                        static_cast<std::uint64_t>(level - burst) + 1);
        level = burst;
    }
}

}  // namespace tessera::testbench
