// Makes blocks that are RTL or hold RTL; in builds without RTL this throws ConfigError.
#pragma once

#include "sc_models/cosim/devices.h"

namespace tessera {

[[nodiscard]] std::unique_ptr<IdDevice> make_rtl_ids(const Config& config,
                                                     const DevicePlace& place);
[[nodiscard]] std::unique_ptr<HistoryDevice> make_rtl_history(const Config& config,
                                                              const DevicePlace& place);
/// Outer-product cores of which array, accumulation buffer or both are RTL.
[[nodiscard]] std::unique_ptr<MatrixUnit> make_rtl_outer_product(const Config& config,
                                                                 const DevicePlace& place);
/// SpWMMAs on outer-product cores of which bitmap unit, array, accumulation buffer or some are RTL.
[[nodiscard]] std::unique_ptr<SpwmmaUnit> make_rtl_spwmma(const Config& config,
                                                          const DevicePlace& place);

}  // namespace tessera
