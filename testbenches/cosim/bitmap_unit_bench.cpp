#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sc_models/cosim/bitmap_unit_rtl.h"
#include "testbenches/cosim/bench.h"
#include "testbenches/cosim/bitmap_plan.h"
#include "testbenches/cosim/operand_mix.h"
#include "testbenches/cosim/second_set.h"
#include "testbenches/cosim/tile_stimulus.h"

namespace tessera {
namespace {

constexpr std::uint32_t kVectorsOfTile = 2 * kTileDepth;

/// The tiles of TileStimulus, with random stalls on both sides and resets.
class BitmapUnitBench final : public CosimBench {
public:
    explicit BitmapUnitBench(const BenchOptions& options)
        : count_(options.count),
          directed_resets_(options.reset_every != 0),
          reset_every_(directed_resets_ ? options.reset_every : kResetEvery),
          random_(options.seed),
          fault_(options.fault),
          depth_(build_for<BitmapUnitRtl>(options).parameters.depth),
          error_{options.stuck, options.wrong, depth_},
          plan_(depth_),
          rtl_(options.seed, build_for<BitmapUnitRtl>(options)),
          signals_(options.wave, {{"tile_ready_o", 1},
                                  {"ohmma_valid_o", 1},
                                  {"summary_valid_o", 1},
                                  {"tile_done_o", 1},
                                  {"idle_o", 1}}) {
        if (options.wave != nullptr) rtl_.trace(*options.wave, "rtl");
        start_from_reset();
    }

    bool cycle(Cycle step, Scoreboard& scoreboard) override {
        if (step % kPhaseCycles == 0) change_phase();
        if ((!tiles_.directed() || directed_resets_) && random_.below(reset_every_) == 0) reset();
        const bool finished = operations_ >= count_ && !tiles_.directed();
        if (in_.tile_valid == 0 && !finished && sender_.there(random_)) offer();
        in_.ohmma_ready = static_cast<std::uint32_t>(finished || receiver_.there(random_));

        const BitmapUnit::Outputs& expected = model_.step(in_);
        BitmapUnit::Outputs& got = rtl_.step(error_.seen_by_rtl(in_, expected));
        plan_.cycle(in_, expected);
        scoreboard.begin_cycle(clock_cycles());
        fault_.apply(got, clock_cycles());
        compare(expected, got, scoreboard);
        signals_.draw(clock_cycles(), expected.tile_ready, expected.ohmma_valid,
                      expected.summary_valid, expected.tile_done, expected.idle);
        account(expected, scoreboard);
        count_cycle();
        return !finished || expected.idle == 0 || in_.tile_valid != 0;
    }

    [[nodiscard]] std::uint64_t operations() const override { return operations_; }
    [[nodiscard]] const CoveragePlan* coverage() const override { return &plan_; }

    [[nodiscard]] std::string describe_inputs() const override {
        return fmt::format("tile_valid={} a={:08x} b={:08x} ohmma_ready={}", in_.tile_valid,
                           fmt::join(in_.a_bitmap, ","), fmt::join(in_.b_bitmap, ","),
                           in_.ohmma_ready);
    }

    void summarise(std::vector<std::string>& lines) const override {
        lines.push_back(fmt::format("{} tiles, {} OHMMAs, {} cycles with one not taken, {} resets",
                                    accepted_, ohmmas_, stalled_, resets_));
    }

private:
    static constexpr Cycle kPhaseCycles = 256;
    static constexpr std::uint32_t kResetEvery = 1000;

    void change_phase() {
        const bool quiet = quiet_phase_.next([this](std::uint32_t n) { return random_.below(n); });
        sender_.change(random_, quiet);
        receiver_.change(random_, quiet);
        tiles_.change(random_);
    }

    void reset() {
        start_from_reset();
        in_.tile_valid = 0;
        ++resets_;
    }

    void start_from_reset() {
        const bool skips = (error_.is("reset with a tile that was taken") && plan_.holds_tile()) ||
                           (error_.is("reset with an OHMMA that waits") && plan_.holds_ohmma());
        model_.reset();
        if (!skips) rtl_.reset();
        plan_.reset();
        draw_reset(signals_, 1, 0, 0, 0, 1);
    }

    void offer() {
        in_.tile_valid = 1;
        const bool directed = tiles_.directed();
        tiles_.next(random_, in_.a_bitmap, in_.b_bitmap, depth_);
        if (!directed && random_.below(8) == 0) leave_one_k_set();
    }

    /// Leaves one k set, sometimes a single value of it on each side.
    void leave_one_k_set() {
        const std::array<std::uint32_t, 3> sets = {0, depth_ - 1, random_.below(depth_)};
        const std::uint32_t kept = sets[random_.below(sets.size())];
        for (std::uint32_t k = 0; k < depth_; ++k) {
            if (k != kept) in_.a_bitmap[k] = 0;
        }
        if (random_.below(2) == 0) return;
        in_.a_bitmap[kept] = 1U << random_.below(kTileSize);
        in_.b_bitmap[kept] = 1U << random_.below(kTileSize);
    }

