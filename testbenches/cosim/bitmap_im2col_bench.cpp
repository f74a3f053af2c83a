// Bench of the RTL bitmap im2col against its model.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "sc_models/cosim/bitmap_im2col_rtl.h"
#include "testbenches/cosim/bench.h"
#include "testbenches/cosim/im2col_plan.h"
#include "testbenches/cosim/operand_mix.h"
#include "testbenches/cosim/second_set.h"

namespace tessera {
namespace {

/// Rows of feature maps, directed ones first: each filter over a row of 64 elements, and rows of
/// each length under filters of one column and of their own width.
class RowStimulus {
public:
    using Row = BitmapIm2col::Row;

    explicit RowStimulus(const BitmapIm2col::Parameters& parameters) : parameters_(parameters) {}

    /// Draws density, sizes and addresses of what comes next.
    void change(OperandMix& random) {
        static constexpr std::array<std::uint32_t, 9> kDensities = {64, 63, 48, 32, 16,
                                                                    8,  4,  1,  0};  // of 64
        density_ = kDensities[random.below(kDensities.size())];
        lengths_ = static_cast<Lengths>(random.below(3));
        small_filter_ = random.below(4) != 0;
        near_wrap_ = random.below(4) == 0;
        refuse_ = random.below(4) == 0 ? 2 : 24;
    }
    [[nodiscard]] Row next(OperandMix& random) {
        Row row;
        row.bitmap = draw_bitmap(random);
        row.base = static_cast<std::uint32_t>(random.bits()) & addresses_;
        if (directed()) return directed_row(row);
        if (near_wrap_) row.base |= addresses_ & ~(row_bits_ - 1);
        row.stride2 = random.below(2);
        if (random.below(refuse_) == 0) return refused(row, random);
        row.length = draw_length(random);
        const std::uint32_t most = small_filter_ ? std::min(row.length, 7U) : row.length;
        row.filter_width = 1 + random.below(most);
        if (random.below(16) == 0) row.filter_width = row.length;
        return row;
    }
    /// Pins of a row that is not offered.
    [[nodiscard]] Row noise(std::mt19937_64& random) const {
        const std::uint64_t bits = random();
        return {random() & all_, static_cast<std::uint32_t>(bits & most_length_),
                static_cast<std::uint32_t>(bits >> 7U & most_length_),
                static_cast<std::uint32_t>(bits >> 14U & 1U),
                static_cast<std::uint32_t>(bits >> 32U) & addresses_};
    }
    [[nodiscard]] bool directed() const { return next_ < directed_; }

private:
    enum class Lengths : std::uint8_t { kAny, kLayers, kLongest };
    static constexpr std::uint32_t kDensityOf = 64;

    Row directed_row(Row row) {
        const std::uint32_t n = next_++;
        const std::uint32_t size = 1 + n / 2 % row_bits_;
        row.stride2 = n % 2;
        row.length = n < 2 * row_bits_ ? row_bits_ : size;
        row.filter_width = n < 4 * row_bits_ && n >= 2 * row_bits_ ? 1 : size;
        return row;
    }
    /// Returns a row that does not fit.
    Row refused(Row row, OperandMix& random) const {
        switch (random.below(3)) {
            case 0:
                row.length = random.below(row_bits_ + 1);
                row.filter_width = 0;
                break;
            case 1:
                row.length = random.below(row_bits_);
                row.filter_width = row.length + 1 + random.below(most_length_ - row.length);
                break;
            default:
                row.length = row_bits_ + 1 + random.below(most_length_ - row_bits_);
                row.filter_width = random.below(most_length_ + 1);
        }
        return row;
    }
    [[nodiscard]] std::uint32_t draw_length(OperandMix& random) const {
        // Rows of ResNet's layers with their padding.
        static constexpr std::array<std::uint32_t, 5> kLayers = {58, 56, 30, 16, 9};
        switch (lengths_) {
            case Lengths::kLayers:
                return std::min(kLayers[random.below(kLayers.size())], row_bits_);
            case Lengths::kLongest:
                return row_bits_;
            default:
                return 1 + random.below(row_bits_);
        }
    }
    [[nodiscard]] std::uint64_t draw_bitmap(OperandMix& random) const {
        if (density_ == 0 || random.below(32) == 0) return 0;
        if (density_ == kDensityOf || random.below(32) == 0) return all_;
        std::uint64_t bitmap = 0;
        for (std::uint32_t n = 0; n < row_bits_; ++n) {
            if (random.below(kDensityOf) < density_) bitmap |= std::uint64_t{1} << n;
        }
        if (random.below(16) == 0) bitmap &= 0xaaaaaaaaaaaaaaaaU;  // values between the outputs
        return bitmap;
    }

