#include "sc_models/gpu/memory_system_at.h"

#include "sc_models/gpu/memory_system.h"

namespace tessera {

MemorySystemAt::MemorySystemAt(const sc_core::sc_module_name& name, std::uint32_t sms,
                               const NocConfig& noc, const L2Config& l2, const DramConfig& dram,
                               CycleTicker& ticker, bool values, PayloadPool& pool,
                               StatGroup& stats, Observers observers, LinkBinder* binder)
    : sc_module(name), map_(l2, dram) {
    if (noc.kind == NocKind::kMesh) {
        mesh_ = std::make_unique<MeshAt>("mesh", noc, sms, dram.channels, ticker, map_,
                                         stats.child("mesh"), observers);
    } else {
        crossbar_ = std::make_unique<CrossbarAt>("crossbar", noc, sms, l2.sector_bytes, ticker,
                                                 map_, stats.child("crossbar"), observers);
    }
    const auto connect = [binder](auto& initiator, auto& target) {
        bind_link(binder, initiator, target);
    };
    for (std::uint32_t i = 0; i < dram.channels; ++i) {
        channels_.push_back(std::make_unique<DramChannelAt>(
            ("dram_" + std::to_string(i)).c_str(), dram, l2.slices / dram.channels, l2.sector_bytes,
            ticker, map_, image_, values, stats.instance("dram", i), observers));
    }
    for (std::uint32_t i = 0; i < l2.slices; ++i) {
        slices_.push_back(std::make_unique<L2SliceAt>(("l2_" + std::to_string(i)).c_str(), l2, i,
                                                      ticker, map_, values, pool,
                                                      stats.instance("l2", i), observers));
        if (mesh_) {
            connect(mesh_->initiators[i], slices_.back()->target);
        } else {
            connect(crossbar_->initiators[i], slices_.back()->target);
        }
        connect(slices_.back()->initiator,
                channels_[i % dram.channels]->targets[i / dram.channels]);
    }
}

tlm::tlm_base_target_socket<>& MemorySystemAt::socket(SmId sm) {
    if (mesh_) return mesh_->targets[sm.value()];
    return crossbar_->targets[sm.value()];
}

std::size_t MemorySystemAt::outstanding() const {
    std::size_t count = mesh_ ? mesh_->outstanding() : crossbar_->outstanding();
    for (const auto& slice : slices_) count += slice->outstanding();
    for (const auto& channel : channels_) count += channel->outstanding();
    return count;
}

void MemorySystemAt::describe_waiting(std::vector<std::string>& lines) const {
    mesh_ ? mesh_->describe_waiting(lines) : crossbar_->describe_waiting(lines);
    for (const auto& slice : slices_) slice->describe_waiting(lines);
    for (const auto& channel : channels_) channel->describe_waiting(lines);
}

void MemorySystemAt::check(std::vector<std::string>& violations) const {
    mesh_ ? mesh_->check(violations) : crossbar_->check(violations);
    L2Statistics l2;
    for (const auto& slice : slices_) {
        slice->check(violations);
        l2.bytes_read += slice->statistics().bytes_read;
        l2.bytes_written += slice->statistics().bytes_written;
        l2.fetch_requests_below += slice->statistics().fetch_requests_below;
        l2.fetch_requests_below -= slice->unsent_fetches();
        l2.write_backs_below += slice->statistics().write_backs_below;
        l2.write_backs_below -= slice->unsent_write_backs();
    }
    DramStatistics dram;
    for (const auto& channel : channels_) {
        channel->check(violations);
        dram.reads += channel->statistics().reads + channel->unserved_reads();
        dram.writes += channel->statistics().writes + channel->unserved_writes();
    }
    if (!(mesh_ ? mesh_->idle() : crossbar_->idle()))
        return;  // bytes are counted where they enter, at either end
    MemorySystem::check_levels(name(), mesh_ ? mesh_->traffic() : crossbar_->statistics(), l2, dram,
                               violations);
}

}  // namespace tessera
