// The part of a run that is recorded.
#pragma once

#include <string>
#include <string_view>

#include "sc_models/common/types.h"

namespace tessera {

/// Core cycles [begin, end), counted from the start of the run (over all its kernels).
struct CycleWindow {
    Cycle begin = 0;
    Cycle end = kNever;

    /// From "A:B"; a side left empty is the start or the end of the run. Throws ConfigError naming
    /// `option` for anything else, and for a window without a cycle.
    [[nodiscard]] static CycleWindow parse(std::string_view text, std::string_view option);
    /// As `parse` reads it.
    [[nodiscard]] std::string text() const;
};

}  // namespace tessera
