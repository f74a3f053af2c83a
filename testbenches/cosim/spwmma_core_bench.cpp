#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "sc_models/cosim/spwmma_core_rtl.h"
#include "sc_models/cosim/spwmma_pins.h"
#include "testbenches/cosim/bench.h"
#include "testbenches/cosim/drain_stimulus.h"
#include "testbenches/cosim/operand_mix.h"
#include "testbenches/cosim/second_set.h"
#include "testbenches/cosim/spwmma_plan.h"
#include "testbenches/cosim/tile_stimulus.h"

namespace tessera {
namespace {

/// Preloads all words and reads them back; then the tiles of TileStimulus, one behind the other,
/// with preloads, drains, stretches in which the buffer's clock may stop, and resets. Ends with a
/// drain.
class SpwmmaCoreBench final : public CosimBench {
public:
    explicit SpwmmaCoreBench(const BenchOptions& options)
        : count_(options.count),
          directed_resets_(options.reset_every != 0),
          reset_every_(directed_resets_ ? options.reset_every : kResetEvery),
          random_(options.seed),
          fault_(options.fault),
          tags_(build_for<SpwmmaCoreRtl>(options).parameters.tags()),
          error_(options.stuck, options.wrong),
          plan_(build_for<SpwmmaCoreRtl>(options).parameters.tag_bits),
          rtl_(options.seed, build_for<SpwmmaCoreRtl>(options)),
          signals_(options.wave, {{"tile_ready_o", 1},
                                  {"summary_valid_o", 1},
                                  {"read_o", 1},
                                  {"ohmma_valid_o", 1},
                                  {"ohmma_ready_o", 1},
                                  {"front_idle_o", 1},
                                  {"preload_ready_o", 1},
                                  {"drain_ready_o", 1},
                                  {"row_valid_o", 1}}) {
        if (options.wave != nullptr) rtl_.trace(*options.wave, "rtl");
        start_from_reset();
    }

    bool cycle(Cycle step, Scoreboard& scoreboard) override {
        if (step % kPhaseCycles == 0) change_phase();
        if ((!tiles_.directed() || directed_resets_) && random_.below(reset_every_) == 0) reset();
        const bool finished = operations_ >= count_ && !tiles_.directed();
        choose_inputs(finished);

        const SpwmmaCorePins::Outputs expected = model_.step(in_);
        SpwmmaCorePins::Outputs& got = rtl_.step(error_.seen_by_rtl(in_, expected, plan_));
        scoreboard.begin_cycle(clock_cycles());
        fault_.apply(got, clock_cycles());
        compare_pins(expected, got, scoreboard);
        signals_.draw(clock_cycles(), expected.tile_ready, expected.summary_valid, expected.read,
                      expected.ohmma_valid, expected.ohmma_ready, expected.front_idle,
                      expected.preload_ready, expected.drain_ready, expected.row_valid);
        plan_.cycle(in_, expected);
        account(expected, scoreboard);
        count_cycle();
        return !finished || !drains_.drained_at_end();
    }

    [[nodiscard]] std::uint64_t operations() const override { return operations_; }

    [[nodiscard]] const CoveragePlan* coverage() const override { return &plan_; }

    [[nodiscard]] std::string describe_inputs() const override {
        return fmt::format(
            "tile_valid={} tag={} a={:08x} b={:08x} a_even={:04x} a_odd={:04x} b_even={:04x} "
            "b_odd={:04x} run={} preload_valid={} preload_word={} drain_valid={} drain_clear={} "
            "row_ready={}",
            in_.tile_valid, in_.tile_tag, fmt::join(in_.a_bitmap, ","),
            fmt::join(in_.b_bitmap, ","), fmt::join(in_.a_even, ","), fmt::join(in_.a_odd, ","),
            fmt::join(in_.b_even, ","), fmt::join(in_.b_odd, ","), in_.run, in_.preload_valid,
            in_.preload_word, in_.drain_valid, in_.drain_clear, in_.row_ready);
    }

