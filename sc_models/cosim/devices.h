// The blocks of a machine that may be models, RTL or both, made as the configuration says.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/common/observer.h"
#include "sc_models/gpu/config.h"
#include "sc_models/ldst/detection_devices.h"
#include "sc_models/tensor_core/matrix_unit.h"
#include "sc_models/tensor_core/spwmma_unit.h"

namespace tessera {

/// Where in the machine a block stands.
struct DevicePlace {
    std::string scope;         ///< "sm3" or "sm3.tensor1"
    std::uint32_t number = 0;  ///< counts the places of a kind; with the run's seed it chooses the
                               ///< first values of registers
    WaveRecorder* wave = nullptr;
};

/// Null pointers where the models serve. Throws ConfigError for what the RTL does not support, and
/// if this build has no RTL.
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
