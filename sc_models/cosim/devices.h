// Factory of blocks that may be models, RTL or both, as configured.
#pragma once

#include <memory>

#include "sc_models/common/device.h"
#include "sc_models/common/device_place.h"
#include "sc_models/config/config.h"
#include "sc_models/tensor_core/shell/outer_product_blocks.h"

namespace tessera {

/// The RTL of a block as `impl` selects, alone or beside its model; null: use the model. Throws
/// ConfigError for configurations that the RTL does not support, and if this build has no RTL.
[[nodiscard]] std::unique_ptr<Device> make_rtl(RtlBlock block, const Config& config,
                                               const DevicePlace& place);

/// Makes the tensor cores of a sub-core and the modules of their blocks, children of the module
/// that is under construction. Throws like make_rtl.
[[nodiscard]] TensorCoreUnits make_tensor_cores(const Config& config, const DevicePlace& place);

}  // namespace tessera
