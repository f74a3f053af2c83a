#include <numeric>
#include <stdexcept>
#include <string>

#include "sc_models/common/error.h"
#include "sc_models/duplo/detection_unit.h"

// Detection unit at the start and end of a kernel, of a warp, and of detection.

namespace tessera {

void DetectionUnit::launch(const ConvolutionPacket& packet, std::uint32_t warps,
                           std::uint32_t a_fragments, Cycle now) {
    if (rename_.mapped_units() != 0) {
        throw std::logic_error("DetectionUnit: launch before all warps were released");
    }
    const Cycle programmed = now == kNever ? 0 : now;
    ids_.program(programmed, packet, config_.id_formula, keeps_);
    warps_ = warps;
    a_fragments_ = a_fragments;
    const std::uint32_t architectural = warps * a_fragments * shape_.count();
    rename_.reset(architectural, architectural + config_.spare_units,
                  settings_.lifetime == Lifetime::kForever);
    const std::uint32_t physical = rename_.physical_units();
    lhb_.at(programmed);
    const std::uint32_t shift = config_.lhb_shift_bits == DuploConfig::kAutoShift
                                    ? packet.index_shift
                                    : config_.lhb_shift_bits;
    lhb_.program(shift, physical);
    if (core_ != nullptr) {
        core_->program(programmed, packet, shift, architectural, physical);
    }
    pending_.reset(physical);
    info_.assign(physical, PhysInfo{});
    last_use_.assign(physical, 0);
    producer_of_slot_.resize(warps);
    std::iota(producer_of_slot_.begin(), producer_of_slot_.end(), 0u);
    next_producer_ = warps;
    region_begin_ = packet.base;
    region_end_ = packet.end();
    kernel_tag_ = packet.kernel_tag;
    awake_at_ = now == kNever ? kNever : now + config_.wake_cycles;
    powered_ = true;
    detecting_ = true;
}

void DetectionUnit::power_off() {
    if (powered_) {
        drain_releases(kNever);
        clear_history();
    }
    powered_ = false;
    detecting_ = false;
}

void DetectionUnit::check_drained() {
    drain_releases(kNever);
    ids_.finish();
    lhb_.finish();
    counters_.id_generator_rtl_cycles = ids_.rtl_cycles();
    if (core_ != nullptr) core_->finish();
    counters_.lhb_rtl_cycles = lhb_.rtl_cycles();
    counters_.rename_rtl_cycles = rename_.rtl_cycles();
    counters_.core_rtl_cycles = core_ != nullptr ? core_->rtl_cycles() : 0;
    const bool dies_with_mapping =
        settings_.lifetime == Lifetime::kMapped || settings_.lifetime == Lifetime::kInFlight;
    if (dies_with_mapping && lhb_.size() != 0) {
        throw CheckError("detection unit: " + std::to_string(lhb_.size()) +
                         " LHB entries outlived their registers");
    }
    clear_history();
    if (pending_.size() != 0 || rename_.mapped_units() != 0) {
        throw CheckError("detection unit: " + std::to_string(rename_.mapped_units()) +
                         " mappings and " + std::to_string(pending_.size()) +
                         " pending releases are left");
    }
    rename_.check();
}

void DetectionUnit::note_store(Address address, std::uint64_t bytes) {
    if (detecting_ && address < region_end_ && address + bytes > region_begin_) {
        ++counters_.workspace_stores;
        clear_history();
        detecting_ = false;
    }
}

void DetectionUnit::release_warp(std::uint32_t warp, Cycle now) {
    const std::uint32_t first = arch_unit(warp, 0, 0);
    if (built_) {
        const std::uint32_t end = first + a_fragments_ * shape_.count();
        for (std::uint32_t arch = first; arch < end; ++arch) end_built(now, arch);
        producer_of_slot_[warp] = next_producer_++;
        return;
    }
    lhb_.at(now);
    if (port_) {
        settle_insertions();
        port_->skip_to(now);
    }
    drain_releases(now);
    for (std::uint32_t arch = first; arch < first + a_fragments_ * shape_.count(); ++arch) {
        const PhysRegId phys = rename_.detach(arch);
        if (phys.valid()) {
            drop(phys);
        }
    }
    producer_of_slot_[warp] = next_producer_++;
}

void DetectionUnit::clear_history() {
    if (port_) settle_insertions();
    if (settings_.lifetime == Lifetime::kForever) {
        for (std::uint32_t i = 0; i < rename_.physical_units(); ++i) {
            if (lhb_.names(PhysRegId{i})) {
                drop(PhysRegId{i});
            }
        }
    }
    lhb_.clear();
    if (core_ != nullptr) core_->clear();
}

}  // namespace tessera
