// Clock domains: blocks count integer cycles and use sc_time only towards SystemC.
#pragma once

#include <cstring>
#include <systemc>
#include <type_traits>

#include "sc_models/common/divisor.h"
#include "sc_models/common/types.h"

namespace tessera {

/// Converts multiples of the time resolution to sc_time. Equivalent to sc_time::from_value, which
/// costs a kernel call each time to fix a resolution that init_time_resolution() has fixed already.
[[nodiscard]] inline sc_core::sc_time time_of(std::uint64_t units) {
    static_assert(sizeof(sc_core::sc_time) == sizeof units &&
                  std::is_standard_layout_v<sc_core::sc_time>);
    sc_core::sc_time time;
    std::memcpy(static_cast<void*>(&time), &units, sizeof units);
    return time;
}

/// A clock of fixed frequency that starts at time zero. Times are cycle x period, multiplied and
/// never accumulated; with the 1 fs resolution of init_time_resolution(), 1200 MHz does not drift.
class ClockDomain {
public:
    explicit ClockDomain(std::uint32_t frequency_mhz)
        : frequency_mhz_(frequency_mhz),
          period_((1'000'000'000ULL + frequency_mhz / 2) / frequency_mhz) {}

    [[nodiscard]] std::uint32_t frequency_mhz() const { return frequency_mhz_; }
    /// Duration of `cycles` cycles.
    [[nodiscard]] sc_core::sc_time span(Cycle cycles) const {
        return time_of(cycles * period_.value());
    }
    /// First cycle that does not start before `time`.
    [[nodiscard]] Cycle cycle_at(const sc_core::sc_time& time) const {
        return (time.value() + period_.value() - 1) / period_;
    }
    /// Current time of this clock.
    [[nodiscard]] const sc_core::sc_time& present() const { return *present_; }
    /// The same clock with `present` as its current time instead of SystemC's, for look-ahead on
    /// another host thread. `present` must outlive the returned clock.
    [[nodiscard]] ClockDomain seen_at(const sc_core::sc_time& present) const {
        ClockDomain clock = *this;
        clock.present_ = &present;
        return clock;
    }
    [[nodiscard]] Cycle now() const { return cycle_at(present()); }
    /// Cycle reached after an annotated delay.
    [[nodiscard]] Cycle cycle_after(const sc_core::sc_time& delay) const {
        return cycle_at(present() + delay);
    }

private:
    std::uint32_t frequency_mhz_;
    Divisor period_;  ///< in femtoseconds
    /// The kernel's own time, to which sc_time_stamp() returns a reference: calling the kernel for
    /// each access takes some 3 % of a run.
    const sc_core::sc_time* present_ = &sc_core::sc_time_stamp();
};

/// Sets the simulator's resolution to 1 fs. Call once, before elaboration.
inline void init_time_resolution() {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
}

/// Converts cycles of one domain to another, exactly, rounded up.
class ClockRatio {
public:
    ClockRatio(std::uint32_t from_mhz, std::uint32_t to_mhz) : from_(from_mhz), to_(to_mhz) {}
    [[nodiscard]] Cycle convert(Cycle c) const { return (c * to_ + from_.value() - 1) / from_; }

private:
    Divisor from_;
    std::uint64_t to_;
};

}  // namespace tessera
