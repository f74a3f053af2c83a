// A deliberate error at a pin of an RTL block.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sc_models/common/types.h"

namespace tessera {

enum class FaultKind : std::uint8_t {
    kNone,
    kInvert,     ///< the bit is the wrong way round
    kStuckAt0,   ///< the bit is 0
    kStuckAt1,   ///< the bit is 1
    kLateByOne,  ///< all outputs come a clock late; the bit's number says nothing
};

/// What is wrong, and from which clock cycle on.
struct FaultPlan {
    FaultKind kind = FaultKind::kNone;
    std::uint32_t bit = 0;  ///< counted over the block's output words, 32 bits each
    Cycle from = 0;
    std::string origin;  ///< what users gave, as messages begin with it: "OPTION: got 'TEXT'"

    /// From "invert:BIT[@CYCLE]", "stuck0:...", "stuck1:..." or "late[@CYCLE]". Throws ConfigError
    /// naming `option` for anything else.
    [[nodiscard]] static FaultPlan parse(std::string_view text, std::string_view option);
};

}  // namespace tessera
