// Does the bitmap im2col give the columns, addresses and counts of the lowered feature map?
#include "sc_models/tensor_core/bitmap_im2col.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "sc_models/sparse/lowered_operand.h"
#include "sc_models/sparse/sparsity.h"

namespace tessera {
namespace {

using Row = BitmapIm2col::Row;
using Column = BitmapIm2col::Column;

/// Elements of a row or column, 1 where they are not zero.
using Elements = std::vector<std::uint32_t>;

Elements elements_of(std::uint64_t bitmap, std::uint32_t length) {
    Elements elements;
    for (std::uint32_t n = 0; n < length; ++n) {
        elements.push_back(static_cast<std::uint32_t>(bitmap >> n & 1U));
    }
    return elements;
}

/// The columns of a row, by lists of elements.
std::vector<Column> naive_columns(const Row& row) {
    if (row.filter_width == 0 || row.filter_width > row.length || row.length > 64) {
        Column refused;
        refused.first = refused.last = refused.error = 1;
        return {refused};
    }
    const std::uint32_t stride = row.stride2 + 1;
    const std::uint32_t outputs = (row.length - row.filter_width + stride) / stride;
    const Elements elements = elements_of(row.bitmap, row.length);
    std::vector<Column> columns(row.filter_width);
    for (std::uint32_t k = 0; k < row.filter_width; ++k) {
        Column& column = columns[k];
        column.address = row.base;
        for (std::uint32_t n = 0; n < k; ++n) column.address += elements[n];
        for (std::uint32_t n = 0; n < outputs; ++n) {
            column.bitmap |= std::uint64_t{elements[k + n * stride]} << n;
            column.count += elements[k + n * stride];
        }
        for (std::uint32_t n = k; n <= k + (outputs - 1) * stride; ++n) {
            column.window |= std::uint64_t{elements[n]} << (n - k);
            column.length += elements[n];
        }
    }
    columns.front().first = columns.back().last = 1;
    return columns;
}

void expect_equal(const Column& expected, const Column& got) {
    ASSERT_EQ(expected.bitmap, got.bitmap);
    ASSERT_EQ(expected.window, got.window);
    ASSERT_EQ(expected.address, got.address);
    ASSERT_EQ(expected.length, got.length);
    ASSERT_EQ(expected.count, got.count);
    ASSERT_EQ(expected.first, got.first);
    ASSERT_EQ(expected.last, got.last);
    ASSERT_EQ(expected.error, got.error);
}

/// Lowers a row that is alone; its receiver is always ready. Checks the cycles.
std::vector<Column> lower(BitmapIm2col& block, const Row& row) {
    constexpr std::size_t kFirstColumn = 3;
    std::vector<Column> columns;
    BitmapIm2col::Inputs in{1, row, 1};
    EXPECT_EQ(block.step(in).row_ready, 1U);
    in = {0, {}, 1};
    for (std::size_t cycle = 1; columns.empty() || columns.back().last == 0; ++cycle) {
        const BitmapIm2col::Outputs& out = block.step(in);
        EXPECT_EQ(out.column_valid, cycle >= kFirstColumn ? 1U : 0U);
        if (out.column_valid != 0) columns.push_back(out.column);
        if (cycle > kFirstColumn + kMapRowBits) break;
    }
    EXPECT_TRUE(block.idle());
    return columns;
}

std::uint64_t draw_bitmap(std::mt19937_64& random) {
    switch (random() % 4) {
        case 0:
            return random() & random() & random();
        case 1:
            return random() | random();
        default:
            return random();
    }
}

/// A row whose bits past its end are anything; one in eight does not fit.
Row draw_row(std::mt19937_64& random) {
    Row row;
    row.bitmap = draw_bitmap(random);
    row.length = 1 + static_cast<std::uint32_t>(random() % kMapRowBits);
    row.filter_width = 1 + static_cast<std::uint32_t>(random() % row.length);
    row.stride2 = static_cast<std::uint32_t>(random() % 2);
    row.base = static_cast<std::uint32_t>(random());
    if (random() % 8 != 0) return row;
    row.length = static_cast<std::uint32_t>(random() % 128);
    row.filter_width = static_cast<std::uint32_t>(random() % 128);
    return row;
}

TEST(BitmapIm2col, GivesTheSameAsANaiveLoop) {
    constexpr std::uint32_t kRows = 20'000;
    std::mt19937_64 random(5);
    BitmapIm2col block;
    std::deque<Column> expected;
    std::uint32_t rows = 0, errors = 0;
    BitmapIm2col::Inputs in;
    while (rows < kRows || !expected.empty()) {
        if (in.row_valid == 0 && rows < kRows && random() % 4 != 0) {
            in.row_valid = 1;
            in.row = draw_row(random);
        }
        in.column_ready = static_cast<std::uint32_t>(random() % 4 != 0);
        const BitmapIm2col::Outputs& out = block.step(in);
        if (out.column_valid != 0) {
            ASSERT_FALSE(expected.empty());
            expect_equal(expected.front(), out.column);
            if (HasFatalFailure()) return;
            errors += in.column_ready != 0 ? out.column.error : 0;
            if (in.column_ready != 0) expected.pop_front();
        }
        if (in.row_valid != 0 && out.row_ready != 0) {
            for (const Column& column : naive_columns(in.row)) expected.push_back(column);
            in.row_valid = 0;
            ++rows;
        }
    }
    EXPECT_GT(errors, 1000U);
    for (std::uint32_t cycle = 0; cycle < 10; ++cycle) EXPECT_EQ(block.step({}).column_valid, 0U);
}

TEST(BitmapIm2col, TakesEveryLengthWidthAndStride) {
    std::mt19937_64 random(6);
    BitmapIm2col block;
    for (std::uint32_t length = 1; length <= kMapRowBits; ++length) {
        for (std::uint32_t width = 1; width <= length; ++width) {
            for (const std::uint32_t stride2 : {0U, 1U}) {
                const Row row{draw_bitmap(random), length, width, stride2, 17};
                const std::vector<Column> expected = naive_columns(row);
                const std::vector<Column> got = lower(block, row);
                ASSERT_EQ(expected.size(), got.size());
                for (std::size_t k = 0; k < got.size(); ++k) expect_equal(expected[k], got[k]);
                ASSERT_FALSE(HasFatalFailure()) << length << ", " << width << ", " << stride2;
            }
        }
    }
}

TEST(BitmapIm2col, DropsEverythingInAReset) {
    BitmapIm2col block;
    block.step({1, {~std::uint64_t{0}, 64, 9, 0, 0}, 0});
    for (std::uint32_t cycle = 0; cycle < 5; ++cycle) block.step({});
    EXPECT_EQ(block.step({}).column_valid, 1U);
    block.reset();
    EXPECT_TRUE(block.idle());
    EXPECT_EQ(block.step({}).column_valid, 0U);
    EXPECT_EQ(lower(block, {0b101, 3, 1, 0, 4}).size(), 1U);
}

/// The map of Figure 11 has 3 x 6 elements, its filter 3 x 3, its lowered map 4 x 9. The text does
/// not give the elements; these are ours.
TEST(BitmapIm2col, LowersTheMapOfFigure11) {
    BitmapIm2col block;
    const std::vector<std::string> map = {"101101", "010010", "110001"};  // the first element left
    std::uint32_t before = 0;
    std::vector<std::string> lowered;
    std::vector<std::uint32_t> addresses, counts;
    for (const std::string& line : map) {
        Row row{0, 6, 3, 0, before};
        for (std::size_t n = 0; n < line.size(); ++n) {
            if (line[n] == '1') row.bitmap |= std::uint64_t{1} << n;
        }
        EXPECT_EQ(BitmapIm2col::outputs_of(row), 4U);
        for (const Column& column : lower(block, row)) {
            std::string& text = lowered.emplace_back();
            for (std::uint32_t n = 0; n < 4; ++n)
                text += (column.bitmap >> n & 1U) != 0 ? '1' : '0';
            EXPECT_EQ(column.bitmap >> 4U, 0U);
            EXPECT_EQ(column.length, column.count);
            addresses.push_back(column.address);
            counts.push_back(column.count);
        }
        before += static_cast<std::uint32_t>(__builtin_popcountll(row.bitmap));
    }
    // Three columns from each row; columns of a row share elements.
    EXPECT_EQ(lowered, (std::vector<std::string>{"1011", "0110", "1101", "0100", "1001", "0010",
                                                 "1100", "1000", "0001"}));
    EXPECT_EQ(addresses, (std::vector<std::uint32_t>{0, 1, 1, 4, 4, 5, 6, 7, 8}));
    EXPECT_EQ(counts, (std::vector<std::uint32_t>{3, 2, 3, 1, 2, 1, 2, 1, 1}));
}

/// Values of a map, channel by channel, row by row, and where each row begins.
struct RowValues {
    std::vector<HalfBits> values;
    std::vector<std::uint32_t> first;  ///< by image, channel and row
};

/// Feature map of a layer as the block reads it.
class LayerRows {
public:
    LayerRows(const BitmapMatrix& map, const LoweringShape& shape) : map_(map), shape_(shape) {
        for (std::uint32_t image = 0; image < shape.batch; ++image) {
            for (std::uint32_t channel = 0; channel < shape.channels; ++channel) {
                for (std::uint32_t h = 0; h < shape.height; ++h) add_row(image, channel, h);
            }
        }
    }
    [[nodiscard]] const std::vector<HalfBits>& values() const { return rows_.values; }
    /// Row `h` of the padded map, 0 the first row of padding.
    [[nodiscard]] Row row(std::uint32_t image, std::uint32_t channel, std::uint32_t h) const {
        Row row{0, shape_.width + 2 * shape_.pad, shape_.filter_width, shape_.stride - 1, 0};
        if (h < shape_.pad || h >= shape_.height + shape_.pad) return row;
        row.base =
            rows_.first[(image * shape_.channels + channel) * shape_.height + h - shape_.pad];
        for (std::uint32_t w = 0; w < shape_.width; ++w) {
            if (map_.stored(pixel(image, h - shape_.pad, w), channel)) {
                row.bitmap |= std::uint64_t{1} << (w + shape_.pad);
            }
        }
        return row;
    }

private:
    [[nodiscard]] std::uint64_t pixel(std::uint32_t image, std::uint32_t h, std::uint32_t w) const {
        return (std::uint64_t{image} * shape_.height + h) * shape_.width + w;
    }
    void add_row(std::uint32_t image, std::uint32_t channel, std::uint32_t h) {
        rows_.first.push_back(static_cast<std::uint32_t>(rows_.values.size()));
        for (std::uint32_t w = 0; w < shape_.width; ++w) {
            const std::uint64_t p = pixel(image, h, w);
            if (map_.stored(p, channel)) rows_.values.push_back(map_.at(p, channel));
        }
    }

