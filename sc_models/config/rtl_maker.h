// Factory of RTL blocks, as modules call it.
#pragma once

#include <functional>
#include <memory>

#include "sc_models/common/device.h"
#include "sc_models/config/impl_config.h"

namespace tessera {

/// Makes the RTL of a block at the place of the module that calls it, alone or beside its model;
/// null: the module uses its model.
using RtlMaker = std::function<std::unique_ptr<Device>(RtlBlock)>;

/// Returns an RtlMaker for modules that use their models only.
[[nodiscard]] inline RtlMaker models_only() {
    return [](RtlBlock) { return std::unique_ptr<Device>(); };
}

}  // namespace tessera
