// Limit of a network's layer whose kernels run back to back.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tessera {

/// Core cycles and limit of a layer that runs behind another.
struct LayerLimit {
    std::string kernel;        ///< name of the main kernel
    std::string text;          ///< "limit: reason"
    double launch_cycles = 0;  ///< sum over all kernels, each launched behind another
    /// Extra cycles of the first kernel's launch on an idle machine; negative: fewer.
    double idle_launch_cycles = 0;
};

/// Finds the limit of a layer from the `kernels` of a result.json, for a machine with `sms` SMs.
/// The main kernel is the one with the most FLOP on tensor cores or FP32 lanes; if none has any,
/// the one with the most cycles after its launch. The first rule that holds determines the limit:
///
/// 1. "launch": launches take at least half of the layer's time.
/// 2. a unit, for example "DRAM": it reaches at least kBoundPercent of its peak in the main
///    kernel after the launch. Among several, the one nearest to its peak.
/// 3. "few CTAs (1 on 80 SMs)": at least half of the main kernel's issue slots after the launch
///    have no warp.
/// 4. "latency": otherwise; the text names the largest cause of empty issue slots.
///
/// Throws ConfigError if a kernel lacks launch cycles, as in results of earlier versions.
[[nodiscard]] LayerLimit layer_limit(const nlohmann::ordered_json& kernels, std::uint32_t sms);

}  // namespace tessera
