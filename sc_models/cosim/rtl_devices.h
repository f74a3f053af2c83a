// Factories of the machine's RTL blocks, alone or beside their models; only in builds with RTL.
#pragma once

#include <memory>

#include "sc_models/common/device.h"
#include "sc_models/common/device_place.h"
#include "sc_models/config/config.h"

namespace tessera {

/// Makes the RTL of `block`, which `impl` selects. Throws ConfigError for configurations that the
/// RTL does not support.
[[nodiscard]] std::unique_ptr<Device> make_rtl_block(RtlBlock block, const Config& config,
                                                     const DevicePlace& place);

[[nodiscard]] std::unique_ptr<Device> make_rtl_id_generator(const Config& config,
                                                            const DevicePlace& place);
[[nodiscard]] std::unique_ptr<Device> make_rtl_load_history_buffer(const Config& config,
                                                                   const DevicePlace& place);
[[nodiscard]] std::unique_ptr<Device> make_rtl_rename_table(const Config& config,
                                                            const DevicePlace& place);
[[nodiscard]] std::unique_ptr<Device> make_rtl_duplo_core(const Config& config,
                                                          const DevicePlace& place);
[[nodiscard]] std::unique_ptr<Device> make_rtl_precompute_table(const Config& config,
                                                                const DevicePlace& place);
[[nodiscard]] std::unique_ptr<Device> make_rtl_assign_table(const Config& config,
                                                            const DevicePlace& place);
[[nodiscard]] std::unique_ptr<Device> make_rtl_feop_array(const Config& config,
                                                          const DevicePlace& place);
[[nodiscard]] std::unique_ptr<Device> make_rtl_accumulation_buffer(const Config& config,
                                                                   const DevicePlace& place);
[[nodiscard]] std::unique_ptr<Device> make_rtl_bitmap_unit(const Config& config,
                                                           const DevicePlace& place);

[[nodiscard]] std::unique_ptr<Device> make_rtl_spwmma_core(const Config& config,
                                                           const DevicePlace& place);

}  // namespace tessera
