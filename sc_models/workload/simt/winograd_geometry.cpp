#include "sc_models/workload/simt/winograd_geometry.h"

#include <string>

#include "sc_models/common/error.h"
#include "sc_models/workload/simt/simt_product_kernel.h"

namespace tessera {

WinogradGeometry WinogradGeometry::make(const LayerConfig& layer) {
    WinogradGeometry g;
    g.layer = SimtGeometry::make(layer);
    const SimtGeometry& l = g.layer;
    if (l.filter_height != kFilter || l.filter_width != kFilter || l.dilation != 1) {
        throw ConfigError("workload.layer.filter_height: got a filter of " +
                          std::to_string(l.filter_height) + "x" + std::to_string(l.filter_width) +
                          " and dilation " + std::to_string(l.dilation) +
                          ", expected 3x3 and 1 with workload.kernel winograd");
    }
    if (l.stride_y != 1 || l.stride_x != 1 || layer.transposed) {
        throw ConfigError(
            "workload.layer.stride: got a stride other than 1 or a transposed layer, expected "
            "neither with workload.kernel winograd");
    }
    g.tile_rows = ceil_div(l.out_height, kTile);
    g.tile_columns = ceil_div(l.out_width, kTile);
    return g;
}

std::uint64_t WinogradGeometry::channel_pitch() const {
    return simt_depth(layer.channels);
}

}  // namespace tessera
