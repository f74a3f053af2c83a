// Comparison of a sparse tensor core's pins, in the machine and in its bench.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sc_models/cosim/scoreboard.h"
#include "sc_models/tensor_core/spwmma_core.h"

namespace tessera {

template <std::size_t kCount>
void compare_words(std::string_view signal, const std::array<std::uint32_t, kCount>& expected,
                   const std::array<std::uint32_t, kCount>& got, Scoreboard& scoreboard) {
    for (std::size_t i = 0; i < kCount; ++i) scoreboard.expect(signal, i, expected[i], got[i]);
}

void compare_summary(const BitmapUnit::Summary& expected, const BitmapUnit::Summary& got,
                     Scoreboard& scoreboard);

/// Compares all outputs that mean something in a cycle.
void compare_pins(const SpwmmaCorePins::Outputs& expected, const SpwmmaCorePins::Outputs& got,
                  Scoreboard& scoreboard);

}  // namespace tessera
