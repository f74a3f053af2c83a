#include "testbenches/accumulation_buffer/buffer_stimulus.h"

#include <fmt/format.h>
#include <algorithm>

#include "sc_models/tensor_core/half.h"

namespace tessera::testbench {
namespace {

using Kind = BufferOperation::Kind;

constexpr std::uint64_t kWordEnd = std::uint64_t{1} << 32U;
constexpr std::uint32_t kSize = 32;

}  // namespace

std::vector<Column> buffer_columns() {
    std::vector<Column> columns = {
        {"cycle", Column::Kind::kNumber, "earliest cycle, not before that of the line above"},
        {"operation", Column::Kind::kChoice, "", {}},
        {"rows", Column::Kind::kAddress, "bitmap of at most 8 rows; sparse", {}, true},
        {"columns", Column::Kind::kAddress, "bitmap of at most 16 columns; sparse", {}, true},
        {"word", Column::Kind::kNumber, "0 to 7; dense and preload", {}, true},
        {"part", Column::Kind::kChoice, "of the sums, dense;", {}, true},
        {"value", Column::Kind::kNumber, "of all products or sums, a whole number", {}, true}};
    columns[BufferStimulus::kOperation].help = "what the buffer does;";
    columns[BufferStimulus::kOperation].choices = {"sparse", "dense", "preload", "drain",
                                                   "drain_and_clear"};
    columns[BufferStimulus::kPart].choices = {"middle", "first", "last", "whole"};
    return columns;
}

BufferOperation BufferStimulus::draw() {
    BufferOperation o;
    const std::uint64_t dice = session_.below(64);
    o.kind = dice == 0   ? Kind::kDrain
             : dice == 1 ? Kind::kDrainAndClear
             : dice < 4  ? Kind::kPreload
             : dice < 24 ? Kind::kDense
                         : Kind::kSparse;
    o.word = static_cast<std::uint32_t>(session_.below(kWords));
    o.first = session_.below(4) == 0;
    o.last = session_.below(4) == 0;
    for (std::uint32_t& value : o.data) value = draw_value();
    if (o.first) {
        for (std::uint32_t& value : o.c) value = draw_value();
    }
    if (o.kind == Kind::kSparse) draw_places(o);
    return o;
}

/// Distinct columns; rows mostly distinct, sometimes of one class, whose banks fill up.
void BufferStimulus::draw_places(BufferOperation& o) {
    std::array<std::uint32_t, kSize> places{};
    for (std::uint32_t n = 0; n < kSize; ++n) places[n] = n;
    std::shuffle(places.begin(), places.end(), session_.random);
    std::copy_n(places.begin(), kOperationColumns, o.column.begin());
    std::shuffle(places.begin(), places.end(), session_.random);
    std::copy_n(places.begin(), kOperationRows, o.row.begin());
    const auto dice = static_cast<std::uint32_t>(session_.below(4));
    for (std::uint32_t i = 0; i < kOperationRows && dice == 0; ++i) o.row[i] = 4 * i + o.row[0] % 4;
    if (dice == 1) o.row[1] = o.row[0];
    o.row_valid = static_cast<std::uint32_t>(session_.below(1U << kOperationRows));
    o.column_valid = static_cast<std::uint32_t>(session_.below(1U << kOperationColumns));
    if (session_.below(4) == 0) o.row_valid = (1U << kOperationRows) - 1;
}

/// Numbers of similar size, so that sums round; small integers, which cancel; some corner cases.
std::uint32_t BufferStimulus::draw_value() {
    const std::uint64_t dice = session_.below(64);
    if (dice == 0) return kSumCorners[session_.below(kSumCorners.size() - 3)];
    const auto integer = static_cast<float>(session_.below(17)) - 8;
    if (dice < 16) return float_bits(integer);
    const auto any = static_cast<std::uint32_t>(session_.below(kWordEnd));
    return (any & 0x807fffffU) | (112U + any / 128 % 16) << 23U;
}

BufferOperation BufferStimulus::operation_of(const Stimulus& stimulus, const StimulusRow& row) {
    BufferOperation o;
    o.kind = static_cast<Kind>(row[kOperation]);
    if (row[kWord] >= kWords) stimulus.fail(row, kWord, "expected 0 to 7");
    if (row[kValue] > 1U << 24U) stimulus.fail(row, kValue, "expected at most 2^24");
    o.word = static_cast<std::uint32_t>(row[kWord]);
    o.first = row[kPart] == 1 || row[kPart] == 3;
    o.last = row[kPart] >= 2;
    o.data.fill(float_bits(static_cast<float>(row[kValue])));
    for (const std::size_t column : {kRowBits, kColumnBits}) {
        const std::uint32_t most = column == kRowBits ? kOperationRows : kOperationColumns;
        std::uint32_t* const places = column == kRowBits ? o.row.data() : o.column.data();
        std::uint32_t found = 0;
        for (std::uint32_t place = 0; place < kSize; ++place) {
            if ((row[column] >> place & 1U) == 0) continue;
            if (found == most) stimulus.fail(row, column, fmt::format("over {} ones", most));
            places[found++] = place;
        }
        if (row[column] >= kWordEnd) stimulus.fail(row, column, "expected below 2^32");
        (column == kRowBits ? o.row_valid : o.column_valid) = (1U << found) - 1;
    }
    return o;
}

}  // namespace tessera::testbench
