#include "testbenches/dram/dram_checker.h"

#include <fmt/format.h>
#include <algorithm>

#include "sc_models/common/error.h"
#include "testbenches/dram/dram_order.h"

namespace tessera::testbench {

DramChecker::DramChecker(Session& session, MemoryTraffic& traffic)
    : session_(session),
      traffic_(traffic),
      config_(session.config().dram),
      sector_(session.config().l2.sector_bytes),
      naive_(config_, sector_),
      to_banks_(config_.controller_latency_cycles / 2),
      from_banks_(config_.controller_latency_cycles - to_banks_),
      quiet_(config_.controller_latency_cycles + to_core(2 * naive_.span()) + 10),
      used_(config_.banks) {
    expect_room_between_refreshes();
}

void DramChecker::expect_room_between_refreshes() const {
    if (naive_.is_undisturbed(0, 2 * naive_.span())) return;
    throw ConfigError(
        fmt::format("dram.t_refi_cycles: got {}, expected {} or more, so that two "
                    "accesses fit between two refreshes",
                    config_.t_refi_cycles, config_.t_rfc_cycles + 2 * naive_.span()));
}

Cycle DramChecker::begin_case(Cycle span) {
    Cycle at = traffic_.idle_from();
    at += quiet_ + session_.below(3);
    while (!naive_.is_undisturbed(to_dram(at + to_banks_), span)) ++at;
    return at;
}

void DramChecker::begin(MemoryOperation operation, Cycle at, const Service& service, bool exact) {
    using Row = NaiveDram::Row;
    operation.at = at;
    Expectation expected;
    if (operation.command == tlm::TLM_WRITE_COMMAND) {
        expected.latency = 0;
    } else if (exact) {
        expected.latency = to_core(service.data_end) + from_banks_ - at;
    }
    expected.level = ServedBy::kDram;
    expected.kind = service.row == Row::kHit     ? "row hit"
                    : service.row == Row::kEmpty ? "row empty"
                                                 : "row conflict";
    Coverage& c = session_.coverage;
    c.hit(service.row == Row::kHit     ? bins_.hit
          : service.row == Row::kEmpty ? bins_.empty
                                       : bins_.conflict);
    c.hit_if(bins_.write, operation.command == tlm::TLM_WRITE_COMMAND);
    c.hit_if(bins_.partial, operation.bytes < sector_);
    refreshed_ += service.refreshed ? 1 : 0;
    used_[naive_.locate(operation.address).bank] = true;
    traffic_.begin(operation, expected);
}

void DramChecker::overlap(const MemoryOperation& operation) {
    Expectation expected;
    expected.kind = "overlapping";
    if (operation.command == tlm::TLM_READ_COMMAND) {
        const Cycle arrival = to_dram(operation.at + to_banks_);
        expected.least_latency = to_core(arrival + config_.t_cl_cycles + naive_.burst()) +
                                 from_banks_ - operation.at - 2;  // of clocks that are not aligned
    }
    traffic_.begin(operation, expected);
}

void DramChecker::cover() {
    Coverage& c = session_.coverage;
    c.hit_if(bins_.every_bank, std::find(used_.begin(), used_.end(), false) == used_.end());
    if (naive_.refreshes()) c.add_counted("refreshed", refreshed_, "a refresh has closed the row");
}

void DramChecker::check_reads(const std::vector<Initiator*>& initiators) const {
    const double dram_cycles =
        static_cast<double>(config_.clock_mhz) / session_.clock.frequency_mhz();
    check_dram_reads(session_, naive_, initiators, dram_cycles, session_.approximately_timed());
}

}  // namespace tessera::testbench