    void summarise(std::vector<std::string>& lines) const override {
        lines.push_back(fmt::format("{} tiles, {} OHMMAs, {} refusals, {} cycles without a clock",
                                    accepted_, ohmmas_, refused_, stopped_));
        lines.push_back(fmt::format("{} preloads, {} drains, {} resets", drains_.preloads(),
                                    drains_.drains(), resets_));
    }

private:
    static constexpr Cycle kPhaseCycles = 256;
    static constexpr std::uint32_t kResetEvery = 4000;
    static constexpr std::uint32_t kMostTags = 1U << SpwmmaCorePins::kTagBits;
    static constexpr std::uint32_t kValues = kTileSize * kTileDepth;

    void change_phase() {
        const bool quiet = quiet_phase_.next([this](std::uint32_t n) { return random_.below(n); });
        tiles_.change(random_);
        sender_.change(random_, quiet);
        runner_.change(random_, quiet);
        row_taker_.change(random_, quiet);
        rare_ = 1U << (quiet ? 9 : random_.below(10));
        a_lines_ = choose_lines();
        b_lines_ = choose_lines();
        random_.change();
    }

    /// All lines of a tile, two of them, or every fourth one, whose sums share banks.
    std::uint32_t choose_lines() {
        switch (random_.below(8)) {
            case 0:
                return 1U << random_.below(kTileSize) | 1U << random_.below(kTileSize);
            case 1:
                return 0x11111111U << random_.below(4);
            default:
                return ~0U;
        }
    }

    void reset() {
        start_from_reset();
        plan_.reset();
        drains_.restart(in_);
        in_.tile_valid = 0;
        reads_back_ = false;
        ++resets_;
    }

    void start_from_reset() {
        const bool skips = (error_.is("reset with OHMMAs before the buffer") && !front_idle_) ||
                           (error_.is("reset in a drain") && plan_.draining());
        model_.reset();
        if (!skips) rtl_.reset();
        draw_reset(signals_, 1, 0, 0, 0, 0, 1, 0, 0, 0);
    }

    /// Chooses new inputs; one that was not accepted stays valid.
    void choose_inputs(bool finished) {
        const bool initialises = drains_.initialises();
        if (reads_back_) in_.drain_valid = 1;
        drains_.choose(random_, 16 * rare_, finished, in_.tile_valid == 0 && front_idle_, in_);
        if (in_.tile_valid == 0) in_.tile_tag = random_.below(tags_);  // means nothing
        if (in_.tile_valid == 0 && !initialises && !finished && sender_.there(random_)) offer();
        in_.run = static_cast<std::uint32_t>(finished || initialises || runner_.there(random_));
        in_.row_ready = static_cast<std::uint32_t>(finished || row_taker_.there(random_));
    }

    /// Offers a tile; the values of its tag are new.
    void offer() {
        in_.tile_valid = 1;
        in_.tile_tag = next_tag_;
        next_tag_ = (next_tag_ + 1) % tags_;
        const bool directed = tiles_.directed();
        tiles_.next(random_, in_.a_bitmap, in_.b_bitmap);
        if (!directed) narrow();
        for (HalfBits& value : values_a_[in_.tile_tag]) value = random_.half();
        for (HalfBits& value : values_b_[in_.tile_tag]) value = random_.half();
    }

    /// Leaves lines of few banks, or one k set.
    void narrow() {
        for (std::uint32_t& bitmap : in_.a_bitmap) bitmap &= a_lines_;
        for (std::uint32_t& bitmap : in_.b_bitmap) bitmap &= b_lines_;
        if (random_.below(8) != 0) return;
        const std::array<std::uint32_t, 3> sets = {0, kTileDepth - 1, random_.below(kTileDepth)};
        const std::uint32_t kept = sets[random_.below(sets.size())];
        for (std::uint32_t k = 0; k < kTileDepth; ++k) {
            if (k != kept) in_.a_bitmap[k] = 0;
        }
    }

