#include "testbenches/l1/l1_checker.h"

#include <algorithm>

namespace tessera::testbench {

void L1Checker::count(const MemoryOperation& operation, const NaiveL1::Lookup& lookup) {
    Coverage& c = session_.coverage;
    c.hit_if(bins_.unaligned, operation.address % config_.sector_bytes != 0);
    c.hit_if(bins_.whole_line, operation.bytes == config_.line_bytes);
    if (operation.command == tlm::TLM_WRITE_COMMAND) {
        c.hit(lookup.hits > 0 ? bins_.write_hit : bins_.write_miss);
        c.hit_if(bins_.eviction, lookup.evicts);
        return;
    }
    c.hit(lookup.misses == 0 ? bins_.hit : lookup.hits == 0 ? bins_.miss : bins_.partial_miss);
    c.hit_if(bins_.eviction, lookup.evicts);
    c.hit_if(bins_.bypass, operation.bypass_l1);
}

void L1Checker::step(const MemoryOperation& operation) {
    const NaiveL1::Lookup lookup = naive_.access(operation);
    count(operation, lookup);
    Expectation expected;
    const Cycle hit = config_.hit_latency_cycles;
    const Cycle miss = config_.miss_latency_cycles + kBelow;
    if (operation.command == tlm::TLM_WRITE_COMMAND) {
        expected.latency = config_.miss_latency_cycles / 2 + kBelow;
    } else if (lookup.misses == 0) {
        expected.latency = hit;
        expected.level = ServedBy::kL1;
    } else {
        expected.latency = lookup.hits > 0 ? std::max(hit, miss) : miss;
        expected.level = ServedBy::kDram;
    }
    traffic_.step(operation, expected);
}

void L1Checker::overlap(const MemoryOperation& operation) {
    count(operation, naive_.access(operation));
    Expectation expected;
    const bool read = operation.command == tlm::TLM_READ_COMMAND;
    expected.least_latency =
        read ? std::min<Cycle>(config_.hit_latency_cycles, config_.miss_latency_cycles + kBelow)
             : config_.miss_latency_cycles / 2 + kBelow;
    traffic_.begin(operation, expected);
}

}  // namespace tessera::testbench
