// Times of a kernel's waves, and estimates for skipped waves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// Estimated time of a number of waves, with half of a 95 % interval.
struct WaveEstimate {
    double cycles = 0;
    double half_width = 0;
};

/// Times of waves. A wave is as many CTAs as a machine holds at once, launched one after the other,
/// each as an earlier one ends. The time of a wave is that from the mean launch of its CTAs to the
/// mean launch of the next wave's, so that times of waves add up to that of a run.
class WaveTimes {
public:
    explicit WaveTimes(std::uint32_t slots) : slots_(slots) {}

    /// Records the launch of a CTA, in launch order.
    void add(Cycle launch);
    /// Returns whether the time of wave `wave`, counted in launch order, is known: all CTAs of the
    /// next have been launched.
    [[nodiscard]] bool complete(std::size_t wave) const { return launched_ >= (wave + 2) * slots_; }
    /// Returns the cycles of a complete wave.
    [[nodiscard]] double cycles(std::size_t wave) const;

    /// Estimates the time of `others` waves like the complete waves in `measured`: Student's
    /// interval of the sum of `others` further draws; unbounded for fewer than two.
    [[nodiscard]] WaveEstimate estimate(const std::vector<std::size_t>& measured,
                                        std::uint32_t others) const;

private:
    std::uint64_t slots_;
    std::uint64_t launched_ = 0;
    std::vector<std::uint64_t> launch_sums_;  ///< indexed by wave
};

}  // namespace tessera
