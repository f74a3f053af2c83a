// Fault injection at an output bit of an RTL block.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sc_models/common/types.h"

namespace tessera {

enum class FaultKind : std::uint8_t {
    kNone,
    kInvert,     ///< the bit is inverted
    kStuckAt0,   ///< the bit is 0
    kStuckAt1,   ///< the bit is 1
    kLateByOne,  ///< all outputs are one clock late; the bit number has no effect
};

/// Kind of a fault, and its first clock cycle.
struct FaultPlan {
    FaultKind kind = FaultKind::kNone;
    std::uint32_t bit = 0;  ///< index over the block's output words of 32 bits
    Cycle from = 0;
    std::string origin;  ///< start of error messages: "OPTION: got 'TEXT'"

    /// Parses "invert:BIT[@CYCLE]", "stuck0:...", "stuck1:..." or "late[@CYCLE]". Throws
    /// ConfigError naming `option` for other text.
    [[nodiscard]] static FaultPlan parse(std::string_view text, std::string_view option);
};

}  // namespace tessera
