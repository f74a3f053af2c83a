#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sc_models/cosim/fedp_rtl.h"
#include "testbenches/cosim/bench.h"
#include "testbenches/cosim/staged_bench.h"

namespace tessera {
namespace {

struct FedpUnit {
    using Rtl = FedpRtl;
    using Operands = FedpOperands;
    using Results = FedpResults;
    static constexpr std::uint32_t kLanes = 1;
    static constexpr std::string_view kFirstResult = "d_o";

    /// Special halves in pairs in one element, next to a special sum; the other elements step
    /// through the specials, too. Then sums of 2^27 and more, four bits too many for a result.
    static bool directed(std::uint32_t n, FedpOperands& in) {
        constexpr std::uint32_t kHalves = kSpecialHalves.size();
        constexpr std::uint32_t kFloats = kSpecialFloats.size();
        if (n >= kHalves * kHalves * kFloats) return largest(n - kHalves * kHalves * kFloats, in);
        in.a.fill(0);
        in.b.fill(0);
        const std::uint32_t element = n % in.a.size();
        in.a[element] = kSpecialHalves[n % kHalves];
        in.b[element] = kSpecialHalves[n / kHalves % kHalves];
        in.a[(element + 1) % in.a.size()] = kSpecialHalves[n / 7 % kHalves];
        in.b[(element + 1) % in.b.size()] = kSpecialHalves[n / 11 % kHalves];
        in.c = kSpecialFloats[n / kHalves / kHalves];
        return true;
    }

    /// Operands of one sign whose significands are nearly all ones.
    static bool largest(std::uint32_t n, FedpOperands& in) {
        constexpr std::uint32_t kCases = 256;
        if (n >= kCases) return false;
        const auto sign = static_cast<HalfBits>((n & 1U) << 15U);
        for (std::uint32_t e = 0; e < in.a.size(); ++e) {
            in.a[e] = static_cast<HalfBits>(sign | (0x3fffU - (n >> e) % 16));
            in.b[e] = static_cast<HalfBits>(0x3fffU - n / 8 % 16);
        }
        in.c = (n & 1U) << 31U | (0x3fffffffU - n);
        return true;
    }

    static FedpOperands draw(OperandMix& random) {
        FedpOperands in;
        for (HalfBits& a : in.a) a = random.half();
        for (HalfBits& b : in.b) b = random.half();
        in.c = random.summand();
        // Small products show only where nothing larger hides them.
        if (random.below(2) == 0) {
            const std::uint32_t kept = random.below(1U << in.a.size());
            for (std::size_t e = 0; e < in.a.size(); ++e) {
                if ((kept >> e & 1U) == 0) in.a[e] = 0;
            }
            if (random.below(2) == 0) in.c = 0;
        }
        return in;
    }

    static FedpResults expected(const FedpOperands& in) {
        return {float_bits(fedp4(in.a.data(), in.b.data(), float_from_bits(in.c)))};
    }

    static void compare(const FedpResults& expected, const FedpResults& got,
                        Scoreboard& scoreboard) {
        scoreboard.expect("d_o", expected.d, got.d);
    }

    static const auto& pins() { return fedp_pins(); }
    template <class Plan>
    static void note(const FedpOperands& in, Plan& plan) {
        for (const HalfBits a : in.a) plan.half(a);
        for (const HalfBits b : in.b) plan.half(b);
    }
    template <class Plan>
    static void note(const FedpResults& results, Plan& plan) {
        plan.result(results.d);
    }

    static std::uint32_t first(const FedpResults& results) { return results.d; }

    static std::string describe(const FedpOperands& in) {
        return fmt::format("a={:04x} b={:04x} c={:08x}", fmt::join(in.a, ","), fmt::join(in.b, ","),
                           in.c);
    }
};

const RegisteredBench<StagedBench<FedpUnit>> kRegistered("fedp", "four-element dot-product unit",
                                                         "dot products", "d");

}  // namespace
}  // namespace tessera