    void compare(const BitmapUnit::Outputs& expected, const BitmapUnit::Outputs& got,
                 Scoreboard& scoreboard) const {
        scoreboard.expect("tile_ready_o", expected.tile_ready, got.tile_ready);
        scoreboard.expect("summary_valid_o", expected.summary_valid, got.summary_valid);
        scoreboard.expect("tile_done_o", expected.tile_done, got.tile_done);
        scoreboard.expect("ohmma_valid_o", expected.ohmma_valid, got.ohmma_valid);
        scoreboard.expect("idle_o", expected.idle, got.idle);
        if (expected.summary_valid != 0 && got.summary_valid != 0) {
            compare_summary(expected.summary, got.summary, scoreboard);
        }
        if (expected.ohmma_valid != 0 && got.ohmma_valid != 0) {
            compare_ohmma(expected.ohmma, got.ohmma, scoreboard);
        }
    }

    void compare_summary(const BitmapUnit::Summary& expected, const BitmapUnit::Summary& got,
                         Scoreboard& scoreboard) const {
        compare_words("a_count_o", expected.a_count, got.a_count, scoreboard, depth_);
        compare_words("b_count_o", expected.b_count, got.b_count, scoreboard, depth_);
        compare_words("a_offset_o", expected.a_offset, got.a_offset, scoreboard, depth_);
        compare_words("b_offset_o", expected.b_offset, got.b_offset, scoreboard, depth_);
        compare_words("row_groups_o", expected.row_groups, got.row_groups, scoreboard, depth_);
        compare_words("column_groups_o", expected.column_groups, got.column_groups, scoreboard,
                      depth_);
        compare_words("predicates_o", expected.predicates, got.predicates, scoreboard, depth_);
    }

    static void compare_ohmma(const BitmapUnit::Ohmma& expected, const BitmapUnit::Ohmma& got,
                              Scoreboard& scoreboard) {
        scoreboard.expect("ohmma_k_o", expected.k, got.k);
        scoreboard.expect("ohmma_i_o", expected.i, got.i);
        scoreboard.expect("ohmma_j_o", expected.j, got.j);
        compare_words("ohmma_row_o", expected.row, got.row, scoreboard);
        scoreboard.expect("ohmma_row_valid_o", expected.row_valid, got.row_valid);
        compare_words("ohmma_column_o", expected.column, got.column, scoreboard);
        scoreboard.expect("ohmma_column_valid_o", expected.column_valid, got.column_valid);
        scoreboard.expect("ohmma_a_offset_o", expected.a_offset, got.a_offset);
        scoreboard.expect("ohmma_b_offset_o", expected.b_offset, got.b_offset);
        scoreboard.expect("ohmma_first_o", expected.first, got.first);
        scoreboard.expect("ohmma_last_o", expected.last, got.last);
    }

    template <std::size_t kCount>
    static void compare_words(std::string_view signal,
                              const std::array<std::uint32_t, kCount>& expected,
                              const std::array<std::uint32_t, kCount>& got, Scoreboard& scoreboard,
                              std::size_t count = kCount) {
        if (expected == got) {
            scoreboard.passed(count);
            return;
        }
        for (std::size_t i = 0; i < count; ++i) scoreboard.expect(signal, i, expected[i], got[i]);
    }

    /// Follows the model's handshakes.
    void account(const BitmapUnit::Outputs& out, Scoreboard& scoreboard) {
        if (in_.tile_valid != 0 && out.tile_ready != 0) {
            in_.tile_valid = 0;
            ++accepted_;
            scoreboard.note("tile accepted");
        }
        if (out.tile_done != 0) operations_ += kVectorsOfTile;
        if (out.ohmma_valid == 0) return;
        if (in_.ohmma_ready == 0) {
            ++stalled_;
            return;
        }
        ++ohmmas_;
        ++operations_;
        scoreboard.note("OHMMA k {} i {} j {}", out.ohmma.k, out.ohmma.i, out.ohmma.j);
    }

    std::uint64_t count_;
    bool directed_resets_;
    std::uint32_t reset_every_;
    OperandMix random_;
    FaultInjector fault_;
    const std::uint32_t depth_;  ///< k sets of a tile
    const BitmapError error_;    ///< of BenchOptions
    BitmapPlan plan_;
    BitmapUnit model_;
    BitmapUnitRtl rtl_;
    ModelSignals signals_;

    QuietPhase quiet_phase_;
    RandomStalls sender_, receiver_;
    TileStimulus tiles_;
    BitmapUnit::Inputs in_;
    std::uint64_t operations_ = 0;
    std::uint64_t accepted_ = 0;
    std::uint64_t ohmmas_ = 0;
    std::uint64_t stalled_ = 0;
    std::uint64_t resets_ = 0;
};

const RegisteredBench<BitmapUnitBench> kRegistered(
    "bitmap_unit", "popcounts, value offsets and OHMMA sequencer of a SpWMMA tile",
    "popcounts and OHMMAs",
    "tile_ready summary_valid a_count:16 b_count:16 a_offset:16 b_offset:16 "
    "row_groups:16 column_groups:16 predicates:16 tile_done ohmma_valid ohmma_k "
    "ohmma_i ohmma_j ohmma_row:8 ohmma_row_valid ohmma_column:16 ohmma_column_valid "
    "ohmma_a_offset ohmma_b_offset ohmma_first ohmma_last idle");

}  // namespace
}  // namespace tessera
