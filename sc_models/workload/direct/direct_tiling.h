// Tiles of a direct convolution: the outputs of its warps and lanes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sc_models/isa/coalescer.h"
#include "sc_models/workload/direct/direct_convolution_geometry.h"
#include "sc_models/workload/direct/lane_layout.h"

namespace tessera {

/// Outputs of a warp, which are windows of the input.
struct DirectTile {
    std::uint32_t image = 0, plane = 0;
    std::uint32_t first_row = 0, end_row = 0;  ///< windows of lane 0: rows,
    std::uint32_t column = 0;                  ///< first column,
    std::uint32_t columns = 1;                 ///< and number of consecutive windows in a row
    const LaneLayout* layout = nullptr;
};

/// Cuts the outputs of a direct convolution into tiles by a mapping of outputs to lanes
/// (DirectMapping), see DirectConvolutionKernel. Tiles whose lanes are equally far apart share a
/// layout.
class DirectTiling {
public:
    DirectTiling(const DirectGeometry& geometry, const DirectConfig& config,
                 const AccessGranularity& granularity);

    /// Number of tiles.
    [[nodiscard]] std::uint64_t count() const {
        return std::uint64_t{starts_.size()} * row_tiles_ * repeats_;
    }
    [[nodiscard]] DirectTile tile(std::uint32_t index) const;

private:
    /// First position of lane 0 in every tile of a layout.
    struct Start {
        std::uint32_t image = 0, plane = 0, column = 0, row = 0;
    };
    struct LanePlace;
    void make_columns();
    void make_packed_columns();
    void make_pixels();
    void make_planes();
    void make_images();
    template <class PlaceOf>
    void add_layout(const Start& start, std::uint32_t lanes, const PlaceOf& place);

    const DirectGeometry geometry_;
    const DirectConfig config_;
    const AccessGranularity granularity_;
    std::vector<std::unique_ptr<LaneLayout>> layouts_;
    std::vector<Start> starts_;    ///< by layout
    std::uint32_t row_tiles_ = 1;  ///< tiles below each other with the same layouts
    std::uint64_t repeats_ = 1;    ///< remaining repetitions over images and planes
};

}  // namespace tessera
