// What a run moved between the levels of memory, and its kernels under their roofs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tessera {

/// Bytes from level to level, of all kernels and of each. Empty for results without the counters.
[[nodiscard]] std::string traffic_html(const nlohmann::ordered_json& result);

/// The kernels under the roofs of the tensor cores, or of FP32 lanes, and of L2 and DRAM. Says so
/// if none of them has FLOP.
[[nodiscard]] std::string run_roofline_html(const nlohmann::ordered_json& result);

}  // namespace tessera
