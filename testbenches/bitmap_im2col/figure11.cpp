#include "testbenches/bitmap_im2col/figure11.h"

#include <fmt/format.h>
#include <array>
#include <string>

namespace tessera::testbench {
namespace {

constexpr std::uint32_t kRows = 3, kRow = 6, kFilter = 3, kOutputs = 4;
constexpr std::int32_t kZero = -1;

/// The map. The text of the paper does not give its elements.
constexpr std::array<std::string_view, kRows> kMap = {"1.11.1", ".1..1.", "11...1"};

std::string drawn(std::uint64_t bitmap, std::uint32_t length) {
    std::string text;
    for (std::uint32_t n = 0; n < length; ++n) text += (bitmap >> n & 1U) != 0 ? '1' : '.';
    return text;
}

}  // namespace

std::vector<std::vector<std::int32_t>> Figure11::play_row(const MapRow& row) {
    const RowResult& got = play_(row);
    std::vector<std::vector<std::int32_t>> columns;
    for (const BitmapIm2col::Column& column : got.columns) {
        session_.print(fmt::format("    S2 mask {}   S3 address {}   S4 {} {}\n",
                                   drawn(column.bitmap, kOutputs), column.address, column.count,
                                   column.count == 1 ? "value" : "values"));
        std::vector<std::int32_t> values(kOutputs, kZero);
        auto next = static_cast<std::int32_t>(column.address);
        for (std::uint32_t n = 0; n < kOutputs; ++n) {
            if ((column.bitmap >> n & 1U) != 0) values[n] = next++;
        }
        columns.push_back(std::move(values));
    }
    return columns;
}

void Figure11::run() {
    session_.print(
        "  Dual-side sparse tensor core, Figure 11 (IV-B): a 3x6 map under a 3x3 filter\n"
        "  The paper's text has no elements of the map; these are chosen. Values are numbered.\n");
    std::vector<std::vector<std::int32_t>> lowered, map;
    std::uint32_t before = 0;
    for (std::uint32_t r = 0; r < kRows; ++r) {
        MapRow row{0, kRow, kFilter, 1, before};
        std::vector<std::int32_t>& elements = map.emplace_back();
        for (std::uint32_t n = 0; n < kRow; ++n) {
            const bool value = kMap[r][n] == '1';
            if (value) row.bitmap |= std::uint64_t{1} << n;
            elements.push_back(value ? static_cast<std::int32_t>(before++) : kZero);
        }
        session_.print(fmt::format("\n  S1 row {}   {}   values from {}\n", r, kMap[r], row.base));
        for (auto& column : play_row(row)) lowered.push_back(std::move(column));
    }
    // The lowered map, output by output, beside that of a window that slides over the map.
    session_.print("\n  lowered map\n");
    for (std::uint32_t n = 0; n < kOutputs; ++n) {
        std::string line = "   ";
        for (std::uint32_t k = 0; k < lowered.size(); ++k) {
            const std::int32_t value = lowered[k][n];
            line += value == kZero ? " ." : fmt::format(" {}", value);
            session_.scoreboard.expect_text("element of the lowered map",
                                            std::to_string(map[k / kFilter][n + k % kFilter]),
                                            std::to_string(value));
        }
        session_.print(line + "\n");
    }
    session_.scoreboard.expect_count("columns of the lowered map", kRows * kFilter, lowered.size());
    session_.print(fmt::format(
        "\n  {}x{}                       paper: \"get a 4x9 lowered feature map\"\n"
        "  3 columns from each row   paper: \"the first three columns come from the first row\"\n",
        kOutputs, lowered.size()));
}

}  // namespace tessera::testbench
