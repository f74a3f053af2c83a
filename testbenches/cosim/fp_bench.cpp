#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "sc_models/cosim/fp_rtl.h"
#include "testbenches/cosim/bench.h"
#include "testbenches/cosim/fp_plan.h"
#include "testbenches/cosim/operand_mix.h"

namespace tessera {
namespace {

constexpr std::uint64_t kAllPairs = std::uint64_t{1} << 32U;
constexpr std::uint32_t kCanonicalNan = 0x7fffffffU;

std::uint32_t canonical_bits(float value) {
    return std::isnan(value) ? kCanonicalNan : float_bits(value);
}

/// Converts with the compiler's half type if it has one: independent of the model.
float reference_float(HalfBits bits) {
#ifdef __FLT16_MAX__
    __extension__ _Float16 half = 0;
    std::memcpy(&half, &bits, sizeof half);
    return static_cast<float>(half);
#else
    return half_to_float(bits);
#endif
}

std::vector<float> all_halves() {
    std::vector<float> table(0x10000);
    for (std::uint32_t h = 0; h < table.size(); ++h) {
        table[h] = reference_float(static_cast<HalfBits>(h));
    }
    return table;
}

/// Products and sums against the processor's own arithmetic. Special operands in all pairs come
/// first, then random ones; 2^32 products or more: every pair of halves instead.
class FpBench final : public CosimBench {
public:
    explicit FpBench(const BenchOptions& options)
        : count_(options.count),
          exhaustive_(options.count >= kAllPairs),
          random_(options.seed),
          fault_(options.fault),
          stuck_(options.stuck),
          rtl_(options.seed),
          signals_(options.wave, {{"product_o_0", 32}, {"sum_o_0", 32}, {"staged_o_0", 32}}),
          floats_(all_halves()) {
        if (options.wave != nullptr) rtl_.trace(*options.wave, "rtl");
        rtl_.reset();
        draw_reset(signals_, 0, 0, 0);
    }

    bool cycle(Cycle step, Scoreboard& scoreboard) override {
        choose_operands();
        FpInputs seen = in_;
        fp_pins().stick(seen, stuck_);
        FpOutputs got = rtl_.step(seen);
        scoreboard.begin_cycle(clock_cycles());
        fault_.apply(got, clock_cycles());
        if (step >= 1) {
            compare("product_o", expected_.product, got.product, scoreboard);
            compare("sum_o", expected_.sum, got.sum, scoreboard);
            products_ += kFpMulLanes;
        }
        if (step >= 2) compare("staged_o", staged_, got.staged, scoreboard);
        sums_ += step >= 1 ? kFpAddLanes : 0;
        signals_.draw(clock_cycles(), expected_.product[0], expected_.sum[0], staged_[0]);
        std::copy_n(expected_.sum.begin(), kFpStagedLanes, staged_.begin());
        evaluate();
        if (step < kPlannedCycles) plan_.cycle(in_, expected_.sum);
        checked_ = in_;
        count_cycle();
        return products_ < count_ || step < 2;
    }

    [[nodiscard]] std::uint64_t operations() const override { return products_; }
    [[nodiscard]] const CoveragePlan* coverage() const override { return &plan_; }

    [[nodiscard]] std::string describe_inputs() const override {
        if (failing_signal_ == "product_o") {
            return fmt::format("a={:04x} b={:04x}", checked_.a[failing_lane_],
                               checked_.b[failing_lane_]);
        }
        if (failing_signal_ == "sum_o") {
            return fmt::format("x={:08x} y={:08x}", checked_.x[failing_lane_],
                               checked_.y[failing_lane_]);
        }
        return fmt::format("x, y of two cycles before, lane {}", failing_lane_);
    }

    void summarise(std::vector<std::string>& lines) const override {
        lines.push_back(
            fmt::format("{} sums, {}", sums_,
                        exhaustive_ ? "every pair of halves multiplied" : "random products"));
    }

private:
    /// The plan follows so many cycles: it closes in some of them, and takes as long as the RTL.
    static constexpr Cycle kPlannedCycles = 4096;

    struct Expected {
        std::array<std::uint32_t, kFpMulLanes> product{};
        std::array<std::uint32_t, kFpAddLanes> sum{};
    };

    void choose_operands() {
        if (drawn_ % (std::uint64_t{kFpMulLanes} * 64) == 0) random_.change();
        for (std::uint32_t lane = 0; lane < kFpMulLanes; ++lane, ++drawn_) {
            if (exhaustive_) {
                in_.a[lane] = static_cast<HalfBits>(drawn_ >> 16U);
                in_.b[lane] = static_cast<HalfBits>(drawn_);
            } else if (drawn_ < kSpecialHalves.size() * kSpecialHalves.size()) {
                in_.a[lane] = kSpecialHalves[drawn_ / kSpecialHalves.size()];
                in_.b[lane] = kSpecialHalves[drawn_ % kSpecialHalves.size()];
            } else {
                in_.a[lane] = random_.half();
                in_.b[lane] = random_.half();
            }
        }
        for (std::uint32_t lane = 0; lane < kFpAddLanes; ++lane, ++drawn_sums_) {
            if (drawn_sums_ < kSpecialFloats.size() * kSpecialFloats.size()) {
                in_.x[lane] = kSpecialFloats[drawn_sums_ / kSpecialFloats.size()];
                in_.y[lane] = kSpecialFloats[drawn_sums_ % kSpecialFloats.size()];
            } else {
                const auto [x, y] = random_.summands();
                in_.x[lane] = x;
                in_.y[lane] = y;
            }
        }
    }

    void evaluate() {
        for (std::uint32_t lane = 0; lane < kFpMulLanes; ++lane) {
            expected_.product[lane] = canonical_bits(floats_[in_.a[lane]] * floats_[in_.b[lane]]);
        }
        for (std::uint32_t lane = 0; lane < kFpAddLanes; ++lane) {
            expected_.sum[lane] =
                canonical_bits(float_from_bits(in_.x[lane]) + float_from_bits(in_.y[lane]));
        }
    }

    template <std::size_t kCount>
    void compare(std::string_view signal, const std::array<std::uint32_t, kCount>& expected,
                 const std::array<std::uint32_t, kCount>& got, Scoreboard& scoreboard) {
        if (expected == got) {
            scoreboard.passed(kCount);
            return;
        }
        failing_signal_ = signal;
        for (std::uint32_t lane = 0; lane < kCount; ++lane) {
            failing_lane_ = lane;
            scoreboard.expect(signal, lane, expected[lane], got[lane]);
        }
    }

    std::uint64_t count_;
    bool exhaustive_;
    OperandMix random_;
    FaultInjector fault_;
    const StuckPin stuck_;  ///< of BenchOptions
    FpPlan plan_;
    FpRtl rtl_;
    ModelSignals signals_;  ///< lane 0 of each output, undefined in the first cycles
    std::vector<float> floats_;

    FpInputs in_;
    FpInputs checked_;  ///< operands of the results that are compared
    Expected expected_;
    std::array<std::uint32_t, kFpStagedLanes> staged_{};
    std::uint64_t drawn_ = 0;
    std::uint64_t drawn_sums_ = 0;
    std::uint64_t products_ = 0;
    std::uint64_t sums_ = 0;
    std::string_view failing_signal_;
    std::uint32_t failing_lane_ = 0;
};

const RegisteredBench<FpBench> kRegistered(
    "fp", "FP16 multiplier and FP32 adder, 4294967296 for every product", "products",
    "product:64 sum:16 staged:4");

}  // namespace
}  // namespace tessera
