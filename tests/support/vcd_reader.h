// Reads a VCD file back, for tests of what was recorded.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sc_models/common/clock.h"

namespace tessera::test {

/// A signal's values: each holds from its cycle on.
class VcdSignal {
public:
    struct Change {
        Cycle at;
        std::uint64_t value;
    };
    std::uint32_t width_bits = 0;
    std::vector<Change> changes;  ///< the first is the initial value

    [[nodiscard]] std::uint64_t at(Cycle cycle) const;
    /// Cycles of [begin, end) in which the value is `value`.
    [[nodiscard]] Cycle cycles_at(std::uint64_t value, Cycle begin, Cycle end) const;
    /// Sum of the value over the cycles [begin, end).
    [[nodiscard]] std::uint64_t sum(Cycle begin, Cycle end) const;
};

struct VcdFile {
    std::map<std::string, VcdSignal> signals;  ///< by dotted name, without the outermost scope
    Cycle first = 0;                           ///< of the first time stamp
    Cycle last = 0;

    /// Throws std::runtime_error for anything unexpected, among it a time between two cycles.
    [[nodiscard]] static VcdFile read(const std::string& path, const ClockDomain& clock);
    /// Throws std::out_of_range naming a signal that is not there.
    [[nodiscard]] const VcdSignal& operator[](const std::string& name) const;
};

}  // namespace tessera::test
