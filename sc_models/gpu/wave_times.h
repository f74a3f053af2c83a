// The times of a kernel's waves, and what they say of waves that did not run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// Time of so many waves, with half of a 95 % interval.
struct WaveEstimate {
    double cycles = 0;
    double half_width = 0;
};

/// How long waves take: as many CTAs as a machine holds at once, launched one after the other,
/// each as one before it ends. The time of a wave is that from the mean launch of its CTAs to the
/// mean launch of the next wave's, so that times of waves add up to that of a run.
class WaveTimes {
public:
    explicit WaveTimes(std::uint32_t slots) : slots_(slots) {}

    /// A CTA is launched, in the order of launches.
    void add(Cycle launch);
    /// Whether the time of wave `wave` is known, counted from the first launch on: all of the next
    /// have been launched.
    [[nodiscard]] bool complete(std::size_t wave) const { return launched_ >= (wave + 2) * slots_; }
    /// In cycles; the wave is complete.
    [[nodiscard]] double cycles(std::size_t wave) const;

    /// Time of `others` waves like those in `measured`, which are complete: Student's interval of
    /// the sum of `others` further draws; without bound for less than two.
    [[nodiscard]] WaveEstimate estimate(const std::vector<std::size_t>& measured,
                                        std::uint32_t others) const;

private:
    std::uint64_t slots_;
    std::uint64_t launched_ = 0;
    std::vector<std::uint64_t> launch_sums_;  ///< by wave
};

}  // namespace tessera
