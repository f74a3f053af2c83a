#include "sc_models/workload/simt/fft_geometry.h"

#include <string>

#include "sc_models/common/error.h"
#include "sc_models/workload/simt/simt_product_kernel.h"

namespace tessera {

FftGeometry FftGeometry::make(const LayerConfig& layer) {
    FftGeometry g;
    g.layer = SimtGeometry::make(layer);
    const SimtGeometry& l = g.layer;
    if (l.filter_height >= kSide || l.filter_width >= kSide || l.dilation != 1) {
        throw ConfigError("workload.layer.filter_height: got a filter of " +
                          std::to_string(l.filter_height) + "x" + std::to_string(l.filter_width) +
                          " and dilation " + std::to_string(l.dilation) +
                          ", expected at most 15x15 and 1 with workload.kernel fft");
    }
    if (l.stride_y != 1 || l.stride_x != 1 || layer.transposed) {
        throw ConfigError(
            "workload.layer.stride: got a stride other than 1 or a transposed layer, expected "
            "neither with workload.kernel fft");
    }
    g.tile_rows = ceil_div(l.out_height, g.out_rows());
    g.tile_columns = ceil_div(l.out_width, g.out_columns());
    return g;
}

std::uint64_t FftGeometry::channel_pitch() const {
    return simt_depth(layer.channels);
}

}  // namespace tessera
