#include "sc_models/gpu/memory_system.h"

#include <string>

#include "sc_models/common/conservation.h"

namespace tessera {

MemorySystem::MemorySystem(const sc_core::sc_module_name& name, std::uint32_t sms,
                           const NocConfig& noc, const L2Config& l2, const DramConfig& dram,
                           const ClockDomain& clock, bool values, StatGroup& stats,
                           Observers observers, LinkBinder* binder)
    : sc_module(name), map_(l2, dram) {
    if (noc.kind == NocKind::kMesh) {
        mesh_ = std::make_unique<Mesh>("mesh", noc, sms, dram.channels, clock, map_,
                                       stats.child("mesh"), observers);
    } else {
        crossbar_ = std::make_unique<Crossbar>("crossbar", noc, sms, l2.sector_bytes, clock, map_,
                                               stats.child("crossbar"), observers);
    }
    for (std::uint32_t i = 0; i < dram.channels; ++i) {
        channels_.push_back(std::make_unique<DramChannel>(
            ("dram_" + std::to_string(i)).c_str(), dram, l2.sector_bytes, clock, map_, image_,
            values, stats.instance("dram", i), observers));
    }
    for (std::uint32_t i = 0; i < l2.slices; ++i) {
        slices_.push_back(std::make_unique<L2Slice>(("l2_" + std::to_string(i)).c_str(), l2, i,
                                                    clock, map_, values, stats.instance("l2", i),
                                                    observers));
        if (mesh_) {
            bind_link(binder, mesh_->initiators[i], slices_.back()->target);
        } else {
            bind_link(binder, crossbar_->initiators[i], slices_.back()->target);
        }
        bind_link(binder, slices_.back()->initiator, channels_[i % dram.channels]->target);
    }
}

tlm::tlm_base_target_socket<>& MemorySystem::socket(SmId sm) {
    if (mesh_) return mesh_->targets[sm.value()];
    return crossbar_->targets[sm.value()];
}

void MemorySystem::check(std::vector<std::string>& violations) const {
    mesh_ ? mesh_->check(violations) : crossbar_->check(violations);
    L2Statistics l2;
    for (const auto& slice : slices_) {
        slice->check(violations);
        l2.bytes_read += slice->statistics().bytes_read;
        l2.bytes_written += slice->statistics().bytes_written;
        l2.fetch_requests_below += slice->statistics().fetch_requests_below;
        l2.write_backs_below += slice->statistics().write_backs_below;
    }
    DramStatistics dram;
    for (const auto& channel : channels_) {
        channel->check(violations);
        dram.reads += channel->statistics().reads;
        dram.writes += channel->statistics().writes;
    }
    check_levels(name(), mesh_ ? mesh_->traffic() : crossbar_->statistics(), l2, dram, violations);
}

void MemorySystem::check_levels(const std::string& name, const NocTraffic& noc,
                                const L2Statistics& l2, const DramStatistics& dram,
                                std::vector<std::string>& violations) {
    expect_equal(name, "network read bytes", noc.read_bytes, "L2 bytes read", l2.bytes_read,
                 violations);
    expect_equal(name, "network write bytes", noc.write_bytes, "L2 bytes written", l2.bytes_written,
                 violations);
    expect_equal(name, "L2 fetches", l2.fetch_requests_below, "DRAM reads", dram.reads, violations);
    expect_equal(name, "L2 write-backs", l2.write_backs_below, "DRAM writes", dram.writes,
                 violations);
}

}  // namespace tessera
