// Coverage plan of the benches of arithmetic units with one enable per pipeline stage.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sc_models/cosim/fedp_rtl.h"
#include "sc_models/cosim/feop_rtl.h"
#include "testbenches/cosim/operand_mix.h"
#include "testbenches/cosim/word_pins.h"

namespace tessera {

/// Operands of the outer-product unit.
inline const WordPins<FeopOperands>& feop_pins() {
    static const WordPins<FeopOperands> pins = WordPins<FeopOperands>()
                                                   .add("a_i", 16, &FeopOperands::a)
                                                   .add("b_i", 16, &FeopOperands::b)
                                                   .add("c_i", 32, &FeopOperands::c);
    return pins;
}
/// Operands of the dot-product unit.
inline const WordPins<FedpOperands>& fedp_pins() {
    static const WordPins<FedpOperands> pins = WordPins<FedpOperands>()
                                                   .add("a_i", 16, &FedpOperands::a)
                                                   .add("b_i", 16, &FedpOperands::b)
                                                   .add("c_i", 32, &FedpOperands::c);
    return pins;
}

/// Situations and pins that the bench of an elastic pipeline of kStages must reach.
template <class Operands, std::uint32_t kStages>
class StagedPlan : public CoveragePlan {
public:
    static_assert(kStages == 3, "the situations are those of three stages");

    const Bin all_move = add("all stages move"), first_moves = add("the first stage alone moves"),
              two_move = add("all stages but the last move"), none_moves = add("no stage moves"),
              bubble = add("no operation is offered"),
              bubble_inside = add("no operation between two others"),
              streak = add("results in eight cycles running"),
              from_subnormal = add("subnormal half"), from_infinity = add("infinite half"),
              from_nan = add("half that is not a number"),
              gives_nan = add("result is not a number"), gives_infinity = add("result is infinite"),
              gives_zero = add("result is zero"), gives_subnormal = add("result is subnormal"),
              reset_first = add("reset with an operation in the first stage alone"),
              reset_last = add("reset with a result that waits");

    explicit StagedPlan(const WordPins<Operands>& pins) : pins_(pins) {}

    /// Notes a clock cycle. `enable`: stages that move; `valid`: stages that hold an operation;
    /// `taken`: the result is.
    void cycle(std::uint32_t enable, std::uint32_t valid, bool offered, bool taken) {
        constexpr std::uint32_t kAll = (1U << kStages) - 1, kLast = 1U << (kStages - 1);
        hit_if(all_move, enable == kAll && valid == kAll);
        hit_if(first_moves, enable == 1);
        hit_if(two_move, enable == kAll - kLast);
        hit_if(none_moves, enable == 0);
        hit_if(bubble, (enable & 1U) != 0 && !offered);
        hit_if(bubble_inside, valid == (1U | kLast));
        streak_ = taken ? streak_ + 1 : 0;
        hit_if(streak, streak_ == kStreak);
        valid_ = valid;
        waits_ = (valid & kLast) != 0 && !taken;
    }
    /// Notes an operation that was taken.
    void operation(const Operands& in) { pins_.sample(*this, first_, in); }
    void half(HalfBits bits) {
        const bool largest = (bits & 0x7c00U) == 0x7c00U, fraction = (bits & 0x03ffU) != 0;
        hit_if(from_nan, largest && fraction);
        hit_if(from_infinity, largest && !fraction);
        hit_if(from_subnormal, (bits & 0x7c00U) == 0 && fraction);
    }
    void result(std::uint32_t bits) {
        const std::uint32_t exponent = bits >> 23U & 0xffU;
        const bool fraction = (bits & 0x007fffffU) != 0;
        hit_if(gives_nan, exponent == 0xff && fraction);
        hit_if(gives_infinity, exponent == 0xff && !fraction);
        hit_if(gives_zero, exponent == 0 && !fraction);
        hit_if(gives_subnormal, exponent == 0 && fraction);
    }
    /// Notes a reset behind the cycle that was noted last.
    void reset() {
        hit_if(reset_first, valid_ == 1);
        hit_if(reset_last, waits_);
        forget_transactions();
        valid_ = 0;
        waits_ = false;
        streak_ = 0;
    }
    [[nodiscard]] bool holds_result() const { return waits_; }

private:
    static constexpr std::uint32_t kStreak = 8;

    const WordPins<Operands>& pins_;
    const Pin first_ = pins_.plan_in(*this);
    std::uint32_t valid_ = 0;
    bool waits_ = false;
    std::uint32_t streak_ = 0;
};

}  // namespace tessera
