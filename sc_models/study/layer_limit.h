// What limits a layer of a network, whose kernels run one behind the other.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tessera {

/// Core cycles of a layer that runs behind another, and what limits it.
struct LayerLimit {
    std::string kernel;        ///< the main one
    std::string text;          ///< "what: why"
    double launch_cycles = 0;  ///< of all kernels, each behind another
    /// How much longer the first kernel's launch took on its idle machine; negative: shorter.
    double idle_launch_cycles = 0;
};

/// From the `kernels` of a result.json, of a machine with so many SMs. The main kernel is the one
/// with the most FLOP on tensor cores or FP32 lanes; where none has any, the one that takes the
/// longest behind its launch. The first of these rules that holds says what limits the layer:
///
/// 1. "launch": launches take at least half of its time.
/// 2. a unit, "DRAM" say: it gives at least kBoundPercent of its peak in the main kernel, from the
///    launch on. Of several, the one nearest to its peak.
/// 3. "few CTAs (1 on 80 SMs)": at least half of the main kernel's issue slots, from the launch on,
///    have no warp.
/// 4. "latency": none of these; the text names the largest cause of empty issue slots.
///
/// Throws ConfigError where a kernel lacks its launch, as results of earlier versions do.
[[nodiscard]] LayerLimit layer_limit(const nlohmann::ordered_json& kernels, std::uint32_t sms);

}  // namespace tessera
