#include "sc_models/gpu/machine_parts.h"

#include <algorithm>
#include <utility>

#include "sc_models/cosim/devices.h"
#include "sc_models/duplo/shell/detection_module.h"

namespace tessera {

bool has_rtl(const Config& config) {
    const auto& blocks = config.impl.blocks;
    return std::any_of(blocks.begin(), blocks.end(), [](const auto& block) {
        return block.untracked_value() != Implementation::kTlm;
    });
}

MachineParts::MachineParts(const Config& config, StatGroup& statistics) : config_(config) {
    if (has_vector_operations(config.workload.kind)) {
        opportunistic_ = std::make_unique<OpportunisticSystem>(
            OpportunisticPlan{config.opportunistic, config.sm, config.l1, config.noc,
                              config.gpu.sms, config.values},
            statistics);
    }
}

std::unique_ptr<Device> MachineParts::make_rtl(RtlBlock block, const DevicePlace& place) {
    return tessera::make_rtl(block, config_, place);
}

std::unique_ptr<LoadFilter> MachineParts::make_load_filter(const DevicePlace& place) {
    if (!config_.duplo.enabled) return nullptr;
    return std::make_unique<DetectionModule>(
        "detection", config_.duplo, config_.sm.sub_cores,
        [&](RtlBlock block) { return make_rtl(block, place); });
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
    if (!opportunistic_) return nullptr;
    return opportunistic_->make_unit(place.sm, place.host, place.cache, std::move(place.read),
                                     place.mesh_port, place.statistics.child("opportunistic"),
                                     place.observers);
}

bool MachineParts::independent() const {
    if (opportunistic_ || has_rtl(config_)) return false;
    // The result depends on the order in which mappings that end in one cycle were announced.
    return !config_.duplo.enabled ||
           config_.duplo.release.untracked_value() != ReleasePoint::kCommit;
}

void MachineParts::start_kernel(const KernelInfo& kernel) {
    if (opportunistic_) opportunistic_->start_kernel(kernel);
}

void MachineParts::check(std::vector<std::string>& violations) const {
    if (opportunistic_) opportunistic_->check(violations);
}

}  // namespace tessera
