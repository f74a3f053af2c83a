// Geometry of convolutions by Fourier transforms of tiles.
#pragma once

#include <cstdint>

#include "sc_models/workload/simt/simt_geometry.h"

namespace tessera {

/// Tiles of 16 x 16 inputs whose spectra are multiplied, as in cuDNN's FFT_TILING, whose tiles have
/// 32 x 32: a thread here holds a row of 16. A tile gives the outputs whose windows lie in it. The
/// spectrum of a row of real numbers has nine bins; points are the 16 x 9 frequencies of a tile.
struct FftGeometry {
    static constexpr std::uint64_t kSide = 16, kBins = kSide / 2 + 1, kPoints = kSide * kBins;

    SimtGeometry layer;
    std::uint64_t tile_rows = 0, tile_columns = 0;  ///< of an image

    /// Throws ConfigError unless filters have at most 15 rows and columns without dilation, strides
    /// are 1 and the layer is not transposed.
    [[nodiscard]] static FftGeometry make(const LayerConfig& layer);

    /// Rows and columns of outputs of a tile.
    [[nodiscard]] std::uint64_t out_rows() const { return kSide - layer.filter_height + 1; }
    [[nodiscard]] std::uint64_t out_columns() const { return kSide - layer.filter_width + 1; }
    [[nodiscard]] std::uint64_t tiles() const { return layer.batch * tile_rows * tile_columns; }
    /// Floats of the channels' real or imaginary parts, in whole steps of the product's k.
    [[nodiscard]] std::uint64_t channel_pitch() const;
};

}  // namespace tessera
