#include "testbenches/tensor_core/figure6.h"

#include <fmt/format.h>

namespace tessera::testbench {
namespace {

/// A without zeros, and a B with `nonzeros` of 32 in each row.
TensorOperation spwmma(std::uint32_t warp, std::uint32_t nonzeros) {
    auto values = std::make_shared<TensorValues>();
    for (std::uint32_t k = 0; k < kDepth; ++k) {
        for (std::uint32_t n = 0; n < kSparse; ++n) values->a[n][k] = 1;
        for (std::uint32_t n = 0; n < nonzeros; ++n) values->b[k][n * kSparse / nonzeros] = 2;
    }
    return {TensorOperation::Kind::kSpwmma, warp, values};
}

}  // namespace

void Figure6::run() {
    session_.print(
        "  Dual-side sparse tensor core, Figure 6 (III-B3): a row of B, 128 elements, 80 of them "
        "not 0\n  Four warps have 32 columns each. A has no zeros. An OHMMA covers 16 non-zeros of "
        "B.\n");
    const double even = play_row("spread evenly", {20, 20, 20, 20});
    const double uneven = play_row("spread unevenly", {32, 8, 32, 8});
    Scoreboard& board = session_.scoreboard;
    board.expect_count("Figure 6, no speedup if evenly spread (percent)", 100,
                       static_cast<std::uint64_t>(even * 100));
    board.expect_count("Figure 6, speedup if unevenly spread (tenths)", 13,
                       static_cast<std::uint64_t>(uneven * 10 + 0.5));
    session_.print(
        fmt::format("\n  evenly {:.2f}x     paper: \"should have no speedup on the assumption that "
                    "we can only\n"
                    "                   benefit from <0%, 50%> sparsity\"\n"
                    "  unevenly {:.2f}x   paper: \"an approximately 1.3x speedup\"; \"some warps "
                    "such as warp 1 "
                    "and 3\"\n"
                    "  The paper draws no numbers of non-zeros. 32, 8, 32 and 8 fit its 37.5 %.\n",
                    even, uneven));
}

double Figure6::play_row(const char* what, const std::array<std::uint32_t, kWarps>& nonzeros) {
    std::uint32_t total = 0, issued = 0;
    for (const std::uint32_t count : nonzeros) total += count;
    session_.scoreboard.expect_count("Figure 6, non-zeros of 128", 80, total);
    session_.print(
        fmt::format("\n  {}: {} of 128, {:.1f} % zeros\n", what, total, 100 - total / 1.28));
    for (std::uint32_t warp = 0; warp < kWarps; ++warp) {
        const TensorOperation operation = spwmma(next_warp_++, nonzeros[warp]);
        const TensorResult got = play_(operation);
        const std::uint32_t ohmmas = naive_ohmmas(*operation.values);
        issued += ohmmas;
        session_.print(fmt::format(
            "    warp {}  {:>2} of 32   {:>3} of {} OHMMAs, {:>3} cycles{}\n", warp, nonzeros[warp],
            ohmmas, kAllOhmmas, got.busy - got.swapped, ohmmas < kAllOhmmas ? "  *" : ""));
    }
    const double speedup = kWarps * kAllOhmmas / static_cast<double>(issued);
    session_.print(
        fmt::format("    {} of {} OHMMAs: {:.2f}x\n", issued, kWarps * kAllOhmmas, speedup));
    return speedup;
}

}  // namespace tessera::testbench
