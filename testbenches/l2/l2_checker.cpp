#include "testbenches/l2/l2_checker.h"

namespace tessera::testbench {

NaiveL2::Lookup L2Checker::look_up(const MemoryOperation& operation) {
    return naive_.access(operation.command, naive_map_.local_of(operation.address),
                         operation.bytes);
}

void L2Checker::count(const MemoryOperation& operation, const NaiveL2::Lookup& lookup) {
    Coverage& c = session_.coverage;
    c.hit_if(bins_.unaligned, operation.address % config_.sector_bytes != 0);
    c.hit_if(bins_.whole_line, operation.bytes == config_.line_bytes);
    const std::size_t dirty = lookup.write_backs.size();
    c.hit_if(bins_.clean_eviction, lookup.evicts && dirty == 0);
    c.hit_if(bins_.dirty_eviction, dirty != 0);
    c.hit_if(bins_.line_written_back, dirty == config_.line_bytes / config_.sector_bytes);
    if (operation.command == tlm::TLM_WRITE_COMMAND) {
        c.hit_if(bins_.write_hit, lookup.hits > 0);
        c.hit_if(bins_.write_allocation, lookup.allocations > 0);
        c.hit_if(bins_.write_fetch, !lookup.fetches.empty());
        return;
    }
    c.hit(lookup.fetches.empty() ? bins_.hit : lookup.hits == 0 ? bins_.miss : bins_.partial_miss);
}

void L2Checker::step(MemoryOperation operation) {
    const Cycle hit = config_.hit_latency_cycles;
    // A write is answered before its sectors are fetched.
    operation.at = traffic_.now() + hit + kBelow + 1;
    const NaiveL2::Lookup lookup = look_up(operation);
    count(operation, lookup);
    note_writes(operation);
    Expectation expected;
    const bool fetches = !lookup.fetches.empty();
    const bool write = operation.command == tlm::TLM_WRITE_COMMAND;
    if (lookup.fetches.size() <= config_.mshr_entries) {
        expected.latency = write ? 0 : hit + (fetches ? kBelow : 0);
    }
    expected.level = fetches ? ServedBy::kDram : ServedBy::kL2;
    traffic_.step(operation, expected);
    below_.expect_alone(global(lookup.fetches), global(lookup.write_backs));
}

void L2Checker::overlap(const MemoryOperation& operation) {
    Expectation expected;
    if (operation.command == tlm::TLM_READ_COMMAND) {
        expected.least_latency = config_.hit_latency_cycles;
    }
    note_writes(operation);
    traffic_.begin(operation, expected);
}

/// Records the sectors that an operation writes.
void L2Checker::note_writes(const MemoryOperation& operation) {
    if (operation.command != tlm::TLM_WRITE_COMMAND) return;
    const std::uint32_t sector = config_.sector_bytes;
    const Address end = operation.address + operation.bytes;
    for (Address a = operation.address / sector * sector; a < end; a += sector) {
        below_.note_write(a);
    }
}

void L2Checker::check_below(std::uint64_t fetches, std::uint64_t write_backs) {
    below_.check_overlapping(config_.mshr_entries);
    below_.expect_counts(fetches, write_backs);
}

std::vector<Address> L2Checker::global(std::vector<Address> sectors) const {
    for (Address& sector : sectors) sector = naive_map_.global_of(kSlice, sector);
    return sectors;
}

}  // namespace tessera::testbench
