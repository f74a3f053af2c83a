// Checker of the L1: compares its accesses with the naive cache.
#pragma once

#include "testbenches/harness/memory_traffic.h"
#include "testbenches/l1/naive_l1.h"
#include "testbenches/l1/plan.h"

namespace tessera::testbench {

/// Plans accesses with what the naive cache expects of them, and counts their situations.
class L1Checker {
public:
    /// `session` and `traffic` must outlive it.
    L1Checker(Session& session, MemoryTraffic& traffic)
        : session_(session),
          traffic_(traffic),
          config_(session.config().l1),
          naive_(config_, kCapacity) {}

    /// Plays one access alone: level and latency are exact.
    void step(const MemoryOperation& operation);
    /// Plans an access among others: it takes as long as a hit, or longer.
    void overlap(const MemoryOperation& operation);
    /// Empties the naive cache.
    void clear() { naive_ = NaiveL1(config_, kCapacity); }

private:
    void count(const MemoryOperation& operation, const NaiveL1::Lookup& lookup);

    Session& session_;
    MemoryTraffic& traffic_;
    const L1Config config_;
    NaiveL1 naive_;
    const Bins bins_{session_.coverage};
};

}  // namespace tessera::testbench
