#include "sc_models/gpu/machine_parts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sc_models/cosim/devices.h"
#include "sc_models/duplo/shell/duplo_hardware.h"
#include "sc_models/opportunistic/opportunistic_hardware.h"
#include "sc_models/sm/load_filter_chain.h"

namespace tessera {
namespace {

/// Hardware of all mechanisms, in the order in which their load filters see a load. A new mechanism
/// adds its maker at the end.
constexpr std::array kHardwareMakers = {&make_duplo_hardware, &make_opportunistic_hardware};

}  // namespace

bool has_rtl(const Config& config) {
    const auto& blocks = config.impl.blocks;
    return std::any_of(blocks.begin(), blocks.end(),
                       [](const auto& block) { return block != Implementation::kTlm; });
}

MachineParts::MachineParts(const Config& config, StatGroup& statistics) : config_(config) {
    const HardwareContext context = {
        config, statistics,
        [this](RtlBlock block, const DevicePlace& place) { return make_rtl(block, place); }};
    for (const HardwareMaker make : kHardwareMakers) {
        if (auto hardware = make(context)) hardware_.push_back(std::move(hardware));
    }
}

std::unique_ptr<Device> MachineParts::make_rtl(RtlBlock block, const DevicePlace& place) {
    return tessera::make_rtl(block, config_, place);
}

std::unique_ptr<LoadFilter> MachineParts::make_load_filter(const DevicePlace& place) {
    std::vector<std::unique_ptr<LoadFilter>> filters;
    for (const auto& hardware : hardware_) {
        if (auto filter = hardware->make_load_filter(place)) filters.push_back(std::move(filter));
    }
    if (filters.empty()) return nullptr;
    if (filters.size() == 1) return std::move(filters.front());
    return std::make_unique<LoadFilterChain>(std::move(filters));
}

std::unique_ptr<Prefetcher> MachineParts::make_prefetcher() {
    return nullptr;  // none by default; docs/extending.md adds one
}

TensorCoreUnits MachineParts::make_tensor_cores(const DevicePlace& place) {
    return tessera::make_tensor_cores(config_, place);
}

ProductReads MachineParts::product_reads() const {
    return config_.tensor_core.kind == TensorCoreKind::kOuterProduct ? kOwmmaReads
                                                                     : kHmmaProductReads;
}

std::unique_ptr<VectorUnit> MachineParts::make_vector_unit(VectorUnitPlace place) {
    for (const auto& hardware : hardware_) {
        if (auto unit = hardware->make_vector_unit(place)) return unit;
    }
    return nullptr;
}

bool MachineParts::independent() const {
    return !has_rtl(config_) && std::all_of(hardware_.begin(), hardware_.end(),
                                            [](const auto& one) { return one->independent(); });
}

void MachineParts::start_kernel(const KernelInfo& kernel) {
    for (const auto& hardware : hardware_) hardware->start_kernel(kernel);
}

void MachineParts::check(std::vector<std::string>& violations) const {
    for (const auto& hardware : hardware_) hardware->check(violations);
}

void MachineParts::add_metrics(const Workload& workload, const StatGroup& machine, Cycle cycles,
                               nlohmann::ordered_json& metrics) const {
    for (const auto& hardware : hardware_) {
        hardware->add_metrics(workload, machine, cycles, metrics);
    }
}

}  // namespace tessera
