#include "sc_models/gpu/memory_system.h"

#include <fmt/format.h>
#include <algorithm>

#include "sc_models/common/conservation.h"
#include "sc_models/common/error.h"

namespace tessera {
namespace {

/// Returns the sockets of the foreign memory, one for each link.
ForeignMemory::Sockets sockets_of(const ForeignMemory& foreign, std::uint32_t sms,
                                  std::uint32_t slices) {
    const bool by_sm = foreign.place == MemoryPlace::kBelowL1;
    const std::uint32_t links = by_sm ? sms : slices;
    ForeignMemory::Sockets sockets = foreign.make(links);
    if (sockets.size() != links || std::count(sockets.begin(), sockets.end(), nullptr) != 0) {
        throw ConfigError(fmt::format(
            "the foreign memory {} gave {} target sockets, expected {}: one for each {}",
            by_sm                                     ? "below the L1 caches"
            : foreign.place == MemoryPlace::kBelowNoc ? "below the network"
                                                      : "below the L2 slices",
            sockets.size() -
                static_cast<std::size_t>(std::count(sockets.begin(), sockets.end(), nullptr)),
            links, by_sm ? "SM" : "L2 slice"));
    }
    return sockets;
}

}  // namespace

MemorySystem::MemorySystem(const sc_core::sc_module_name& name, const MemorySystemPlan& plan)
    : sc_module(name), map_(plan.l2, plan.dram) {
    if (plan.foreign == nullptr) return;
    foreign_place_ = plan.foreign->place;
    foreign_ = sockets_of(*plan.foreign, plan.sms, map_.slices());
}

tlm::tlm_base_target_socket_b<>& MemorySystem::socket(SmId sm) {
    return noc_ ? noc_->sm_socket(sm) : *foreign_[sm.value()];
}

std::size_t MemorySystem::outstanding() const {
    return noc_ ? noc_->outstanding() : 0;
}

void MemorySystem::describe_waiting(std::vector<std::string>& lines) const {
    if (noc_) noc_->describe_waiting(lines);
}

void MemorySystem::check(std::vector<std::string>& violations) const {
    if (noc_) noc_->check(violations);
    const Totals totals = check_blocks(violations);
    // Bytes are counted on entry, at either end of the network.
    if (noc_ && noc_->outstanding() != 0) return;
    if (ours(MemoryPlace::kBelowNoc)) check_levels(name(), noc_->traffic(), totals.l2, violations);
    if (ours(MemoryPlace::kBelowL2)) check_levels(name(), totals.l2, totals.dram, violations);
}

void MemorySystem::check_levels(const std::string& name, const NocTraffic& noc,
                                const L2Statistics& l2, std::vector<std::string>& violations) {
    expect_equal(name, "network read bytes", noc.read_bytes, "L2 bytes read", l2.bytes_read,
                 violations);
    expect_equal(name, "network write bytes", noc.write_bytes, "L2 bytes written", l2.bytes_written,
                 violations);
}

void MemorySystem::check_levels(const std::string& name, const L2Statistics& l2,
                                const DramStatistics& dram, std::vector<std::string>& violations) {
    expect_equal(name, "L2 fetches", l2.fetch_requests_below, "DRAM reads", dram.reads, violations);
    expect_equal(name, "L2 write-backs", l2.write_backs_below, "DRAM writes", dram.writes,
                 violations);
}

}  // namespace tessera
