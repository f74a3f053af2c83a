// Limits of a network's layers in four classes.
#pragma once

#include <array>
#include <string_view>

namespace tessera {

/// Index into kLimitClasses.
enum class LimitClass { kLaunch, kLatency, kMemory, kCompute };

/// Name and colour of a class on pages.
struct LimitClassText {
    const char* name;
    const char* colour;
};
inline constexpr std::array<LimitClassText, 4> kLimitClasses = {{
    {"launch", "#c9629a"},
    {"latency", "#b8a02e"},
    {"memory", "#3f8cc4"},
    {"compute", "#4d9a55"},
}};

/// Class of the text of layer_limit(), such as "DRAM: 84.4 % of 898 GB/s": arithmetic units are
/// compute and other units memory. Too few CTAs count as latency.
[[nodiscard]] LimitClass limit_class(std::string_view bound_by);

}  // namespace tessera