    const BitmapIm2col::Parameters parameters_;
    const std::uint32_t row_bits_ = parameters_.row_bits;
    const std::uint64_t all_ = ~std::uint64_t{0} >> (kMapRowBits - row_bits_);
    const std::uint32_t addresses_ = ~0U >> (32 - parameters_.address_bits);
    const std::uint32_t most_length_ = (1U << im2col_pins::length_bits(parameters_)) - 1;
    const std::uint32_t directed_ = 6 * row_bits_;  ///< directed rows
    std::uint32_t next_ = 0;                        ///< directed row
    std::uint32_t density_ = 32;                    ///< of 64
    std::uint32_t refuse_ = 24;                     ///< one row of so many does not fit
    Lengths lengths_ = Lengths::kAny;
    bool small_filter_ = false, near_wrap_ = false;
};

/// The rows of RowStimulus, with random stalls on both sides and resets.
class BitmapIm2colBench final : public CosimBench {
public:
    explicit BitmapIm2colBench(const BenchOptions& options)
        : count_(options.count),
          directed_resets_(options.reset_every != 0),
          reset_every_(directed_resets_ ? options.reset_every : kResetEvery),
          random_(options.seed),
          noise_(options.seed),
          fault_(options.fault),
          parameters_(build_for<BitmapIm2colRtl>(options).parameters),
          error_{options.stuck, options.wrong, parameters_},
          plan_(parameters_),
          model_(parameters_),
          rtl_(options.seed, build_for<BitmapIm2colRtl>(options)),
          signals_(options.wave, {{"row_ready_o", 1}, {"column_valid_o", 1}}),
          rows_(parameters_) {
        if (options.wave != nullptr) rtl_.trace(*options.wave, "rtl");
        rtl_.reset();
        draw_reset(signals_, 1, 0);
    }

    bool cycle(Cycle step, Scoreboard& scoreboard) override {
        if (step % kPhaseCycles == 0) change_phase();
        if ((!rows_.directed() || directed_resets_) && random_.below(reset_every_) == 0) reset();
        const bool finished = operations_ >= count_ && !rows_.directed();
        choose_inputs(finished);

        const BitmapIm2col before = model_;
        const BitmapIm2col::Outputs expected = model_.step(in_);
        BitmapIm2col::Outputs got = rtl_.step(error_.seen_by_rtl(in_, before));
        scoreboard.begin_cycle(clock_cycles());
        fault_.apply(got, clock_cycles());
        compare(expected, got, scoreboard);
        signals_.draw(clock_cycles(), expected.row_ready, expected.column_valid);
        account(expected, before, scoreboard);
        count_cycle();
        return !finished || !model_.idle() || in_.row_valid != 0;
    }

    [[nodiscard]] std::uint64_t operations() const override { return operations_; }
    [[nodiscard]] const CoveragePlan* coverage() const override { return &plan_; }

    [[nodiscard]] std::string describe_inputs() const override {
        return fmt::format(
            "row_valid {} bitmap {:#018x} length {} filter {} stride {} base {:#x}; column_ready "
            "{}",
            in_.row_valid, in_.row.bitmap, in_.row.length, in_.row.filter_width,
            in_.row.stride2 + 1, in_.row.base, in_.column_ready);
    }

    void summarise(std::vector<std::string>& lines) const override {
        lines.push_back(
            fmt::format("{} rows ({} refused), {} columns, {} resets, {} cycles with "
                        "a column that waits",
                        accepted_, refused_, operations_, resets_, stalled_));
    }

private:
    static constexpr Cycle kPhaseCycles = 256;
    static constexpr std::uint32_t kResetEvery = 5000;

    void change_phase() {
        const bool quiet = quiet_phase_.next([this](std::uint32_t n) { return random_.below(n); });
        sender_.change(random_, quiet);
        receiver_.change(random_, quiet);
        rows_.change(random_);
    }

