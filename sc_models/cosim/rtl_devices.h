// The blocks of a machine in RTL, alone or beside their models. Only builds with RTL have them.
#pragma once

#include <memory>

#include "sc_models/common/device.h"
#include "sc_models/common/device_place.h"
#include "sc_models/config/config.h"

namespace tessera {

/// `block`, which `impl` wants as RTL, from the factory of its kind. Throws ConfigError for what
/// the RTL does not support.
[[nodiscard]] std::unique_ptr<Device> make_rtl_block(RtlBlock block, const Config& config,
                                                     const DevicePlace& place);

[[nodiscard]] std::unique_ptr<Device> make_rtl_id_generator(const Config& config,
                                                            const DevicePlace& place);
[[nodiscard]] std::unique_ptr<Device> make_rtl_load_history_buffer(const Config& config,
                                                                   const DevicePlace& place);
[[nodiscard]] std::unique_ptr<Device> make_rtl_feop_array(const Config& config,
                                                          const DevicePlace& place);
[[nodiscard]] std::unique_ptr<Device> make_rtl_accumulation_buffer(const Config& config,
                                                                   const DevicePlace& place);
[[nodiscard]] std::unique_ptr<Device> make_rtl_bitmap_unit(const Config& config,
                                                           const DevicePlace& place);

}  // namespace tessera
