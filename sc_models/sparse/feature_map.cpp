#include "sc_models/sparse/feature_map.h"

#include <string>

#include "sc_models/common/error.h"
#include "sc_models/sparse/sparsity.h"

namespace tessera {

void Im2colShape::check() const {
    const auto expect = [](bool good, const char* what) {
        if (!good) throw ConfigError(std::string("im2col: ") + what);
    };
    expect(height > 0 && width > 0 && channels > 0 && filter > 0, "a size of zero");
    expect(height <= 1U << 14U && width <= 1U << 14U,
           "an image of more than 16384 rows or columns");
    expect(filter <= 64, "a filter of more than 64 rows");
    expect(pad < filter, "padding of a whole filter");
    expect(filter <= height + 2 * pad && filter <= width + 2 * pad,
           "a filter larger than its image");
    constexpr std::uint64_t kMost = 1U << 31U;
    expect(std::uint64_t{channels} * filter * filter * outputs() < kMost,
           "a lowered feature map of 2^31 elements or more");
}

FeatureMap::FeatureMap(const Im2colShape& shape, double sparsity, std::uint64_t seed)
    : shape_(shape) {
    shape.check();
    SparsityConfig config;
    config.sparsity = sparsity;
    const SparsityGenerator generator(config, seed, SparseOperand::kA);
    const std::uint32_t rows = shape.channels * shape.height;
    const BitmapMatrix kept = generator.make(rows, shape.width, false);
    dense_.resize(std::uint64_t{rows} * shape.width);
    bitmap_.resize(std::uint64_t{rows} * words_per_row());
    row_begin_.reserve(rows + 1);
    for (std::uint32_t row = 0; row < rows; ++row) {
        row_begin_.push_back(static_cast<std::uint32_t>(values_.size()));
        for (std::uint32_t w = 0; w < shape.width; ++w) {
            if (!kept.stored(row, w)) continue;
            const float value = half_to_float(generator.value(row, w));
            dense_[std::uint64_t{row} * shape.width + w] = value;
            values_.push_back(value);
            column_.push_back(w);
            bitmap_[std::uint64_t{row} * words_per_row() + w / 64] |= std::uint64_t{1} << (w % 64);
        }
    }
    row_begin_.push_back(static_cast<std::uint32_t>(values_.size()));
}

}  // namespace tessera
