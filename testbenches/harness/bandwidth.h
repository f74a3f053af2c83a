// Check that a link never carries more than its bandwidth.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Cycle and bytes of each transfer of a link.
using Transfers = std::vector<std::pair<Cycle, std::uint32_t>>;

/// Adds a transfer whose last piece begins at `last` to `transfers`, as pieces of `piece_bytes` at
/// `rate` bytes a cycle.
inline void add_pieces(Transfers& transfers, Cycle last, std::uint32_t pieces,
                       std::uint32_t piece_bytes, std::uint32_t rate) {
    for (std::uint32_t i = 0; i < pieces; ++i) {
        const Cycle before = Cycle{i} * piece_bytes / rate;
        transfers.emplace_back(last - std::min(last, before), piece_bytes);
    }
}

/// Checks that in every interval a link carried at most `rate` bytes a cycle. `transfers` may have
/// any order. `burst`: bytes that may come at once, for the rounding of transfers to cycles.
inline void check_bandwidth(Session& session, const std::string& link, Transfers transfers,
                            double rate, double burst) {
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
