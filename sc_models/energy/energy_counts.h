// Counts of energy events of a kernel.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/common/types.h"
#include "sc_models/config/config.h"
#include "sc_models/energy/energy_events.h"

namespace tessera {

/// Number of events of one kind.
struct EnergyCount {
    const EnergyEvent* event = &energy_event::kRegisterRead;  ///< never null
    std::uint64_t count = 0;
    std::uint64_t size = 0;  ///< value that the price depends on (EnergyEvent::size_key); else 0
};

/// Events of one or more kernels on one machine.
struct EnergyCounts {
    std::uint32_t core_clock_mhz = 0;
    std::vector<EnergyCount> events;  ///< in the order of energy_events(), each at most once

    /// Adds the counts of another kernel of the same machine.
    void add(const EnergyCounts& more);
    /// Time of the kernels, the cycles of `constant_power`; 0 without that event.
    [[nodiscard]] double microseconds() const;
};

/// Counts the events of a kernel of `cycles` cycles from the statistics of the whole machine;
/// absent parts of the machine count no events. A missing counter of a present part throws
/// std::out_of_range: it must not read as zero. docs/energy.md gives the rule of each event.
[[nodiscard]] EnergyCounts energy_counts(const Config& config, const StatGroup& machine,
                                         Cycle cycles);

}  // namespace tessera
