// Sparse feature map of a convolution: dense, as coordinates by row, and as bitmaps.
#pragma once

#include <cstdint>
#include <vector>

namespace tessera {

/// Parameters of the lowering of a convolution of one image with a square filter and stride 1.
struct Im2colShape {
    std::uint32_t height = 56;
    std::uint32_t width = 56;
    std::uint32_t channels = 128;
    std::uint32_t filter = 3;
    std::uint32_t pad = 1;

    [[nodiscard]] std::uint32_t output_height() const { return height + 2 * pad - filter + 1; }
    [[nodiscard]] std::uint32_t output_width() const { return width + 2 * pad - filter + 1; }
    /// Number of outputs, equal to the elements of a lowered column.
    [[nodiscard]] std::uint32_t outputs() const { return output_height() * output_width(); }
    /// Columns of the lowered feature map: (channel, filter row, filter column).
    [[nodiscard]] std::uint32_t columns() const { return channels * filter * filter; }

    /// Throws ConfigError if there is no output, the filter lies entirely in the padding at some
    /// position, or indices need more than 32 bits.
    void check() const;
};

/// The feature map in FP32 (rows of the image by channel), and its non-zeros row by row. They serve
/// two formats: with column numbers it is CSR; with a bitmap per row and the index of the row's
/// first value it is the format of the dual-side sparse tensor core paper (IV-B, Figure 11).
class FeatureMap {
public:
    /// Every element is zero with probability `sparsity`. Throws ConfigError if that is outside
    /// 0..1.
    FeatureMap(const Im2colShape& shape, double sparsity, std::uint64_t seed);

    [[nodiscard]] const Im2colShape& shape() const { return shape_; }
    /// Element (channel, h, w) at (channel x height + h) x width + w.
    [[nodiscard]] const std::vector<float>& dense() const { return dense_; }
    /// The non-zeros in the same order.
    [[nodiscard]] const std::vector<float>& values() const { return values_; }
    /// Index of each row's first value in values(); row (channel, h) is channel x height + h. A
    /// final entry marks the end.
    [[nodiscard]] const std::vector<std::uint32_t>& row_begin() const { return row_begin_; }
    /// Column of every value.
    [[nodiscard]] const std::vector<std::uint32_t>& column() const { return column_; }
    /// words_per_row() words per row; bit w is element w.
    [[nodiscard]] const std::vector<std::uint64_t>& bitmap() const { return bitmap_; }
    [[nodiscard]] std::uint32_t words_per_row() const { return (shape_.width + 63) / 64; }

private:
    Im2colShape shape_;
    std::vector<float> dense_;
    std::vector<float> values_;
    std::vector<std::uint32_t> row_begin_;
    std::vector<std::uint32_t> column_;
    std::vector<std::uint64_t> bitmap_;
};

}  // namespace tessera
