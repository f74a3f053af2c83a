#include "testbenches/bitmap_unit/figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera::testbench {
namespace {

constexpr std::uint32_t kOhmmas = 8;  ///< of a dense 32x32x1 outer product

/// `count` non-zeros spread over 32 places. The paper draws the vectors without their places.
std::uint32_t spread(std::uint32_t count) {
    std::uint32_t bitmap = 0;
    for (std::uint32_t n = 0; n < count; ++n) bitmap |= 1U << (n * 32 / count);
    return bitmap;
}

std::string drawn(std::uint32_t bitmap) {
    std::string text;
    for (std::uint32_t place = 0; place < 32; ++place) {
        text += (bitmap >> place & 1U) != 0 ? '1' : '.';
    }
    return text;
}

std::string numbers(std::uint32_t mask) {
    std::vector<std::uint32_t> all;
    for (std::uint32_t n = 0; n < kOhmmas; ++n) {
        if ((mask >> n & 1U) != 0) all.push_back(n);
    }
    return fmt::format("{}", fmt::join(all, ", "));
}

}  // namespace

std::uint32_t BitmapFigures::play_set(std::uint32_t k, std::uint32_t a_nonzeros,
                                      std::uint32_t b_nonzeros) {
    TileBitmaps tile;
    tile.a[k] = spread(a_nonzeros);
    tile.b[k] = spread(b_nonzeros);
    const TileResult& got = play_(tile);
    Scoreboard& board = session_.scoreboard;
    board.expect_count("non-zeros of A", a_nonzeros, got.summary.a_count[k]);
    board.expect_count("non-zeros of B", b_nonzeros, got.summary.b_count[k]);
    session_.print(fmt::format("  A, bitmap of the column   {}   POPC {}\n", drawn(tile.a[k]),
                               got.summary.a_count[k]));
    session_.print(fmt::format("  B, bitmap of the row      {}   POPC {}\n\n", drawn(tile.b[k]),
                               got.summary.b_count[k]));
    std::uint32_t issued = 0;
    std::size_t next = 0;
    for (std::uint32_t n = 0; n < kOhmmas; ++n) {
        const bool here =
            next < got.ohmmas.size() && 2 * got.ohmmas[next].i + got.ohmmas[next].j == n;
        if (!here) {
            session_.print(fmt::format("    OHMMA {}  skipped\n", n));
            continue;
        }
        const BitmapUnit::Ohmma& ohmma = got.ohmmas[next++];
        const auto rows = static_cast<std::uint32_t>(__builtin_popcount(ohmma.row_valid));
        const auto columns = static_cast<std::uint32_t>(__builtin_popcount(ohmma.column_valid));
        session_.print(fmt::format("    OHMMA {}  {} rows x {:>2} columns, from row {:>2}\n", n,
                                   rows, columns, ohmma.row[0]));
        issued |= 1U << n;
    }
    return issued;
}

void BitmapFigures::figure5() {
    session_.print(
        "  Dual-side sparse tensor core, Figure 5 (III-B3): one 32x32x1 outer product\n"
        "  A dense one takes 8 OHMMAs of 8x16x1. The non-zeros move together, so few remain.\n\n");
    const std::uint32_t issued = play_set(0, 20, 11);
    const auto steps = static_cast<std::uint32_t>(__builtin_popcount(issued));
    session_.scoreboard.expect_count("Figure 5, skipped OHMMAs", 5, kOhmmas - steps);
    session_.print(fmt::format(
        "\n  {} of 8 skipped            paper: \"5 out of 8 OTC steps have pure zero elements and\n"
        "                            can be skipped\"\n"
        "  8/{} = {:.2f}x               paper: \"a 8/3 = 2.67x speedup in theory\"\n",
        kOhmmas - steps, steps, static_cast<double>(kOhmmas) / steps));
}

void BitmapFigures::figure15() {
    session_.print(
        "  Dual-side sparse tensor core, Figure 15 (V-B1): Set 4 of a SpWMMA\n"
        "  POPC counts the non-zeros, and the counts set the predicates of the 8 OHMMAs.\n\n");
    const std::uint32_t issued = play_set(4, 20, 12);
    session_.scoreboard.expect("Figure 15, enabled OHMMAs", 0b00010101, issued);
    session_.print(fmt::format(
        "\n  enabled {}              paper: \"We should enable OHMMA0/2/4\"\n"
        "  skipped {}        paper: \"and skip OHMMA1/3/4/5/6/7 for Set 4\"\n"
        "  The paper lists 4 twice. 20 non-zeros fill three groups of 8 rows, so 4 is enabled.\n",
        numbers(issued), numbers(~issued & 0xffU)));
}

}  // namespace tessera::testbench