    /// Follows the model's handshakes.
    void account(const SpwmmaCorePins::Outputs& out, Scoreboard& scoreboard) {
        front_idle_ = out.front_idle != 0;
        if (in_.tile_valid != 0 && out.tile_ready != 0) {
            in_.tile_valid = 0;
            front_idle_ = false;
            ++accepted_;
            scoreboard.note("tile {} accepted", in_.tile_tag);
        }
        give_values(out);
        follow_buffer(out, scoreboard);
    }

    /// Puts the words that were read on the pins; without a read they stay.
    void give_values(const SpwmmaCorePins::Outputs& out) {
        if (out.read == 0) return;
        const auto put = [](const std::array<HalfBits, kValues>& values, std::uint32_t word,
                            auto& pins) {
            std::copy_n(values.begin() + word * pins.size(), pins.size(), pins.begin());
        };
        put(values_a_[out.read_tag], 2 * out.a_even_word, in_.a_even);
        put(values_a_[out.read_tag], 2 * out.a_odd_word + 1, in_.a_odd);
        put(values_b_[out.read_tag], 2 * out.b_even_word, in_.b_even);
        put(values_b_[out.read_tag], 2 * out.b_odd_word + 1, in_.b_odd);
    }

    void follow_buffer(const SpwmmaCorePins::Outputs& out, Scoreboard& scoreboard) {
        stopped_ += out.ohmma_valid == 0 && in_.run == 0 ? 1 : 0;
        refused_ += out.ohmma_valid != 0 && out.ohmma_ready == 0 ? 1 : 0;
        if (out.ohmma_ready != 0) {
            ++ohmmas_;
            ++operations_;
            scoreboard.note("OHMMA of tile {}, k {}, rows {:02x}, columns {:04x}", out.ohmma_tag,
                            out.ohmma_k, out.ohmma_row_valid, out.ohmma_column_valid);
        }
        const bool initialises = drains_.initialises();
        drains_.follow(in_, out, scoreboard);
        reads_back_ = initialises && !drains_.initialises();
    }

    std::uint64_t count_;
    bool directed_resets_;
    std::uint32_t reset_every_;
    OperandMix random_;
    FaultInjector fault_;
    const std::uint32_t tags_;
    const SpwmmaError error_;  ///< of BenchOptions
    SpwmmaPlan plan_;
    SpwmmaCore model_;
    SpwmmaCoreRtl rtl_;
    ModelSignals signals_;

    TileStimulus tiles_;
    DrainStimulus drains_;
    QuietPhase quiet_phase_;
    RandomStalls sender_, runner_, row_taker_;
    std::uint32_t rare_ = 1;
    std::uint32_t a_lines_ = ~0U, b_lines_ = ~0U;  ///< that may have values
    SpwmmaCorePins::Inputs in_;
    std::array<std::array<HalfBits, kValues>, kMostTags> values_a_{}, values_b_{};  ///< by tag
    std::uint32_t next_tag_ = 0;
    bool front_idle_ = true;
    bool reads_back_ = false;  ///< all words were preloaded in the cycle before

    std::uint64_t operations_ = 0;
    std::uint64_t accepted_ = 0;
    std::uint64_t ohmmas_ = 0;
    std::uint64_t refused_ = 0;
    std::uint64_t stopped_ = 0;
    std::uint64_t resets_ = 0;
};

const RegisteredBench<SpwmmaCoreBench> kRegistered(
    "spwmma_core", "outer-product tensor cores with bitmap unit, operand fetch and buffer",
    "OHMMAs",
    "tile_ready summary_valid a_count:16 b_count:16 a_offset:16 b_offset:16 row_groups:16 "
    "column_groups:16 predicates:16 tile_done read read_tag a_even_word a_odd_word b_even_word "
    "b_odd_word ohmma_valid ohmma_ready ohmma_tag ohmma_k ohmma_row_valid ohmma_column_valid "
    "front_idle preload_ready drain_ready row_valid row_word row_data:128 idle");

}  // namespace
}  // namespace tessera
