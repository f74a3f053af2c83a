#include "sc_models/cosim/devices.h"

#include "sc_models/cosim/rtl_devices.h"
#include "sc_models/tensor_core/matrix_units.h"
#include "sc_models/tensor_core/spwmma.h"

namespace tessera {

DetectionDevices make_detection_devices(const Config& config, const DevicePlace& place) {
    DetectionDevices devices;
    if (config.impl.has_rtl(RtlBlock::kIdGenerator)) devices.ids = make_rtl_ids(config, place);
    if (config.impl.has_rtl(RtlBlock::kLoadHistoryBuffer)) {
        devices.history = make_rtl_history(config, place);
    }
    return devices;
}

std::unique_ptr<MatrixUnit> make_matrix_unit(const Config& config, const DevicePlace& place) {
    if (config.tensor_core.kind == TensorCoreKind::kFedp) {
        return std::make_unique<FedpUnit>(config.sm.operation(Operation::kHmmaF32));
    }
    // A pair of tensor cores has one array and one buffer: where SpWMMAs use them, nothing else
    // does.
    if (config.impl.has_dense_rtl() && !config.workload.uses_spwmma()) {
        return make_rtl_outer_product(config, place);
    }
    return std::make_unique<OuterProductUnit>();
}

std::unique_ptr<SpwmmaUnit> make_spwmma_unit(const Config& config, const DevicePlace& place) {
    if (config.tensor_core.kind == TensorCoreKind::kFedp) return nullptr;
    const WorkloadKind kind = config.workload.kind;
    if (!has_sparse_product(kind) && kind != WorkloadKind::kMicrobenchmarks) return nullptr;
    if (config.impl.has_rtl(RtlHome::kTensorCores) && config.workload.uses_spwmma()) {
        return make_rtl_spwmma(config, place);
    }
    return std::make_unique<SpwmmaSequencer>(config.tensor_core.spwmma, config.values);
}

}  // namespace tessera
