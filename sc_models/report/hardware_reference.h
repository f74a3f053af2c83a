// Measured properties of real hardware, for comparison with the model.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// One row of a file as configs/reference/titan_v_hardware.yaml.
struct HardwareFigure {
    std::string name;
    double hardware = 0;
    std::optional<double> accel_sim;  ///< value of Accel-Sim's V100 configuration
    std::string unit;
};

/// Returns all rows with a hardware value, in file order. Throws ConfigError for a file of another
/// format.
[[nodiscard]] std::vector<HardwareFigure> read_hardware_reference(const std::string& path);

}  // namespace tessera
