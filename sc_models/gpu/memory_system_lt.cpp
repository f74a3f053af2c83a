#include "sc_models/gpu/memory_system_lt.h"

#include <algorithm>
#include <string>

#include "sc_models/noc/lt/crossbar.h"
#include "sc_models/noc/lt/mesh.h"

namespace tessera {

MemorySystemLt::MemorySystemLt(const sc_core::sc_module_name& name, const MemorySystemPlan& plan,
                               const ClockDomain& clock)
    : MemorySystem(name, plan) {
    if (!ours(MemoryPlace::kBelowL1)) return;
    const AddressMap& map = address_map();
    if (plan.noc.kind == NocKind::kMesh) {
        noc_ = std::make_unique<Mesh>(
            "mesh",
            MeshContext{plan.noc, plan.sms, plan.dram.channels, map, plan.statistics.child("mesh")},
            clock, plan.observers);
    } else {
        noc_ = std::make_unique<Crossbar>("crossbar",
                                          CrossbarContext{plan.noc, plan.sms, plan.l2.sector_bytes,
                                                          map, plan.statistics.child("crossbar")},
                                          clock, plan.observers);
    }
    for (std::uint32_t i = 0; ours(MemoryPlace::kBelowL2) && i < map.channels(); ++i) {
        channels_.push_back(std::make_unique<DramChannel>(
            ("dram_" + std::to_string(i)).c_str(),
            DramContext{plan.dram, plan.l2.sector_bytes, map, own_image(), plan.values,
                        plan.statistics.instance("dram", i)},
            clock, plan.observers));
    }
    for (std::uint32_t i = 0; ours(MemoryPlace::kBelowNoc) && i < map.slices(); ++i) {
        slices_.push_back(std::make_unique<L2Slice>(
            ("l2_" + std::to_string(i)).c_str(),
            L2Context{plan.l2, i, map, plan.values, plan.statistics.instance("l2", i)}, clock,
            plan.observers));
    }
    for (const auto& slice : slices_) {
        if (ours(MemoryPlace::kBelowL2)) slice->omit_written_back_bytes();
    }
    wire(plan.binder, slices_, [&](std::uint32_t slice) -> tlm::tlm_base_target_socket_b<>& {
        return channels_[slice % map.channels()]->target;
    });
}

Cycle MemorySystemLt::busy_until() const {
    Cycle until = 0;
    for (const auto& channel : channels_) until = std::max(until, channel->busy_until());
    return until;
}

void MemorySystemLt::start_kernel(Cycle first) {
    first_ = first;
    bus_cycles_before_.clear();
    for (const auto& channel : channels_) bus_cycles_before_.push_back(channel->bus_cycles());
}

Cycle MemorySystemLt::end_of_kernel(Cycle end) const {
    for (std::size_t i = 0; i < channels_.size(); ++i) {
        const Cycle taken = channels_[i]->bus_cycles() - bus_cycles_before_[i];
        if (first_ + taken > end) return std::max(end, busy_until());
    }
    return end;
}

MemorySystem::Totals MemorySystemLt::check_blocks(std::vector<std::string>& violations) const {
    return add_up(slices_, channels_, violations);
}

}  // namespace tessera
