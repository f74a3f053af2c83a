#include "sc_models/memory/memory_system.h"

#include <string>

#include "sc_models/memory/conservation.h"

namespace tessera {

MemorySystem::MemorySystem(const sc_core::sc_module_name& name, std::uint32_t sms,
                           const NocConfig& noc, const L2Config& l2, const DramConfig& dram,
                           const ClockDomain& clock, bool values, StatGroup& stats,
                           Observers observers)
    : sc_module(name),
      map_(l2, dram),
      crossbar_("crossbar", noc, sms, l2.sector_bytes, clock, map_, stats.child("crossbar"),
                observers) {
    for (std::uint32_t i = 0; i < dram.channels; ++i) {
        channels_.push_back(std::make_unique<DramChannel>(
            ("dram_" + std::to_string(i)).c_str(), dram, l2.sector_bytes, clock, map_, image_,
            values, stats.instance("dram", i), observers));
    }
    for (std::uint32_t i = 0; i < l2.slices; ++i) {
        slices_.push_back(std::make_unique<L2Slice>(("l2_" + std::to_string(i)).c_str(), l2, i,
                                                    clock, map_, values, stats.instance("l2", i),
                                                    observers));
        crossbar_.initiators[i].bind(slices_.back()->target);
        slices_.back()->initiator.bind(channels_[i % dram.channels]->target);
    }
}

void MemorySystem::check(std::vector<std::string>& violations) const {
    crossbar_.check(violations);
    std::uint64_t l2_reads = 0, l2_writes = 0, fetches = 0, write_backs = 0;
    for (const auto& slice : slices_) {
        slice->check(violations);
        l2_reads += slice->statistics().bytes_read;
        l2_writes += slice->statistics().bytes_written;
        fetches += slice->statistics().fetch_requests_below;
        write_backs += slice->statistics().write_backs_below;
    }
    std::uint64_t dram_reads = 0, dram_writes = 0;
    for (const auto& channel : channels_) {
        channel->check(violations);
        dram_reads += channel->statistics().reads;
        dram_writes += channel->statistics().writes;
    }
    const CrossbarStatistics& crossbar = crossbar_.statistics();
    expect_equal(name(), "crossbar read bytes", crossbar.read_bytes, "L2 read bytes", l2_reads,
                 violations);
    expect_equal(name(), "crossbar write bytes", crossbar.write_bytes, "L2 written bytes",
                 l2_writes, violations);
    expect_equal(name(), "L2 fetches", fetches, "DRAM reads", dram_reads, violations);
    expect_equal(name(), "L2 write-backs", write_backs, "DRAM writes", dram_writes, violations);
}

}  // namespace tessera
