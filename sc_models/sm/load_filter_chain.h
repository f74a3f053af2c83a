// Several load filters of an SM as one.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/sm/load_filter.h"

namespace tessera {

/// Load filters in the order of their mechanisms. A load goes to the first filter that wants
/// fragments of its role, and to no other; stores and exits of warps go to all. Filter i of n names
/// its register p as n * p + i, so that no two filters share a register.
class LoadFilterChain : public LoadFilter {
public:
    /// Throws ConfigError unless all filters have the same units and agree on whether a hit frees
    /// its issue slots.
    explicit LoadFilterChain(std::vector<std::unique_ptr<LoadFilter>> filters);

    /// The latency is the lowest of all filters; late() adds the rest.
    [[nodiscard]] FilterTraits traits() const override { return traits_; }

    /// Throws ConfigError if more than one filter has a program.
    Program start_kernel(const KernelInfo& kernel, std::uint32_t warps) override;
    void program(const std::vector<std::byte>& bytes, Cycle arrival) override;
    void on_program(Cycle arrival) override;
    void end_kernel() override;

    [[nodiscard]] bool wants(FragmentRole role) const override {
        return index_of(role) < filters_.size();
    }
    void begin(Cycle now, const FilteredLoad& load) override;
    [[nodiscard]] Cycle open_at(Cycle now) const override { return active().open_at(now); }
    [[nodiscard]] FilterAnswer look_up(Cycle now, std::uint32_t unit) override;
    void skip(Cycle now, std::uint32_t unit) override { filters_[active_]->skip(now, unit); }
    [[nodiscard]] Cycle late() const override {
        return active().late() + latencies_[active_] - traits_.latency_cycles;
    }
    void set_ready(PhysRegId phys, Cycle cycle) override;
    void note_store(Address address, std::uint64_t bytes) override;
    void release_warp(std::uint32_t warp, Cycle now) override;

    void watch(WaveRecorder& wave, const std::string& sm) override;
    void add_statistics(StatGroup& ldst) override;
    void add_metrics(const StatGroup& machine, nlohmann::ordered_json& metrics) const override;
    void check(std::string_view ldst, std::vector<std::string>& violations) const override;
    /// The index of the filter is in the batch.
    [[nodiscard]] FilterValueId value_id(std::uint32_t unit) const override;
    [[nodiscard]] std::string describe(const FilterValueId& value) const override;

private:
    [[nodiscard]] const LoadFilter& active() const { return *filters_[active_]; }
    [[nodiscard]] std::uint32_t count() const {
        return static_cast<std::uint32_t>(filters_.size());
    }
    /// Returns the index of the first filter that wants the role; filters_.size(): none.
    [[nodiscard]] std::size_t index_of(FragmentRole role) const;

    std::vector<std::unique_ptr<LoadFilter>> filters_;
    std::vector<std::uint32_t> latencies_;  ///< in cycles, by filter
    FilterTraits traits_;
    std::size_t active_ = 0;            ///< filter of the load begun last
    LoadFilter* programmed_ = nullptr;  ///< filter with a program in this kernel
};

}  // namespace tessera
