// Measured properties of real hardware, to be set beside the model's.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// One row of configs/reference/titan_v_hardware.yaml.
struct HardwareFigure {
    std::string name;
    double hardware = 0;
    std::optional<double> accel_sim;  ///< the same in Accel-Sim's V100 configuration
    std::string unit;
};

/// All rows with a hardware value, in the order of the file. Throws ConfigError for a file that is
/// no such list.
[[nodiscard]] std::vector<HardwareFigure> read_hardware_reference(const std::string& path);

}  // namespace tessera
