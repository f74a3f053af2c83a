// Transforms of Winograd convolutions F(2x2, 3x3), as threads compute them.
#include <array>
#include <cmath>

#include "sc_models/workload/simt/winograd_convolution.h"

namespace tessera {
namespace {

constexpr std::uint32_t kPoints = WinogradGeometry::kPoints;
constexpr std::uint32_t kSide = WinogradGeometry::kInput;
constexpr std::uint32_t kFilterSide = WinogradGeometry::kFilter;
constexpr std::uint32_t kTileSide = WinogradGeometry::kTile;

// Instructions on the FP32 lanes, those of the functions below.
constexpr std::uint32_t kInputInstructions = 32;
constexpr std::uint32_t kFilterInstructions = 28;
constexpr std::uint32_t kOutputInstructions = 24;

std::int64_t to_signed(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

/// Position of a tile: image, first output row and column.
struct TilePlace {
    std::uint64_t image, row, column;

    TilePlace(const WinogradGeometry& g, std::uint64_t tile)
        : image(tile / (g.tile_rows * g.tile_columns)),
          row(tile / g.tile_columns % g.tile_rows * kTileSide),
          column(tile % g.tile_columns * kTileSide) {}
};

/// One dimension of the input transform.
void transform_input(float d0, float d1, float d2, float d3, float* out, std::uint32_t pitch) {
    out[0] = d0 - d2;
    out[pitch] = d1 + d2;
    out[2 * pitch] = d2 - d1;
    out[3 * pitch] = d1 - d3;
}

/// One dimension of the filter transform: an addition, a product and two fused multiply-adds.
void transform_filter(float g0, float g1, float g2, float* out, std::uint32_t pitch) {
    constexpr float kHalf = 0.5F;
    const float ends = kHalf * (g0 + g2);
    out[0] = g0;
    out[pitch] = std::fma(kHalf, g1, ends);
    out[2 * pitch] = std::fma(-kHalf, g1, ends);
    out[3 * pitch] = g2;
}

/// One dimension of the inverse transform.
void transform_output(float m0, float m1, float m2, float m3, float* out, std::uint32_t pitch) {
    out[0] = m0 + m1 + m2;
    out[pitch] = m1 - m2 - m3;
}

}  // namespace

LaneMap::Step WinogradInputMap::step(std::uint32_t /*step*/) const {
    return Step::of(kPoints, kPoints, kInputInstructions);
}

std::int64_t WinogradInputMap::source(std::uint64_t thread, std::uint32_t /*step*/,
                                      std::uint32_t i) const {
    const SimtGeometry& layer = geometry_.layer;
    const TilePlace tile(geometry_, thread / layer.channels);
    return layer.input_at(tile.image, to_signed(tile.row + i / kSide) - layer.pad_y,
                          to_signed(tile.column + i % kSide) - layer.pad_x,
                          thread % layer.channels);
}

std::int64_t WinogradInputMap::result(std::uint64_t thread, std::uint32_t /*step*/,
                                      std::uint32_t i) const {
    const std::uint64_t channels = geometry_.layer.channels;
    return to_signed((i * geometry_.tiles() + thread / channels) * geometry_.channel_pitch() +
                     thread % channels);
}

void WinogradInputMap::compute(std::uint32_t /*step*/, const float* inputs, float* outputs) const {
    std::array<float, kPoints> columns{};
    for (std::uint32_t x = 0; x < kSide; ++x) {
        transform_input(inputs[x], inputs[kSide + x], inputs[2 * kSide + x], inputs[3 * kSide + x],
                        &columns.at(x), kSide);
    }
    for (std::uint32_t y = 0; y < kSide; ++y) {
        const float* const row = &columns.at(y * kSide);
        transform_input(row[0], row[1], row[2], row[3], outputs + y * kSide, 1);
    }
}

LaneMap::Step WinogradFilterMap::step(std::uint32_t /*step*/) const {
    return Step::of(kFilterSide * kFilterSide, kPoints, kFilterInstructions);
}

std::int64_t WinogradFilterMap::source(std::uint64_t thread, std::uint32_t /*step*/,
                                       std::uint32_t i) const {
    const std::uint64_t channels = geometry_.layer.channels;
    return to_signed((thread / channels * geometry_.layer.taps() + i) * channels +
                     thread % channels);
}

std::int64_t WinogradFilterMap::result(std::uint64_t thread, std::uint32_t /*step*/,
                                       std::uint32_t i) const {
    const std::uint64_t channels = geometry_.layer.channels;
    return to_signed((i * geometry_.layer.filters + thread / channels) * geometry_.channel_pitch() +
                     thread % channels);
}

void WinogradFilterMap::compute(std::uint32_t /*step*/, const float* inputs, float* outputs) const {
    std::array<float, kSide * kFilterSide> columns{};
    for (std::uint32_t x = 0; x < kFilterSide; ++x) {
        transform_filter(inputs[x], inputs[kFilterSide + x], inputs[2 * kFilterSide + x],
                         &columns.at(x), kFilterSide);
    }
    for (std::uint32_t y = 0; y < kSide; ++y) {
        const float* const row = &columns.at(y * kFilterSide);
        transform_filter(row[0], row[1], row[2], outputs + y * kSide, 1);
    }
}

LaneMap::Step WinogradOutputMap::step(std::uint32_t /*step*/) const {
    return Step::of(kPoints, kTileSide * kTileSide, kOutputInstructions);
}

std::int64_t WinogradOutputMap::source(std::uint64_t thread, std::uint32_t /*step*/,
                                       std::uint32_t i) const {
    const SimtGeometry& layer = geometry_.layer;
    return to_signed((i * geometry_.tiles() + thread / layer.filters) * layer.out_pitch() +
                     thread % layer.filters);
}

std::int64_t WinogradOutputMap::result(std::uint64_t thread, std::uint32_t /*step*/,
                                       std::uint32_t i) const {
    const SimtGeometry& layer = geometry_.layer;
    const TilePlace tile(geometry_, thread / layer.filters);
    const std::uint64_t row = tile.row + i / kTileSide;
    const std::uint64_t column = tile.column + i % kTileSide;
    if (row >= layer.out_height || column >= layer.out_width) return kOutside;
    const std::uint64_t pixel = (tile.image * layer.out_height + row) * layer.out_width + column;
    return to_signed(pixel * layer.out_pitch() + thread % layer.filters);
}

void WinogradOutputMap::compute(std::uint32_t /*step*/, const float* inputs, float* outputs) const {
    std::array<float, kTileSide * kSide> columns{};
    for (std::uint32_t x = 0; x < kSide; ++x) {
        transform_output(inputs[x], inputs[kSide + x], inputs[2 * kSide + x], inputs[3 * kSide + x],
                         &columns.at(x), kSide);
    }
    for (std::uint32_t y = 0; y < kTileSide; ++y) {
        const float* const row = &columns.at(y * kSide);
        transform_output(row[0], row[1], row[2], row[3], outputs + y * kTileSide, 1);
    }
}

}  // namespace tessera
