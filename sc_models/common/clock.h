// Clock domains: integer cycles inside blocks, sc_time only where SystemC is spoken to.
#pragma once

#include <cstring>
#include <systemc>
#include <type_traits>

#include "sc_models/common/types.h"

namespace tessera {

/// A time of so many units of the time resolution. sc_time::from_value does the same and costs a
/// call into the kernel each time, to fix a resolution that `init_time_resolution` has fixed.
[[nodiscard]] inline sc_core::sc_time time_of(std::uint64_t units) {
    static_assert(sizeof(sc_core::sc_time) == sizeof units &&
                  std::is_standard_layout_v<sc_core::sc_time>);
    sc_core::sc_time time;
    std::memcpy(static_cast<void*>(&time), &units, sizeof units);
    return time;
}

/// The length of a cycle. Dividing by it takes two multiplications; a division of 64 bits takes
/// several times as long, and every call between blocks needs some.
class Period {
public:
    /// `units` of the time resolution, at least 1.
    explicit Period(std::uint64_t units) : units_(units), inverse_(~std::uint64_t{0} / units) {}

    [[nodiscard]] std::uint64_t units() const { return units_; }
    /// The first cycle that does not start before `time`, in units, which is below 2^63.
    [[nodiscard]] Cycle cycle_at(std::uint64_t time) const {
        __extension__ using Wide = unsigned __int128;
        const std::uint64_t up = time + units_ - 1;
        // 2^64 / units is at most one larger than inverse_, so the quotient is at most one short.
        const auto cycle = static_cast<std::uint64_t>(Wide{up} * inverse_ >> 64U);
        return cycle + (up - cycle * units_ >= units_ ? 1 : 0);
    }

private:
    std::uint64_t units_, inverse_;
};

/// A clock of fixed frequency that starts at time zero. Times are cycle x period, multiplied and
/// never accumulated; with the 1 fs resolution that `init_time_resolution` sets, 1200 MHz does not
/// drift.
class ClockDomain {
public:
    explicit ClockDomain(std::uint32_t frequency_mhz)
        : frequency_mhz_(frequency_mhz),
          period_((1'000'000'000ULL + frequency_mhz / 2) / frequency_mhz) {}

    [[nodiscard]] std::uint32_t frequency_mhz() const { return frequency_mhz_; }
    /// The span of `cycles` cycles.
    [[nodiscard]] sc_core::sc_time span(Cycle cycles) const {
        return time_of(cycles * period_.units());
    }
    /// The first cycle that does not start before `time`.
    [[nodiscard]] Cycle cycle_at(const sc_core::sc_time& time) const {
        return period_.cycle_at(time.value());
    }
    [[nodiscard]] Cycle now() const { return cycle_at(sc_core::sc_time_stamp()); }

private:
    std::uint32_t frequency_mhz_;
    Period period_;  ///< in femtoseconds
};

/// Sets the simulator's resolution to 1 fs. Call once, before anything is elaborated.
inline void init_time_resolution() {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
}

/// Cycles of one domain expressed in another, exactly and rounded up.
class ClockRatio {
public:
    ClockRatio(std::uint32_t from_mhz, std::uint32_t to_mhz) : from_(from_mhz), to_(to_mhz) {}
    [[nodiscard]] Cycle convert(Cycle c) const { return (c * to_ + from_ - 1) / from_; }

private:
    std::uint64_t from_, to_;
};

}  // namespace tessera
