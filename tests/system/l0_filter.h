// A second load filter beside Duplo: a small buffer for B fragments in front of the L1.
#pragma once

#include <fmt/format.h>
#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sc_models/common/conservation.h"
#include "sc_models/duplo/rename_table.h"
#include "sc_models/sm/load_filter.h"

namespace tessera {

/// Each sub-core remembers the registers of the B fragments it loaded last; a load of the same
/// addresses shares the register. An entry holds a reference, so that its register outlives the
/// warp that loaded it.
class L0Filter : public LoadFilter {
public:
    static constexpr std::size_t kEntries = 8;  ///< of a sub-core
    static constexpr std::uint32_t kLatencyCycles = 2;

    /// With `blind` every entry matches, whatever its address: to see whether that is noticed.
    explicit L0Filter(std::uint32_t sub_cores, bool blind = false)
        : entries_(sub_cores), blind_(blind) {}

    /// Whole fragments, both octet copies together.
    [[nodiscard]] FilterTraits traits() const override {
        return {FragmentUnits(kFragmentRows, 1), kLatencyCycles, true};
    }

    Program start_kernel(const KernelInfo& kernel, std::uint32_t warps) override {
        fragments_ = ceil_div(kernel.registers_per_thread, kRegistersPerFragment);
        const std::uint32_t architectural = warps * fragments_;
        const auto spare = static_cast<std::uint32_t>(entries_.size() * (kEntries + 1));
        registers_.reset(architectural, architectural + spare, false);
        ready_.assign(registers_.physical_units(), 0);
        return {};
    }
    void end_kernel() override {
        for (auto& entries : entries_) forget(entries, entries.size());
        registers_.check();
    }

    [[nodiscard]] bool wants(FragmentRole role) const override { return role == FragmentRole::kB; }
    void begin(Cycle /*now*/, const FilteredLoad& load) override {
        load_ = load;
        ++loads_;
    }
    [[nodiscard]] FilterAnswer look_up(Cycle /*now*/, std::uint32_t /*unit*/) override {
        const std::uint32_t arch = load_.warp * fragments_ + load_.reg / kRegistersPerFragment;
        end_mapping(arch);
        std::deque<Entry>& entries = entries_[load_.sub_core];
        for (const Entry& entry : entries) {
            if (!matches(entry)) continue;
            ++hits_;
            registers_.share(arch, entry.phys);
            return {AccessKind::kHit, entry.phys, ready_[entry.phys.value()]};
        }
        ++misses_;
        const PhysRegId phys = registers_.map_new(arch);
        registers_.retain(phys);
        ready_[phys.value()] = kNever;
        entries.push_back({load_.address, load_.row_pitch_bytes, phys});
        if (entries.size() > kEntries) forget(entries, 1);
        return {AccessKind::kMiss, phys, kNever};
    }
    void set_ready(PhysRegId phys, Cycle cycle) override { ready_[phys.value()] = cycle; }
    void note_store(Address address, std::uint64_t bytes) override {
        for (auto& entries : entries_) {
            const bool stale = std::any_of(entries.begin(), entries.end(), [&](const Entry& e) {
                const Address end = e.address + Address{kFragmentRows} * e.row_pitch_bytes;
                return address < end && address + bytes > e.address;
            });
            if (stale) forget(entries, entries.size());
        }
    }
    void release_warp(std::uint32_t warp, Cycle /*now*/) override {
        for (std::uint32_t i = 0; i < fragments_; ++i) end_mapping(warp * fragments_ + i);
    }

    void add_statistics(StatGroup& ldst) override {
        StatGroup& group = ldst.child("l0");
        group.counter("loads", loads_, "count", "B-fragment loads that came by");
        group.counter("hits", hits_, "count", "of them, served by the buffer");
        group.counter("misses", misses_, "count", "of them, loaded");
    }
    void add_metrics(const StatGroup& machine, nlohmann::ordered_json& metrics) const override {
        metrics["l0_hits"] = machine.sum("sm.ldst.l0.hits");
    }
    void check(std::string_view ldst, std::vector<std::string>& violations) const override {
        expect_equal(std::string(ldst), "loads of B", loads_, "hits and misses", hits_ + misses_,
                     violations);
    }
    [[nodiscard]] FilterValueId value_id(std::uint32_t /*unit*/) const override {
        return {load_.address, 0};
    }
    [[nodiscard]] std::string describe(const FilterValueId& value) const override {
        return fmt::format("fragment at {:#x}", value.element);
    }

private:
    struct Entry {
        Address address = 0;
        std::uint32_t row_pitch_bytes = 0;
        PhysRegId phys;
    };
    [[nodiscard]] bool matches(const Entry& entry) const {
        return blind_ ||
               (entry.address == load_.address && entry.row_pitch_bytes == load_.row_pitch_bytes);
    }
    void forget(std::deque<Entry>& entries, std::size_t count) {
        for (; count > 0; --count) {
            registers_.drop(entries.front().phys);
            entries.pop_front();
        }
    }
    void end_mapping(std::uint32_t arch) {
        const PhysRegId old = registers_.detach(arch);
        if (old.valid()) registers_.drop(old);
    }

    std::vector<std::deque<Entry>> entries_;  ///< by sub-core, oldest first
    const bool blind_;
    std::uint32_t fragments_ = 0;  ///< of a warp, as many as fit its registers
    FilteredLoad load_;
    RenameTable registers_;
    std::vector<Cycle> ready_;  ///< by physical unit
    std::uint64_t loads_ = 0, hits_ = 0, misses_ = 0;
};

}  // namespace tessera
