// Checker of a DRAM channel: compares its accesses with the naive channel.
#pragma once

#include <vector>

#include "testbenches/dram/naive_dram.h"
#include "testbenches/dram/plan.h"
#include "testbenches/harness/memory_traffic.h"

namespace tessera::testbench {

/// Plans accesses with what the naive channel expects of them, and counts their situations. Cycles
/// are those of the core unless a name says DRAM.
class DramChecker {
public:
    using Service = NaiveDram::Service;

    /// `session` and `traffic` must outlive it. Throws ConfigError if two accesses do not fit
    /// between two refreshes.
    DramChecker(Session& session, MemoryTraffic& traffic);

    [[nodiscard]] const NaiveDram& naive() const { return naive_; }
    [[nodiscard]] const Bins& bins() const { return bins_; }
    /// Returns whether the distance of two accesses is known.
    [[nodiscard]] bool is_exact() const { return config_.efficiency_percent == 100; }
    /// Returns whether a case of `span` DRAM cycles fits between two refreshes, behind an access.
    [[nodiscard]] bool fits_case(Cycle span) const {
        return naive_.is_undisturbed(0, naive_.span() + span);
    }
    /// Returns the cycle at which a case may begin: all accesses before are over, and no refresh
    /// disturbs it for `span` DRAM cycles.
    [[nodiscard]] Cycle begin_case(Cycle span);
    /// Returns the cycle at which a lone access that began at `at` is over.
    [[nodiscard]] Cycle end_of_access(Cycle at) const { return at + to_core(naive_.span()) - 1; }

    /// Plays an access in the naive channel, where it is the next to get its column command.
    Service serve(const MemoryOperation& operation, Cycle at) {
        return serve(naive_, operation, at);
    }
    /// Returns what serve() would return, and leaves the naive channel as it is.
    [[nodiscard]] Service preview(const MemoryOperation& operation, Cycle at) const {
        NaiveDram copy = naive_;
        return serve(copy, operation, at);
    }
    /// Plans an access at `at`. `service`: what the naive channel expects; `exact`: its latency,
    /// too.
    void begin(MemoryOperation operation, Cycle at, const Service& service, bool exact);
    /// Plans an access that the naive channel serves next.
    void begin(const MemoryOperation& operation, Cycle at, bool exact) {
        begin(operation, at, serve(operation, at), exact);
    }
    /// Plans an access among others: only its least latency is known.
    void overlap(const MemoryOperation& operation);

    /// Adds the bins of all accesses, at the end of the run.
    void cover();
    /// Checks order and bandwidth of all finished reads.
    void check_reads(const std::vector<Initiator*>& initiators) const;

private:
    void expect_room_between_refreshes() const;
    [[nodiscard]] Service serve(NaiveDram& naive, const MemoryOperation& operation,
                                Cycle at) const {
        return naive.access(naive.locate(operation.address), to_dram(at + to_banks_),
                            operation.command == tlm::TLM_WRITE_COMMAND);
    }
    [[nodiscard]] Cycle to_dram(Cycle core) const {
        return ceil_div(core * config_.clock_mhz, std::uint64_t{session_.clock.frequency_mhz()});
    }
    [[nodiscard]] Cycle to_core(Cycle dram) const {
        return ceil_div(dram * session_.clock.frequency_mhz(), std::uint64_t{config_.clock_mhz});
    }

    Session& session_;
    MemoryTraffic& traffic_;
    const DramConfig config_;
    const std::uint32_t sector_;  ///< bytes
    NaiveDram naive_;
    const Cycle to_banks_, from_banks_;
    const Cycle quiet_;       ///< cycles after which a case is over, writes included
    std::vector<bool> used_;  ///< banks, by accesses that the naive channel has followed
    std::uint64_t refreshed_ = 0;
    const Bins bins_{session_.coverage};
};

}  // namespace tessera::testbench
