// Factory of blocks that may be models, RTL or both, as configured.
#pragma once

#include <memory>

#include "sc_models/common/device.h"
#include "sc_models/common/device_place.h"
#include "sc_models/config/config.h"
#include "sc_models/duplo/detection_devices.h"
#include "sc_models/tensor_core/matrix_unit.h"
#include "sc_models/tensor_core/spwmma_unit.h"

namespace tessera {

/// The RTL of a block as `impl` selects, alone or beside its model; null: use the model. Throws
/// ConfigError for configurations that the RTL does not support, and if this build has no RTL.
[[nodiscard]] std::unique_ptr<Device> make_rtl(RtlBlock block, const Config& config,
                                               const DevicePlace& place);

/// Detection devices of an SM; null pointers mean models. Throws like make_rtl.
[[nodiscard]] DetectionDevices make_detection_devices(const Config& config,
                                                      const DevicePlace& place);
/// The matrix unit of a sub-core. Throws like make_rtl.
[[nodiscard]] std::unique_ptr<MatrixUnit> make_matrix_unit(const Config& config,
                                                           const DevicePlace& place);
/// Unit that executes a sub-core's SpWMMAs, with its accumulation buffer; null with FEDP tensor
/// cores and without sparse operands. Throws like make_rtl.
[[nodiscard]] std::unique_ptr<SpwmmaUnit> make_spwmma_unit(const Config& config,
                                                           const DevicePlace& place);

}  // namespace tessera
