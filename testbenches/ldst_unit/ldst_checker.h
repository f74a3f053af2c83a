// Checker of the LDST unit: compares grants, requests, completions and data with the reference.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "sc_models/sm/ldst_unit.h"
#include "testbenches/harness/memory_target.h"
#include "testbenches/harness/session.h"
#include "testbenches/ldst_unit/naive_ldst.h"
#include "testbenches/ldst_unit/sub_core_drivers.h"

namespace tessera::testbench {

/// Blocks around the unit that the checker reads.
struct LdstSurroundings {
    MemoryTarget& memory;
    RegisterFile& registers;
    SharedMemory& shared_memory;
};

/// Follows each instruction from its grant to its end, and counts the situations it was in.
class LdstChecker : public IssueObserver {
public:
    /// `session`, `naive` and the blocks of `around` must outlive it.
    LdstChecker(Session& session, NaiveLdst& naive, const LdstSurroundings& around);
    LdstChecker(const LdstChecker&) = delete;
    LdstChecker& operator=(const LdstChecker&) = delete;
    /// Sets the blocks that are made with the checker; once.
    void attach(const SubCoreDrivers& drivers, const LdstUnit& unit) {
        drivers_ = &drivers;
        unit_ = &unit;
    }
    /// Records the acceptance delay of the request that the memory has just received.
    void add_delay(Cycle cycles) { held_.push_back(cycles); }
    /// Compares statistics, and the contents of registers, shared memory and memory.
    void check_end(const StatGroup& statistics);

private:
    /// State of an instruction from its grant on.
    struct Flight {
        Cycle issued = 0;
        std::size_t first_request = 0;        ///< in the memory's log
        Cycle done = 0;                       ///< expected
        std::vector<unsigned char> expected;  ///< registers of the data, at the end
    };
    struct Bins {
        std::vector<Coverage::Bin> kinds;
        Coverage::Bin unaligned, line_split, conflict, slots_full, shared_conflict, broadcast,
            contention, same_warp, back_to_back, idle, waits_for_data, load_stall, store_stall,
            flights;
    };

    void on_issue(std::size_t index, Cycle ready,
                  const std::vector<ArbiterRequest>& requests) override;
    void on_sent(std::size_t index) override;
    void on_done(std::size_t index, Cycle at) override;
    static Bins make_bins(Coverage& coverage);
    void count_grant(const WarpOperation& operation, const std::vector<ArbiterRequest>& requests);
    void count(const WarpOperation& operation, const NaiveService& service);
    void check_requests(const Flight& flight, const NaiveService& service);
    void check_counts(const StatGroup& statistics);
    void expect_bytes(const std::string& what, const std::vector<unsigned char>& expected,
                      const std::byte* got);

    Session& session_;
    const Config& config_;
    NaiveLdst& naive_;
    const LdstSurroundings around_;
    const SubCoreDrivers* drivers_ = nullptr;
    const LdstUnit* unit_ = nullptr;
    const Bins bins_;
    std::vector<Flight> flights_;
    std::vector<Cycle> held_;          ///< acceptance delay of each request
    Cycle free_at_ = 0;                ///< expected
    std::uint32_t last_sub_core_ = 0;  ///< served last
    std::multiset<Cycle> ends_;        ///< expected ends of the instructions in flight
    std::size_t sent_ = 0;
};

}  // namespace tessera::testbench
