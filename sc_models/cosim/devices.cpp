#include "sc_models/cosim/devices.h"

#include <string>
#include <utility>

#include "sc_models/cosim/rtl_devices.h"
#include "sc_models/cosim/rtl_support.h"
#include "sc_models/tensor_core/matrix_units.h"
#include "sc_models/tensor_core/outer_product_pipeline.h"
#include "sc_models/tensor_core/spwmma.h"
#include "sc_models/tensor_core/spwmma_pipeline.h"

namespace tessera {
namespace {

BlockDetail detail_of(bool clocked) {
    return clocked ? BlockDetail::kClocked : BlockDetail::kWhole;
}

/// `core`: the sparse tensor core as one block, or null.
std::unique_ptr<SpwmmaUnit> make_spwmma_unit(const Config& config,
                                             std::shared_ptr<SpwmmaCoreDevice> core,
                                             const OuterProductBlocks& blocks) {
    if (!core && blocks.bitmap->device()) {
        core = std::make_shared<JoinedSpwmmaCore>(blocks.bitmap->device(), blocks.array.device(),
                                                  blocks.buffer.device());
    }
    if (core) {
        return std::make_unique<SpwmmaPipeline>(config.tensor_core.spwmma, std::move(core));
    }
    return std::make_unique<SpwmmaSequencer>(config.tensor_core.spwmma, config.values);
}

}  // namespace

std::unique_ptr<Device> make_rtl(RtlBlock block, const Config& config, const DevicePlace& place) {
    if (!config.impl.is_made(block)) return nullptr;
    require_rtl("impl." + std::string(text_of(block).name));
    return make_rtl_block(block, config, place);
}

TensorCoreUnits make_tensor_cores(const Config& config, const DevicePlace& place) {
    TensorCoreUnits units;
    if (config.tensor_core.kind == TensorCoreKind::kFedp) {
        units.matrix = std::make_unique<FedpUnit>(config.sm);
        return units;
    }
    // There is one array and one buffer; SpWMMAs use them exclusively.
    const bool clocked_products = config.impl.has_dense_rtl() && !config.workload.uses_spwmma();
    const WorkloadKind kind = config.workload.kind;
    const bool sparse = has_sparse_product(kind) || kind == WorkloadKind::kMicrobenchmarks;
    std::shared_ptr<SpwmmaCoreDevice> core =
        device_as<SpwmmaCoreDevice>(make_rtl(RtlBlock::kSpwmmaCore, config, place));
    const bool clocked_spwmmas = sparse && !core && config.impl.has_rtl(RtlHome::kTensorCores) &&
                                 config.workload.uses_spwmma();
    units.blocks = std::make_unique<OuterProductBlocks>(
        sparse ? detail_of(clocked_spwmmas) : BlockDetail::kAbsent,
        detail_of(clocked_products || clocked_spwmmas),
        [&](RtlBlock block) { return make_rtl(block, config, place); });
    if (clocked_products) {
        units.matrix = std::make_unique<OuterProductPipeline>(units.blocks->array.device(),
                                                              units.blocks->buffer.device());
    } else {
        units.matrix = std::make_unique<OuterProductUnit>();
    }
    if (sparse) units.sparse = make_spwmma_unit(config, std::move(core), *units.blocks);
    return units;
}

}  // namespace tessera
