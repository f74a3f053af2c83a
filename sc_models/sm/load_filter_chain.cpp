#include "sc_models/sm/load_filter_chain.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "sc_models/common/error.h"

namespace tessera {

LoadFilterChain::LoadFilterChain(std::vector<std::unique_ptr<LoadFilter>> filters)
    : filters_(std::move(filters)), traits_(filters_.front()->traits()) {
    const FilterTraits first = traits_;
    for (const auto& filter : filters_) {
        const FilterTraits traits = filter->traits();
        if (traits.units.rows() != first.units.rows() ||
            traits.units.count() != first.units.count()) {
            throw ConfigError(
                "load filters: got different units of a fragment, expected mechanisms with the "
                "same rows and octet copies in one machine");
        }
        if (traits.hit_frees_slot != first.hit_frees_slot) {
            throw ConfigError(
                "load filters: got a mechanism whose hits free their issue slots beside one whose "
                "hits do not, expected the same of all in one machine");
        }
        latencies_.push_back(traits.latency_cycles);
    }
    traits_.latency_cycles = *std::min_element(latencies_.begin(), latencies_.end());
    traits_.limited = true;
}

LoadFilter::Program LoadFilterChain::start_kernel(const KernelInfo& kernel, std::uint32_t warps) {
    programmed_ = nullptr;
    Program found;
    for (const auto& filter : filters_) {
        const Program program = filter->start_kernel(kernel, warps);
        if (program.bytes == 0) continue;
        if (programmed_ != nullptr) {
            throw ConfigError(
                "load filters: got two mechanisms that a kernel programs, expected one in a "
                "machine");
        }
        programmed_ = filter.get();
        found = program;
    }
    return found;
}

void LoadFilterChain::program(const std::vector<std::byte>& bytes, Cycle arrival) {
    programmed_->program(bytes, arrival);
}

void LoadFilterChain::on_program(Cycle arrival) {
    programmed_->on_program(arrival);
}

void LoadFilterChain::end_kernel() {
    for (const auto& filter : filters_) filter->end_kernel();
}

std::size_t LoadFilterChain::index_of(FragmentRole role) const {
    std::size_t index = 0;
    while (index < filters_.size() && !filters_[index]->wants(role)) ++index;
    return index;
}

void LoadFilterChain::begin(Cycle now, const FilteredLoad& load) {
    active_ = index_of(load.role);
    filters_[active_]->begin(now, load);
}

FilterAnswer LoadFilterChain::look_up(Cycle now, std::uint32_t unit) {
    FilterAnswer answer = filters_[active_]->look_up(now, unit);
    if (answer.phys.valid()) {
        answer.phys =
            PhysRegId(answer.phys.value() * count() + static_cast<std::uint32_t>(active_));
    }
    return answer;
}

void LoadFilterChain::set_ready(PhysRegId phys, Cycle cycle) {
    filters_[phys.value() % count()]->set_ready(PhysRegId(phys.value() / count()), cycle);
}

void LoadFilterChain::note_store(Address address, std::uint64_t bytes) {
    for (const auto& filter : filters_) filter->note_store(address, bytes);
}

void LoadFilterChain::release_warp(std::uint32_t warp, Cycle now) {
    for (const auto& filter : filters_) filter->release_warp(warp, now);
}

void LoadFilterChain::watch(WaveRecorder& wave, const std::string& sm) {
    for (const auto& filter : filters_) filter->watch(wave, sm);
}

void LoadFilterChain::add_statistics(StatGroup& ldst) {
    for (const auto& filter : filters_) filter->add_statistics(ldst);
}

void LoadFilterChain::add_metrics(const StatGroup& machine, nlohmann::ordered_json& metrics) const {
    for (const auto& filter : filters_) filter->add_metrics(machine, metrics);
}

void LoadFilterChain::check(std::string_view ldst, std::vector<std::string>& violations) const {
    for (const auto& filter : filters_) filter->check(ldst, violations);
}

FilterValueId LoadFilterChain::value_id(std::uint32_t unit) const {
    FilterValueId value = active().value_id(unit);
    value.batch = value.batch * count() + static_cast<std::uint32_t>(active_);
    return value;
}

std::string LoadFilterChain::describe(const FilterValueId& value) const {
    return filters_[value.batch % count()]->describe({value.element, value.batch / count()});
}

}  // namespace tessera
