// Geometry of Winograd convolutions F(2x2, 3x3).
#pragma once

#include <cstdint>

#include "sc_models/workload/simt/simt_geometry.h"

namespace tessera {

/// Tiles of a Winograd convolution F(2x2, 3x3), which Lavin and Gray describe ("Fast Algorithms for
/// Convolutional Neural Networks", 2015): 2 x 2 outputs come from 4 x 4 inputs, and a filter
/// becomes 4 x 4 floats. Points are the 16 elements of a transformed tile, row by row.
struct WinogradGeometry {
    static constexpr std::uint64_t kTile = 2, kInput = 4, kFilter = 3, kPoints = 16;

    SimtGeometry layer;
    std::uint64_t tile_rows = 0, tile_columns = 0;  ///< of an image

    /// Throws ConfigError unless filters are 3 x 3 without dilation and strides are 1.
    [[nodiscard]] static WinogradGeometry make(const LayerConfig& layer);

    [[nodiscard]] std::uint64_t tiles() const { return layer.batch * tile_rows * tile_columns; }
    /// Floats from a tile (or filter) to the next at one point: channels, in whole steps of the
    /// product's k.
    [[nodiscard]] std::uint64_t channel_pitch() const;
};

}  // namespace tessera
