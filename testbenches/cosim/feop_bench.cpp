#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sc_models/cosim/feop_rtl.h"
#include "testbenches/cosim/bench.h"
#include "testbenches/cosim/staged_bench.h"

namespace tessera {
namespace {

struct FeopUnit {
    using Rtl = FeopRtl;
    using Operands = FeopOperands;
    using Results = FeopResults;
    static constexpr std::uint32_t kLanes = kFeopLanes;
    static constexpr std::string_view kFirstResult = "d_o_0";  ///< lane 0, bits 31:0 of the pin

    /// Special halves in pairs, four special sums each.
    static bool directed(std::uint32_t n, FeopOperands& in) {
        constexpr std::uint32_t kHalves = kSpecialHalves.size();
        constexpr std::uint32_t kFloats = kSpecialFloats.size();
        if (n >= kHalves * kHalves * kFloats) return false;
        in.a = kSpecialHalves[n % kHalves];
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            in.b[lane] = kSpecialHalves[(n / kHalves + lane) % kHalves];
            in.c[lane] = kSpecialFloats[(n / kHalves / kHalves + 7 * lane) % kFloats];
        }
        return true;
    }

    static FeopOperands draw(OperandMix& random) {
        FeopOperands in;
        in.a = random.half();
        for (HalfBits& b : in.b) b = random.half();
        for (std::uint32_t& c : in.c) c = random.summand();
        return in;
    }

    static FeopResults expected(const FeopOperands& in) {
        std::array<float, kFeopLanes> d{};
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) d[lane] = float_from_bits(in.c[lane]);
        feop(static_cast<HalfBits>(in.a), in.b.data(), d.data(), d.data());
        FeopResults results;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) results.d[lane] = float_bits(d[lane]);
        return results;
    }

    static void compare(const FeopResults& expected, const FeopResults& got,
                        Scoreboard& scoreboard) {
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            scoreboard.expect("d_o", lane, expected.d[lane], got.d[lane]);
        }
    }

    static const auto& pins() { return feop_pins(); }
    template <class Plan>
    static void note(const FeopOperands& in, Plan& plan) {
        plan.half(static_cast<HalfBits>(in.a));
        for (const HalfBits b : in.b) plan.half(b);
    }
    template <class Plan>
    static void note(const FeopResults& results, Plan& plan) {
        for (const std::uint32_t d : results.d) plan.result(d);
    }

    static std::uint32_t first(const FeopResults& results) { return results.d[0]; }

    static std::string describe(const FeopOperands& in) {
        return fmt::format("a={:04x} b={:04x} c={:08x}", in.a, fmt::join(in.b, ","),
                           fmt::join(in.c, ","));
    }
};

const RegisteredBench<StagedBench<FeopUnit>> kRegistered(
    "feop", "four-element outer-product unit with its adders", "lane results", "d:4");

}  // namespace
}  // namespace tessera
