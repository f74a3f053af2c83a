// Checker of an L2 slice: compares its accesses, fetches and write-backs with the naive slice.
#pragma once

#include <vector>

#include "testbenches/harness/memory_traffic.h"
#include "testbenches/l2/below_l2.h"
#include "testbenches/l2/naive_l2.h"
#include "testbenches/l2/plan.h"

namespace tessera::testbench {

/// Plans accesses with what the naive slice expects of them, and counts their situations.
class L2Checker {
public:
    /// `below`: what the memory below receives. All arguments must outlive the checker.
    L2Checker(Session& session, MemoryTraffic& traffic, const std::vector<MemoryEvent>& below)
        : session_(session),
          traffic_(traffic),
          config_(session.config().l2),
          naive_(config_),
          naive_map_(config_),
          below_(session, below, config_.hit_latency_cycles + kBelow) {}

    /// Plays one access alone: level, latency, fetches and write-backs are exact.
    void step(MemoryOperation operation);
    /// Plans an access among others: a read takes as long as a hit, or longer.
    void overlap(const MemoryOperation& operation);
    /// Counts the situation that an access would find if those before it were over.
    void count(const MemoryOperation& operation) { count(operation, look_up(operation)); }
    /// Checks that the memory below has received all write-backs of lone accesses.
    void expect_all_written_back() { below_.expect_all_written_back(); }
    /// Checks all fetches and write-backs, at the end of the run, also against those that the slice
    /// has counted.
    void check_below(std::uint64_t fetches, std::uint64_t write_backs);

private:
    NaiveL2::Lookup look_up(const MemoryOperation& operation);
    void count(const MemoryOperation& operation, const NaiveL2::Lookup& lookup);
    void note_writes(const MemoryOperation& operation);
    /// Returns the global addresses of sectors of the slice.
    [[nodiscard]] std::vector<Address> global(std::vector<Address> sectors) const;

    Session& session_;
    MemoryTraffic& traffic_;
    const L2Config config_;
    NaiveL2 naive_;
    const NaiveAddressMap naive_map_;
    BelowL2 below_;
    const Bins bins_{session_.coverage};
};

}  // namespace tessera::testbench
