// Traffic between memory levels, and roofline of a run's kernels.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tessera {

/// Bytes between levels, for all kernels and for each. Empty for results without the counters.
[[nodiscard]] std::string traffic_html(const nlohmann::ordered_json& result);

/// Roofline chart of the kernels, with the roofs of the tensor cores (or FP32 lanes), L2 and DRAM.
/// States it if no kernel has FLOP.
[[nodiscard]] std::string run_roofline_html(const nlohmann::ordered_json& result);

}  // namespace tessera
