// In which order the CTAs of a kernel are launched, and which are not.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/config/sample_config.h"
#include "sc_models/gpu/wave_times.h"

namespace tessera {

/// How a kernel was sampled.
struct KernelSample {
    std::uint32_t ctas = 0;           ///< that ran
    std::uint32_t slots = 0;          ///< CTAs that the machine holds at once, those of a wave
    std::uint32_t waves = 0;          ///< whole ones of the grid
    std::uint32_t skipped_waves = 0;  ///< 0: the kernel ran in full
    std::uint32_t measured_waves = 0;
    WaveEstimate skipped;  ///< time of the waves that did not run
};

/// Hands out the CTAs of a grid: all of them in order, or a sample.
///
/// A sample consists of whole waves, as many consecutive CTAs as the machine holds at once. The
/// first ones warm the machine up, and the next two are measured. So are two in the middle of the
/// grid and, until the interval is narrow enough, in places that halve what lies between, each
/// behind waves that warm up for it. The last wave runs behind the middle, and what it leaves over
/// runs last. Skipping whole waves leaves the machine full and the partial wave as it is.
class CtaOrder {
public:
    /// Waves measured in each place (chosen).
    static constexpr std::uint32_t kMeasured = 2;
    /// Measured waves below which no interval is believed: two places (chosen).
    static constexpr std::size_t kFewestMeasured = 4;
    /// Of a grid at least the waves over so many run, however sure the interval (chosen).
    static constexpr std::uint32_t kMostTimes = 25;

    CtaOrder() = default;
    /// All CTAs, first to last.
    explicit CtaOrder(std::uint32_t ctas) : ctas_(ctas), segment_end_(ctas) {}
    /// A sample of the grid, on a machine with room for `slots` CTAs. Where it has rows of
    /// `row_ctas`, jumps go to about the same place in another row, so that the operand of which a
    /// row reads all comes as it would; 0: it has none.
    CtaOrder(std::uint32_t ctas, std::uint32_t slots, std::uint32_t row_ctas,
             const SampleConfig& config);

    /// The CTA to launch at cycle `at`; nothing: none is left.
    std::optional<std::uint32_t> next(Cycle at);
    /// CTAs launched so far.
    [[nodiscard]] std::uint32_t launched() const { return launched_; }
    /// Whether CTAs will be launched.
    [[nodiscard]] bool more() const { return !last_ || next_ < segment_end_; }
    /// What will have run in the end, as far as is known.
    [[nodiscard]] std::uint32_t expected() const {
        return last_ ? launched_ + segment_end_ - next_ : ctas_;
    }
    /// Once all CTAs have been launched; nothing if no sample was asked for.
    [[nodiscard]] std::optional<KernelSample> sample() const;
    /// Whether some CTAs may be left out.
    [[nodiscard]] bool may_leave_out() const { return times_.has_value(); }
    /// Whether CTA `cta` ran or will run, as far as is known.
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
    /// Waves below which a kernel is not sampled: about half of them would run anyway (chosen).
    [[nodiscard]] std::uint32_t fewest_waves() const { return 4 * (warm_waves_ + 1); }

    std::uint32_t ctas_ = 0;
    std::uint32_t next_ = 0, segment_end_ = 0;  ///< of the CTAs being launched
    std::uint32_t launched_ = 0;
    bool last_ = true;  ///< nothing follows the segment

    // Of samples.
    std::uint32_t slots_ = 0, waves_ = 0;  ///< 0 slots: no sample was asked for
    std::uint32_t row_ctas_ = 1;
    std::uint32_t warm_waves_ = 0, places_ = 0;
    double error_ = 0;
    std::vector<bool> run_;               ///< by wave of the grid: launched or about to be
    std::vector<std::size_t> measured_;   ///< whose times stand for others, counted as launched
    std::optional<std::uint32_t> place_;  ///< the wave to measure, warmed up for
    std::optional<WaveTimes> times_;
    std::optional<Cycle> start_;
};

}  // namespace tessera
