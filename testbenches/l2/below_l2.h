// Checks of the fetches and write-backs that an L2 slice sends to the memory below.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "testbenches/harness/memory_target.h"
#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Requests that reached the memory below, compared to those expected of lone accesses, and to the
/// rules that hold for accesses that overlap.
class BelowL2 {
public:
    /// `round_trip`: cycles from a fetch's arrival below to that of a later one that may take the
    /// same miss register.
    BelowL2(Session& session, const std::vector<MemoryEvent>& events, Cycle round_trip)
        : session_(session), events_(events), round_trip_(round_trip) {}

    /// Records a write of the sector at `address`.
    void note_write(Address address) { ++writes_[address]; }
    /// Compares the requests since the last call: exactly `fetches`, in order, and those of the
    /// write-backs expected so far. A write-back may reach the memory after later accesses.
    void expect_alone(const std::vector<Address>& fetches, const std::vector<Address>& write_backs);
    /// Compares the number of write-backs since the start to that of lone accesses.
    void expect_all_written_back();
    /// Checks the requests since the last call of expect_alone: a sector that is on its way is not
    /// fetched again, no more sectors are on their way than there are `registers`, and a sector is
    /// written back at most as often as it was written.
    void check_overlapping(std::uint32_t registers);
    /// Compares the numbers of requests to the module's counters.
    void expect_counts(std::uint64_t fetches, std::uint64_t write_backs);

private:
    Session& session_;
    const std::vector<MemoryEvent>& events_;
    const Cycle round_trip_;
    std::size_t seen_ = 0;
    std::deque<Address> due_;                  ///< expected write-backs
    std::map<Address, std::uint64_t> writes_;  ///< by sector
};

}  // namespace tessera::testbench
