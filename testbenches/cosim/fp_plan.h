// Coverage plan of the bench of the floating-point units.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "sc_models/cosim/fp_rtl.h"
#include "testbenches/cosim/word_pins.h"

namespace tessera {

/// Operands of all lanes.
inline const WordPins<FpInputs>& fp_pins() {
    static const WordPins<FpInputs> pins = WordPins<FpInputs>()
                                               .add("a_i", 16, &FpInputs::a)
                                               .add("b_i", 16, &FpInputs::b)
                                               .add("x_i", 32, &FpInputs::x)
                                               .add("y_i", 32, &FpInputs::y);
    return pins;
}

/// Situations and pins that the bench must reach.
class FpPlan : public CoveragePlan {
public:
    const Bin two_subnormals = add("product of two subnormal halves"),
              one_subnormal = add("product of a subnormal half and a normal one"),
              largest_product = add("product of the two largest halves"),
              infinity_by_zero = add("product of infinity and zero"),
              infinite_product = add("product of infinity and a number"),
              nan_half = add("product of a half that is not a number"),
              negative_zero = add("product is -0");
    const Bin exact = add("sum of numbers of one exponent"),
              cancels = add("sum of opposite numbers"),
              cancels_mostly = add("difference of neighbours"),
              one_apart = add("sum of numbers whose exponents differ by 1"),
              far = add("sum of numbers whose exponents differ by 25 or more"),
              tie = add("sum is half-way between two numbers"),
              carries = add("sum has a larger exponent than both numbers"),
              overflows = add("sum of finite numbers is infinite"),
              sum_subnormal = add("sum is subnormal"),
              becomes_normal = add("sum of subnormal numbers is normal"),
              opposite_infinities = add("sum of opposite infinities"),
              same_infinities = add("sum of equal infinities"),
              infinity_and_number = add("sum of infinity and a number"),
              nan_operand = add("sum of what is not a number"),
              negative_zeros = add("sum of -0 and -0"), opposite_zeros = add("sum of -0 and +0");

    /// Notes the operands of a clock cycle and their sums.
    void cycle(const FpInputs& in, const std::array<std::uint32_t, kFpAddLanes>& sums) {
        fp_pins().sample(*this, first_, in);
        for (std::size_t lane = 0; lane < in.a.size(); ++lane) product(in.a[lane], in.b[lane]);
        for (std::size_t lane = 0; lane < in.x.size(); ++lane) {
            sum(in.x[lane], in.y[lane], sums[lane]);
        }
    }

private:
    void product(std::uint32_t a, std::uint32_t b) {
        const auto exponent = [](std::uint32_t half) { return half >> 10U & 31U; };
        const auto fraction = [](std::uint32_t half) { return half & 0x3ffU; };
        const auto is_zero = [](std::uint32_t half) { return (half & 0x7fffU) == 0; };
        const auto is_infinite = [](std::uint32_t half) { return (half & 0x7fffU) == 0x7c00U; };
        const auto is_nan = [](std::uint32_t half) { return (half & 0x7fffU) > 0x7c00U; };
        const auto is_subnormal = [&](std::uint32_t half) {
            return exponent(half) == 0 && fraction(half) != 0;
        };
        const auto is_normal = [&](std::uint32_t half) {
            return exponent(half) != 0 && exponent(half) != 31;
        };
        hit_if(two_subnormals, is_subnormal(a) && is_subnormal(b));
        hit_if(one_subnormal,
               (is_subnormal(a) && is_normal(b)) || (is_normal(a) && is_subnormal(b)));
        hit_if(largest_product, (a & 0x7fffU) == 0x7bffU && (b & 0x7fffU) == 0x7bffU);
        hit_if(infinity_by_zero, (is_infinite(a) && is_zero(b)) || (is_zero(a) && is_infinite(b)));
        hit_if(infinite_product,
               (is_infinite(a) && is_normal(b)) || (is_normal(a) && is_infinite(b)));
        hit_if(nan_half, is_nan(a) || is_nan(b));
        hit_if(negative_zero, (is_zero(a) || is_zero(b)) && !is_infinite(a) && !is_infinite(b) &&
                                  !is_nan(a) && !is_nan(b) && ((a ^ b) & 0x8000U) != 0);
    }
    void sum(std::uint32_t x, std::uint32_t y, std::uint32_t sum) {
        const auto exponent = [](std::uint32_t bits) {
            return static_cast<int>(bits >> 23U & 0xffU);
        };
        const auto magnitude = [](std::uint32_t bits) { return bits & 0x7fffffffU; };
        constexpr std::uint32_t kInfinity = 0x7f800000;
        const bool opposite = ((x ^ y) & 0x80000000U) != 0;
        if (magnitude(x) > kInfinity || magnitude(y) > kInfinity) return hit(nan_operand);
        if (magnitude(x) == kInfinity && magnitude(y) == kInfinity) {
            return hit(opposite ? opposite_infinities : same_infinities);
        }
        if (magnitude(x) == kInfinity || magnitude(y) == kInfinity) return hit(infinity_and_number);
        if (magnitude(x) == 0 && magnitude(y) == 0) {
            if (opposite) return hit(opposite_zeros);
            return hit_if(negative_zeros, (x & 0x80000000U) != 0);
        }
        const int distance = std::abs(exponent(x) - exponent(y));
        const int larger = std::max(exponent(x), exponent(y));
        hit_if(exact, distance == 0 && !opposite);
        hit_if(cancels, opposite && magnitude(x) == magnitude(y));
        hit_if(cancels_mostly,
               opposite && (magnitude(x) == magnitude(y) + 1 || magnitude(y) == magnitude(x) + 1));
        hit_if(one_apart, distance == 1);
        hit_if(far, distance >= 25 && magnitude(x) != 0 && magnitude(y) != 0);
        hit_if(carries, exponent(sum) > larger);
        hit_if(overflows, magnitude(sum) == kInfinity);
        hit_if(sum_subnormal, exponent(sum) == 0 && magnitude(sum) != 0);
        hit_if(becomes_normal, larger == 0 && exponent(sum) == 1);
        // The last bits of two numbers of neighbouring exponents add up to half a unit.
        const std::uint32_t low = exponent(x) < exponent(y) ? x : y;
        hit_if(tie, distance == 1 && larger > 1 && !opposite && exponent(sum) == larger &&
                        (low & 1U) != 0);
    }

    const Pin first_ = fp_pins().plan_in(*this);
};

}  // namespace tessera
