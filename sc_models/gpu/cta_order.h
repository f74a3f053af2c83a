// Launch order of the CTAs of a kernel, with sampling.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/config/sample_config.h"
#include "sc_models/gpu/wave_times.h"

namespace tessera {

/// Sampling result of a kernel.
struct KernelSample {
    std::uint32_t ctas = 0;           ///< CTAs that ran
    std::uint32_t slots = 0;          ///< CTAs the machine holds at once: the size of a wave
    std::uint32_t waves = 0;          ///< whole waves of the grid
    std::uint32_t skipped_waves = 0;  ///< 0: the kernel ran in full
    std::uint32_t measured_waves = 0;
    WaveEstimate skipped;  ///< estimated time of the skipped waves
};

/// Returns the CTAs of a grid to launch: all of them in order, or a sample.
///
/// A sample consists of whole waves: as many consecutive CTAs as the machine holds at once. The
/// first waves warm the machine up, and the next two are measured. Two more are measured in the
/// middle of the grid and, until the interval is narrow enough, at further bisection points, each
/// after its own warm-up waves. The last wave runs after the middle, and the partial wave runs
/// last. Skipping whole waves keeps the machine full and the partial wave unchanged.
class CtaOrder {
public:
    /// Waves measured at each point (chosen).
    static constexpr std::uint32_t kMeasured = 2;
    /// Minimum number of measured waves for an interval: two points (chosen).
    static constexpr std::size_t kFewestMeasured = 4;
    /// A grid runs at least 1 / kMostTimes of its waves, however narrow the interval (chosen).
    static constexpr std::uint32_t kMostTimes = 25;

    CtaOrder() = default;
    /// All CTAs, first to last.
    explicit CtaOrder(std::uint32_t ctas) : ctas_(ctas), segment_end_(ctas) {}
    /// A sample of the grid, on a machine with room for `slots` CTAs. In a grid with rows of
    /// `row_ctas`, jumps go to about the same position of another row, so that the operand shared
    /// by a row is reused as in a full run; 0: no rows.
    CtaOrder(std::uint32_t ctas, std::uint32_t slots, std::uint32_t row_ctas,
             const SampleConfig& config);

    /// Returns the CTA to launch at cycle `at`; empty: none is left.
    std::optional<std::uint32_t> next(Cycle at);
    /// Returns the number of CTAs launched so far.
    [[nodiscard]] std::uint32_t launched() const { return launched_; }
    /// Returns whether CTAs will be launched.
    [[nodiscard]] bool more() const { return !last_ || next_ < segment_end_; }
    /// Returns the number of CTAs that will have run, as far as is known.
    [[nodiscard]] std::uint32_t expected() const {
        return last_ ? launched_ + segment_end_ - next_ : ctas_;
    }
    /// Returns the sampling result once all CTAs are launched; empty without sampling.
    [[nodiscard]] std::optional<KernelSample> sample() const;
    /// Returns whether some CTAs may be skipped.
    [[nodiscard]] bool may_leave_out() const { return times_.has_value(); }
    /// Returns whether CTA `cta` ran or will run, as far as is known.
    [[nodiscard]] bool runs(std::uint32_t cta) const;

private:
    void choose_segment(Cycle at);
    void launch_waves(std::uint32_t first, std::uint32_t count);
    void measure(std::uint32_t wave);
    [[nodiscard]] std::vector<std::size_t> measured() const;
    [[nodiscard]] bool precise_enough(Cycle at) const;
    [[nodiscard]] std::optional<std::uint32_t> next_place();
    [[nodiscard]] std::uint32_t warm_start(std::uint32_t wave) const;
    [[nodiscard]] std::uint32_t row_offset(std::uint32_t wave) const;
    /// Minimum number of waves for sampling; in a smaller kernel about half would run anyway
    /// (chosen).
    [[nodiscard]] std::uint32_t fewest_waves() const { return 4 * (warm_waves_ + 1); }

    std::uint32_t ctas_ = 0;
    std::uint32_t next_ = 0, segment_end_ = 0;  ///< segment being launched
    std::uint32_t launched_ = 0;
    bool last_ = true;  ///< no segment follows

    // Sampling state.
    std::uint32_t slots_ = 0, waves_ = 0;  ///< 0 slots: no sampling
    std::uint32_t row_ctas_ = 1;
    std::uint32_t warm_waves_ = 0, places_ = 0;
    double error_ = 0;
    std::vector<bool> run_;               ///< by wave of the grid: launched or about to be
    std::vector<std::size_t> measured_;   ///< measured waves, counted in launch order
    std::optional<std::uint32_t> place_;  ///< wave to measure after its warm-up
    std::optional<WaveTimes> times_;
    std::optional<Cycle> start_;
};

}  // namespace tessera
