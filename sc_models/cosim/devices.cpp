#include "sc_models/cosim/devices.h"

#include <string>

#include "sc_models/cosim/rtl_devices.h"
#include "sc_models/cosim/rtl_support.h"
#include "sc_models/tensor_core/matrix_units.h"
#include "sc_models/tensor_core/outer_product_pipeline.h"
#include "sc_models/tensor_core/spwmma.h"
#include "sc_models/tensor_core/spwmma_pipeline.h"

namespace tessera {
namespace {

std::unique_ptr<FeopArrayDevice> make_array(const Config& config, const DevicePlace& place) {
    return device_or_model<FeopArrayDevice, FeopArray>(
        make_rtl(RtlBlock::kFeopArray, config, place));
}

std::unique_ptr<AccumulationDevice> make_buffer(const Config& config, const DevicePlace& place) {
    return device_or_model<AccumulationDevice, DefaultAccumulationBuffer>(
        make_rtl(RtlBlock::kAccumulationBuffer, config, place));
}

std::unique_ptr<BitmapDevice> make_bitmap_unit(const Config& config, const DevicePlace& place) {
    return device_or_model<BitmapDevice, BitmapUnit>(
        make_rtl(RtlBlock::kBitmapUnit, config, place));
}

}  // namespace

std::unique_ptr<Device> make_rtl(RtlBlock block, const Config& config, const DevicePlace& place) {
    if (!config.impl.has_rtl(block)) return nullptr;
    require_rtl("impl." + std::string(text_of(block).name));
    return make_rtl_block(block, config, place);
}

DetectionDevices make_detection_devices(const Config& config, const DevicePlace& place) {
    return {device_as<IdDevice>(make_rtl(RtlBlock::kIdGenerator, config, place)),
            device_as<HistoryDevice>(make_rtl(RtlBlock::kLoadHistoryBuffer, config, place))};
}

std::unique_ptr<MatrixUnit> make_matrix_unit(const Config& config, const DevicePlace& place) {
    if (config.tensor_core.kind == TensorCoreKind::kFedp) {
        return std::make_unique<FedpUnit>(config.sm.operation(Operation::kHmmaF32));
    }
    // A pair of tensor cores has one array and one buffer; SpWMMAs use them exclusively.
    if (config.impl.has_dense_rtl() && !config.workload.uses_spwmma()) {
        return std::make_unique<OuterProductPipeline>(make_array(config, place),
                                                      make_buffer(config, place));
    }
    return std::make_unique<OuterProductUnit>();
}

std::unique_ptr<SpwmmaUnit> make_spwmma_unit(const Config& config, const DevicePlace& place) {
    if (config.tensor_core.kind == TensorCoreKind::kFedp) return nullptr;
    const WorkloadKind kind = config.workload.kind;
    if (!has_sparse_product(kind) && kind != WorkloadKind::kMicrobenchmarks) return nullptr;
    if (config.impl.has_rtl(RtlHome::kTensorCores) && config.workload.uses_spwmma()) {
        return std::make_unique<SpwmmaPipeline>(
            config.tensor_core.spwmma, make_bitmap_unit(config, place), make_array(config, place),
            make_buffer(config, place));
    }
    return std::make_unique<SpwmmaSequencer>(config.tensor_core.spwmma, config.values);
}

}  // namespace tessera