    void reset() {
        const bool waits = column_waits_;
        plan_.note_reset(model_, waits);
        if (!error_.misses_reset(model_, waits)) rtl_.reset();
        model_.reset();
        draw_reset(signals_, 1, 0);
        in_.row_valid = 0;
        column_waits_ = false;
        ++resets_;
    }

    /// An offered row stays until it is taken. Pins that mean nothing have any value.
    void choose_inputs(bool finished) {
        if (in_.row_valid == 0 && !finished && sender_.there(random_)) {
            in_.row_valid = 1;
            in_.row = rows_.next(random_);
        } else if (in_.row_valid == 0) {
            in_.row = rows_.noise(noise_);
        }
        in_.column_ready = static_cast<std::uint32_t>(finished || receiver_.there(random_));
    }

    static void compare(const BitmapIm2col::Outputs& expected, const BitmapIm2col::Outputs& got,
                        Scoreboard& scoreboard) {
        scoreboard.expect("row_ready_o", expected.row_ready, got.row_ready);
        scoreboard.expect("column_valid_o", expected.column_valid, got.column_valid);
        if (expected.column_valid == 0 || got.column_valid == 0) return;
        const BitmapIm2col::Column& a = expected.column;
        const BitmapIm2col::Column& b = got.column;
        scoreboard.expect("column_bitmap_o", a.bitmap, b.bitmap);
        scoreboard.expect("column_window_o", a.window, b.window);
        scoreboard.expect("column_address_o", a.address, b.address);
        scoreboard.expect("column_length_o", a.length, b.length);
        scoreboard.expect("column_count_o", a.count, b.count);
        scoreboard.expect("column_first_o", a.first, b.first);
        scoreboard.expect("column_last_o", a.last, b.last);
        scoreboard.expect("column_error_o", a.error, b.error);
    }

    /// Follows the model's handshakes.
    void account(const BitmapIm2col::Outputs& out, const BitmapIm2col& before,
                 Scoreboard& scoreboard) {
        column_waits_ = out.column_valid != 0 && in_.column_ready == 0;
        plan_.hit_if(plan_.row_waits, in_.row_valid != 0 && out.row_ready == 0);
        plan_.hit_if(plan_.column_waits, column_waits_);
        if (column_waits_) ++stalled_;
        if (in_.row_valid != 0 && out.row_ready != 0) take_row(before, scoreboard);
        if (out.column_valid == 0 || column_waits_) return;
        ++operations_;
        plan_.take_column(out.column);
        scoreboard.note("column: bitmap {:#x}, address {:#x}, {} values, last {}",
                        out.column.bitmap, out.column.address, out.column.count, out.column.last);
    }

    void take_row(const BitmapIm2col& before, Scoreboard& scoreboard) {
        plan_.take_row(in_.row, before, column_waits_);
        in_.row_valid = 0;
        ++accepted_;
        if (!BitmapIm2col::fits(in_.row, parameters_.row_bits)) ++refused_;
        scoreboard.note("row: bitmap {:#x}, {} elements, filter of {}, stride {}", in_.row.bitmap,
                        in_.row.length, in_.row.filter_width, in_.row.stride2 + 1);
    }

    const std::uint64_t count_;
    const bool directed_resets_;
    const std::uint32_t reset_every_;
    OperandMix random_;
    std::mt19937_64 noise_;  ///< for pins that mean nothing
    FaultInjector fault_;
    const BitmapIm2col::Parameters parameters_;
    const Im2colError error_;  ///< of BenchOptions
    Im2colPlan plan_;
    BitmapIm2col model_;
    BitmapIm2colRtl rtl_;
    ModelSignals signals_;

    QuietPhase quiet_phase_;
    RandomStalls sender_, receiver_;
    RowStimulus rows_;
    BitmapIm2col::Inputs in_;
    bool column_waits_ = false;
    std::uint64_t operations_ = 0, accepted_ = 0, refused_ = 0, resets_ = 0, stalled_ = 0;
};

const RegisteredBench<BitmapIm2colBench> kRegistered(
    "bitmap_im2col", "lowers rows of a sparse feature map, by shift, mask and population counts",
    "columns",
    "row_ready column_valid column_bitmap:2 column_window:2 column_address column_length "
    "column_count column_first column_last column_error");

}  // namespace
}  // namespace tessera
