// Comparison of two runs in sentences.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tessera {

/// Sentences about each kernel that both results have and whose cycles or work of units differ by
/// at least 1 %: "DRAM work of gemm fell by 44.0 %, so the kernel is 17.0 % faster." The work of a
/// unit is its share of peak times the cycles.
///
/// A change of a unit's work is named as the cause if three conditions hold: this unit bounds the
/// kernel in A where work falls, and in B where it rises; work and cycles change in the same
/// direction; and work changes at least as much as cycles. `clock_ratio` is B's core clock divided
/// by A's; sentences about causes require that it is 1.
[[nodiscard]] std::vector<std::string> comparison_sentences(const nlohmann::ordered_json& a,
                                                            const nlohmann::ordered_json& b,
                                                            double clock_ratio);

}  // namespace tessera