    const BitmapMatrix& map_;
    const LoweringShape& shape_;
    RowValues rows_;
};

/// The elements of a column, fetched by its window, address and length.
std::vector<HalfBits> fetch(const Column& column, const Row& row,
                            const std::vector<HalfBits>& values) {
    std::vector<HalfBits> elements;
    std::uint32_t next = 0;  // value of the window
    for (std::uint32_t n = 0; n < BitmapIm2col::outputs_of(row); ++n) elements.push_back(0);
    for (std::uint32_t n = 0; n < kMapRowBits; ++n) {
        if ((column.window >> n & 1U) == 0) continue;
        const HalfBits value = values.at(column.address + next++);
        if (n % (row.stride2 + 1) == 0) elements.at(n >> row.stride2) = value;
    }
    EXPECT_EQ(next, column.length);
    return elements;
}

/// Layers of ResNet-18 whose padded rows fit, with fewer channels, and small ones with pad 0.
TEST(BitmapIm2col, RebuildsTheLoweredOperand) {
    const std::vector<LoweringShape> shapes = {
        {1, 56, 56, 2, 3, 3, 1, 1}, {1, 56, 56, 2, 3, 3, 1, 2}, {1, 56, 56, 2, 1, 1, 0, 2},
        {1, 28, 28, 3, 3, 3, 1, 1}, {2, 28, 28, 3, 1, 1, 0, 2}, {2, 14, 14, 5, 3, 3, 1, 2},
        {2, 14, 14, 5, 3, 3, 0, 1}, {3, 7, 7, 9, 3, 3, 1, 1},   {1, 9, 6, 4, 2, 5, 0, 2},
        {1, 5, 62, 2, 3, 3, 1, 1},  {1, 4, 64, 1, 4, 64, 0, 1}, {1, 5, 64, 2, 1, 7, 0, 2}};
    BitmapIm2col block;
    for (const LoweringShape& shape : shapes) {
        SCOPED_TRACE(std::to_string(shape.height) + " x " + std::to_string(shape.width) +
                     ", stride " + std::to_string(shape.stride));
        for (const double sparsity : {0.1, 0.5, 0.9}) {
            SparsityConfig config;
            config.sparsity = sparsity;
            const BitmapMatrix map = SparsityGenerator(config, 1, SparseOperand::kA)
                                         .make(shape.pixels(), shape.channels, true);
            const BitmapMatrix lowered = lower_feature_map(map, shape, true);
            const LayerRows rows(map, shape);
            std::vector<HalfBits> rebuilt(lowered.lines() * lowered.k());
            std::uint64_t values = 0;
            for (std::uint64_t part = 0; part < std::uint64_t{shape.batch} * shape.output_height() *
                                                    shape.filter_height * shape.channels;
                 ++part) {
                const auto channel = static_cast<std::uint32_t>(part % shape.channels);
                const auto tap =
                    static_cast<std::uint32_t>(part / shape.channels % shape.filter_height);
                const std::uint64_t line = part / shape.channels / shape.filter_height;
                const auto h = static_cast<std::uint32_t>(line % shape.output_height());
                const auto image = static_cast<std::uint32_t>(line / shape.output_height());
                const Row row = rows.row(image, channel, h * shape.stride + tap);
                ASSERT_EQ(BitmapIm2col::outputs_of(row), shape.output_width());
                const std::vector<Column> columns = lower(block, row);
                ASSERT_EQ(columns.size(), shape.filter_width);
                for (std::uint32_t k = 0; k < columns.size(); ++k) {
                    const std::vector<HalfBits> elements = fetch(columns[k], row, rows.values());
                    const std::uint64_t column =
                        (std::uint64_t{tap} * shape.filter_width + k) * shape.channels + channel;
                    for (std::uint32_t n = 0; n < elements.size(); ++n) {
                        const std::uint64_t pixel = line * shape.output_width() + n;
                        rebuilt[pixel * lowered.k() + column] = elements[n];
                        ASSERT_EQ(lowered.stored(pixel, column),
                                  (columns[k].bitmap >> n & 1U) != 0);
                    }
                    values += columns[k].count;
                }
            }
            EXPECT_EQ(rebuilt, lowered.decode());
            EXPECT_EQ(values, lowered.nnz());
        }
    }
}

}  // namespace
}  // namespace tessera
