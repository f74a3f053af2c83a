#include "sc_models/gpu/memory_system_at.h"

#include <fmt/format.h>

#include "sc_models/noc/at/crossbar_at.h"
#include "sc_models/noc/at/mesh_at.h"

namespace tessera {

MemorySystemAt::MemorySystemAt(const sc_core::sc_module_name& name, const MemorySystemPlan& plan,
                               CycleTicker& ticker)
    : MemorySystem(name, plan) {
    if (!ours(MemoryPlace::kBelowL1)) return;
    const AddressMap& map = address_map();
    if (plan.noc.kind == NocKind::kMesh) {
        noc_ = std::make_unique<MeshAt>(
            "mesh",
            MeshContext{plan.noc, plan.sms, plan.dram.channels, map, plan.statistics.child("mesh")},
            ticker, plan.observers);
    } else {
        noc_ =
            std::make_unique<CrossbarAt>("crossbar",
                                         CrossbarContext{plan.noc, plan.sms, plan.l2.sector_bytes,
                                                         map, plan.statistics.child("crossbar")},
                                         ticker, plan.observers);
    }
    for (std::uint32_t i = 0; ours(MemoryPlace::kBelowNoc) && i < map.channels(); ++i) {
        partitions_.push_back(std::make_unique<MemoryPartition>(ticker, plan.observers, map));
    }
    for (std::uint32_t i = 0; ours(MemoryPlace::kBelowL2) && i < map.channels(); ++i) {
        channels_.push_back(std::make_unique<DramChannelAt>(
            ("dram_" + std::to_string(i)).c_str(),
            DramContext{plan.dram, plan.l2.sector_bytes, partitions_[i]->map, own_image(),
                        plan.values, plan.statistics.instance("dram", i)},
            map.slices() / map.channels(), partitions_[i]->blocks()));
    }
    for (std::uint32_t i = 0; ours(MemoryPlace::kBelowNoc) && i < map.slices(); ++i) {
        MemoryPartition& partition = *partitions_[i % map.channels()];
        slices_.push_back(std::make_unique<L2SliceAt>(
            ("l2_" + std::to_string(i)).c_str(),
            L2Context{plan.l2, i, partition.map, plan.values, plan.statistics.instance("l2", i)},
            partition.blocks()));
    }
    wire(plan.binder, slices_, [&](std::uint32_t slice) -> tlm::tlm_base_target_socket_b<>& {
        return channels_[slice % map.channels()]->targets[slice / map.channels()];
    });
}

std::size_t MemorySystemAt::outstanding() const {
    std::size_t count = MemorySystem::outstanding();
    for (const auto& slice : slices_) count += slice->outstanding();
    for (const auto& channel : channels_) count += channel->outstanding();
    return count;
}

void MemorySystemAt::describe_waiting(std::vector<std::string>& lines) const {
    MemorySystem::describe_waiting(lines);
    for (const auto& slice : slices_) slice->describe_waiting(lines);
    for (const auto& channel : channels_) channel->describe_waiting(lines);
}

MemorySystem::Totals MemorySystemAt::check_blocks(std::vector<std::string>& violations) const {
    Totals sum = add_up(slices_, channels_, violations);
    for (std::size_t i = 0; i < partitions_.size(); ++i) {
        partitions_[i]->payloads.check(fmt::format("{}: partition {}", name(), i), violations);
    }
    for (const auto& slice : slices_) {
        sum.l2.fetch_requests_below -= slice->unsent_fetches();
        sum.l2.write_backs_below -= slice->unsent_write_backs();
    }
    for (const auto& channel : channels_) {
        sum.dram.reads += channel->unserved_reads();
        sum.dram.writes += channel->unserved_writes();
    }
    return sum;
}

}  // namespace tessera
