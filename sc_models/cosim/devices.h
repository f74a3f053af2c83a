// The blocks of a machine that may be models, RTL or both, made as the configuration says.
#pragma once

#include <memory>

#include "sc_models/common/device.h"
#include "sc_models/common/device_place.h"
#include "sc_models/config/config.h"
#include "sc_models/duplo/detection_devices.h"
#include "sc_models/tensor_core/matrix_unit.h"
#include "sc_models/tensor_core/spwmma_unit.h"

namespace tessera {

/// The RTL of a block as `impl` says, alone or beside its model; null: the model serves. Throws
/// ConfigError for what the RTL does not support, and if this build has no RTL.
[[nodiscard]] std::unique_ptr<Device> make_rtl(RtlBlock block, const Config& config,
                                               const DevicePlace& place);

/// Null pointers where the models serve; throws likewise.
[[nodiscard]] DetectionDevices make_detection_devices(const Config& config,
                                                      const DevicePlace& place);
/// The matrix unit of a sub-core; throws likewise.
[[nodiscard]] std::unique_ptr<MatrixUnit> make_matrix_unit(const Config& config,
                                                           const DevicePlace& place);
/// What executes SpWMMAs in a sub-core, with its accumulation buffer; null with FEDP tensor cores
/// and without sparse operands. Throws likewise.
[[nodiscard]] std::unique_ptr<SpwmmaUnit> make_spwmma_unit(const Config& config,
                                                           const DevicePlace& place);

}  // namespace tessera
