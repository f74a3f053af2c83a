#include "sc_models/workload/simt/fft_maps.h"

#include <algorithm>
#include <array>

#include "sc_models/workload/simt/fourier.h"
#include "sc_models/workload/simt/simt_product_kernel.h"

namespace tessera {
namespace {

using fourier::Complex;
using fourier::Counted;
using fourier::Direction;
using Of = FftRowsMap::Of;

constexpr std::uint32_t kSide = FftGeometry::kSide, kBins = FftGeometry::kBins;
static_assert(kSide == fourier::kLength && kBins == fourier::kBins);

std::int64_t to_signed(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

/// Instructions of a transform of the first `inputs` numbers, by the same code.
template <std::size_t kInputs, class Transform>
std::uint32_t instructions(std::uint32_t inputs, const Transform& transform) {
    std::uint32_t count = 0;
    std::array<Counted, kInputs> numbers;
    std::fill_n(numbers.begin(), inputs, Counted(count));
    transform(numbers);
    return count;
}

/// The column of points of some complex numbers, and of zeros behind them.
template <class Numbers>
auto column_of(const Numbers& parts) {
    std::array<Complex<typename Numbers::value_type>, kSide> column;
    for (std::size_t i = 0; i < kSide; ++i) column[i] = {parts[2 * i], parts[2 * i + 1]};
    return column;
}

/// At least one: a single row is copied to all points, which is no arithmetic.
std::uint32_t column_instructions(std::uint32_t rows, Direction direction) {
    const std::uint32_t count = instructions<2 * kSide>(2 * rows, [direction](const auto& parts) {
        auto column = column_of(parts);
        fourier::transform(column, direction);
    });
    return std::max(1U, count);
}

/// Image, first row and column of a tile's outputs.
struct TilePlace {
    std::uint64_t image, row, column;

    TilePlace(const FftGeometry& g, std::uint64_t tile)
        : image(tile / (g.tile_rows * g.tile_columns)),
          row(tile / g.tile_columns % g.tile_rows * g.out_rows()),
          column(tile % g.tile_columns * g.out_columns()) {}
};

/// Complex number `i`'s part of a matrix of points: number i is that of bin `bin` and row i.
std::uint64_t point_of(std::uint32_t i, std::uint64_t bin) {
    return i / 2 * std::uint64_t{kBins} + bin;
}

}  // namespace

FftRowsMap::FftRowsMap(const FftGeometry& geometry, Of of)
    : g_(geometry),
      of_(of),
      rows_(of == Of::kInput ? g_.tiles() * kSide : g_.layer.filters * g_.layer.filter_height) {}

std::uint32_t FftRowsMap::inputs() const {
    return of_ == Of::kInput ? kSide : static_cast<std::uint32_t>(g_.layer.filter_width);
}

LaneMap::Step FftRowsMap::step(std::uint32_t /*step*/) const {
    const std::uint32_t scaled = of_ == Of::kInput ? 0 : inputs();
    const auto rows = [](const auto& x) {
        std::array<Counted, 2 * kBins> bins;
        fourier::of_reals(x, bins);
    };
    return Step::of(inputs(), 2 * kBins, scaled + instructions<kSide>(inputs(), rows));
}

std::int64_t FftRowsMap::source(std::uint64_t thread, std::uint32_t /*step*/,
                                std::uint32_t i) const {
    const SimtGeometry& layer = g_.layer;
    const std::uint64_t row = thread / layer.channels, c = thread % layer.channels;
    if (of_ == Of::kFilters) return to_signed((row * layer.filter_width + i) * layer.channels + c);
    const TilePlace tile(g_, row / kSide);
    return layer.input_at(tile.image, to_signed(tile.row + row % kSide) - layer.pad_y,
                          to_signed(tile.column + i) - layer.pad_x, c);
}

std::int64_t FftRowsMap::result(std::uint64_t thread, std::uint32_t /*step*/,
                                std::uint32_t i) const {
    return to_signed(i * threads() + thread);
}

void FftRowsMap::compute(std::uint32_t /*step*/, const float* inputs, float* outputs) const {
    std::array<float, kSide> x{};
    const float scale = of_ == Of::kInput ? 1 : kScale;
    std::transform(inputs, inputs + this->inputs(), x.begin(),
                   [scale](float value) { return value * scale; });
    std::array<float, 2 * kBins> bins;
    fourier::of_reals(x, bins);
    std::copy(bins.begin(), bins.end(), outputs);
}

FftColumnsMap::FftColumnsMap(const FftGeometry& geometry, Of of)
    : g_(geometry),
      of_(of),
      items_(of_filters() ? g_.layer.filters : g_.tiles()),
      rows_(of_filters() ? g_.layer.filter_height : kSide) {}

LaneMap::Step FftColumnsMap::step(std::uint32_t /*step*/) const {
    const auto rows = static_cast<std::uint32_t>(rows_);
    return Step::of(2 * rows, 2 * kSide, column_instructions(rows, Direction::kForward));
}

std::int64_t FftColumnsMap::source(std::uint64_t thread, std::uint32_t /*step*/,
                                   std::uint32_t i) const {
    const std::uint64_t channels = g_.layer.channels, of_bin = items_ * channels;
    const std::uint64_t bin = thread / of_bin, item = thread % of_bin / channels;
    const std::uint64_t row = item * rows_ + i / 2;
    return to_signed(((2 * bin + i % 2) * items_ * rows_ + row) * channels + thread % channels);
}

/// The second line of a filter has the imaginary parts first.
std::int64_t FftColumnsMap::result(std::uint64_t thread, std::uint32_t step,
                                   std::uint32_t i) const {
    const std::uint64_t channels = g_.layer.channels, of_bin = items_ * channels;
    const std::uint64_t bin = thread / of_bin, item = thread % of_bin / channels;
    const std::uint64_t pitch = g_.channel_pitch();
    const std::uint64_t lines = of_filters() ? 2 * items_ : items_;
    const std::uint64_t line = point_of(i, bin) * lines + step * items_ + item;
    return to_signed(line * 2 * pitch + (i % 2 ^ step) * pitch + thread % channels);
}

void FftColumnsMap::compute(std::uint32_t step, const float* inputs, float* outputs) const {
    std::array<float, 2 * kSide> parts{};
    std::copy_n(inputs, 2 * rows_, parts.begin());
    auto column = column_of(parts);
    fourier::transform(column, Direction::kForward);
    for (std::size_t i = 0; i < kSide; ++i) {
        outputs[2 * i] = column[i].re;
        outputs[2 * i + 1] = step == 0 ? column[i].im : -column[i].im;
    }
}

LaneMap::Step FftInverseColumnsMap::step(std::uint32_t /*step*/) const {
    return Step::of(2 * kSide, static_cast<std::uint32_t>(2 * g_.out_rows()),
                    column_instructions(kSide, Direction::kInverse));
}

std::int64_t FftInverseColumnsMap::source(std::uint64_t thread, std::uint32_t /*step*/,
                                          std::uint32_t i) const {
    const std::uint64_t filters = g_.layer.filters, of_bin = g_.tiles() * filters;
    const std::uint64_t bin = thread / of_bin, tile = thread % of_bin / filters;
    const std::uint64_t line = point_of(i, bin) * g_.tiles() + tile;
    return to_signed(line * simt_columns(2 * filters) + i % 2 * filters + thread % filters);
}

std::int64_t FftInverseColumnsMap::result(std::uint64_t thread, std::uint32_t /*step*/,
                                          std::uint32_t i) const {
    const std::uint64_t filters = g_.layer.filters, of_bin = g_.tiles() * filters;
    const std::uint64_t bin = thread / of_bin, tile = thread % of_bin / filters;
    const std::uint64_t row = tile * g_.out_rows() + i / 2;
    return to_signed(((2 * bin + i % 2) * g_.tiles() * g_.out_rows() + row) * filters +
                     thread % filters);
}

void FftInverseColumnsMap::compute(std::uint32_t /*step*/, const float* inputs,
                                   float* outputs) const {
    std::array<float, 2 * kSide> parts{};
    std::copy_n(inputs, parts.size(), parts.begin());
    auto column = column_of(parts);
    fourier::transform(column, Direction::kInverse);
    for (std::size_t i = 0; i < g_.out_rows(); ++i) {
        outputs[2 * i] = column[i].re;
        outputs[2 * i + 1] = column[i].im;
    }
}

LaneMap::Step FftInverseRowsMap::step(std::uint32_t /*step*/) const {
    const auto rows = [](const auto& bins) {
        std::array<Counted, kSide> x;
        fourier::to_reals(bins, x);
    };
    return Step::of(2 * kBins, static_cast<std::uint32_t>(g_.out_columns()),
                    instructions<2 * kBins>(2 * kBins, rows));
}

/// The first and the last bin are real: their imaginary parts are not loaded.
std::int64_t FftInverseRowsMap::source(std::uint64_t thread, std::uint32_t /*step*/,
                                       std::uint32_t i) const {
    if (i == 1 || i == 2 * kBins - 1) return kOutside;
    return to_signed(i * threads() + thread);
}

std::int64_t FftInverseRowsMap::result(std::uint64_t thread, std::uint32_t /*step*/,
                                       std::uint32_t i) const {
    const SimtGeometry& layer = g_.layer;
    const std::uint64_t line = thread / layer.filters;
    const TilePlace tile(g_, line / g_.out_rows());
    const std::uint64_t row = tile.row + line % g_.out_rows(), column = tile.column + i;
    if (row >= layer.out_height || column >= layer.out_width) return kOutside;
    const std::uint64_t pixel = (tile.image * layer.out_height + row) * layer.out_width + column;
    return to_signed(pixel * layer.out_pitch() + thread % layer.filters);
}

void FftInverseRowsMap::compute(std::uint32_t /*step*/, const float* inputs, float* outputs) const {
    std::array<float, 2 * kBins> bins{};
    std::copy_n(inputs, bins.size(), bins.begin());
    std::array<float, kSide> x{};
    fourier::to_reals(bins, x);
    std::copy_n(x.begin(), g_.out_columns(), outputs);
}

}  // namespace tessera
