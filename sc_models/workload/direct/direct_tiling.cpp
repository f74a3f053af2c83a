#include "sc_models/workload/direct/direct_tiling.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr std::uint32_t kLanes = LaneLayout::kMaxLanes;

using Operand = LaneLayout::Operand;

}  // namespace

/// Positions of an output and its first operands, in floats from the start of their regions.
struct DirectTiling::LanePlace {
    std::uint64_t input = 0, weights = 0, output = 0;

    LanePlace(const DirectGeometry& g, std::uint32_t image, std::uint32_t plane, std::uint32_t y,
              std::uint32_t x)
        : input(g.input_plane(image, plane, 0) +
                (std::uint64_t{y} * g.in_width + x) * std::uint64_t{g.stride}),
          weights(g.weight_plane(image, plane, 0)),
          output(g.output_plane(image, plane) + std::uint64_t{y} * g.out_width + x) {}
};

/// Adds a layout; `place(lane)` is the position of a lane's first output.
template <class PlaceOf>
void DirectTiling::add_layout(const Start& start, std::uint32_t lanes, const PlaceOf& place) {
    const auto id = static_cast<std::uint32_t>(layouts_.size());
    layouts_.push_back(std::make_unique<LaneLayout>(id, lanes, granularity_));
    starts_.push_back(start);
    LaneLayout& layout = *layouts_.back();
    const LanePlace first = place(0);
    const auto bytes = [](std::uint64_t to, std::uint64_t from) {
        return static_cast<std::int32_t>(
            (static_cast<std::int64_t>(to) - static_cast<std::int64_t>(from)) * kFloatBytes);
    };
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        const LanePlace here = place(lane);
        layout.set_offset(Operand::kInput, lane, bytes(here.input, first.input));
        layout.set_offset(Operand::kWeights, lane, bytes(here.weights, first.weights));
        layout.set_offset(Operand::kOutput, lane, bytes(here.output, first.output));
    }
}

/// Creates layouts whose lanes are neighbouring columns of one row of outputs, of one plane.
void DirectTiling::make_columns() {
    const DirectGeometry& g = geometry_;
    for (std::uint32_t x = 0; x < g.out_width; x += kLanes) {
        add_layout({0, 0, x, 0}, std::min(kLanes, g.out_width - x),
                   [&](std::uint32_t lane) { return LanePlace(g, 0, 0, 0, x + lane); });
    }
    row_tiles_ = ceil_div(g.out_height, config_.yseg);
    repeats_ = std::uint64_t{g.batch} * g.planes;
}

/// Creates layouts whose lanes are neighbouring columns of the planes of a group, continuing from
/// one plane to the next.
void DirectTiling::make_packed_columns() {
    const DirectGeometry& g = geometry_;
    const std::uint64_t columns = std::uint64_t{g.planes_per_group} * g.out_width;
    for (std::uint32_t group = 0; group < g.planes / g.planes_per_group; ++group) {
        for (std::uint64_t first = 0; first < columns; first += kLanes) {
            const auto plane = [&](std::uint64_t column) {
                return group * g.planes_per_group +
                       static_cast<std::uint32_t>(column / g.out_width);
            };
            const auto x = [&](std::uint64_t column) {
                return static_cast<std::uint32_t>(column % g.out_width);
            };
            add_layout({0, plane(first), x(first), 0},
                       static_cast<std::uint32_t>(std::min<std::uint64_t>(kLanes, columns - first)),
                       [&](std::uint32_t lane) {
                           return LanePlace(g, 0, plane(first + lane), 0, x(first + lane));
                       });
        }
    }
    row_tiles_ = ceil_div(g.out_height, config_.yseg);
    repeats_ = g.batch;
}

/// Creates layouts whose lanes are neighbouring pixels of a plane.
void DirectTiling::make_pixels() {
    const DirectGeometry& g = geometry_;
    const std::uint32_t pixels = g.out_height * g.out_width;
    for (std::uint32_t first = 0; first < pixels; first += kLanes) {
        add_layout({0, 0, first % g.out_width, first / g.out_width},
                   std::min(kLanes, pixels - first), [&](std::uint32_t lane) {
                       return LanePlace(g, 0, 0, (first + lane) / g.out_width,
                                        (first + lane) % g.out_width);
                   });
    }
    repeats_ = std::uint64_t{g.batch} * g.planes;
}

/// Creates layouts whose lanes are planes of a group.
void DirectTiling::make_planes() {
    const DirectGeometry& g = geometry_;
    for (std::uint32_t p = 0; p < g.planes; p += layouts_.back()->lanes()) {
        const std::uint32_t group_end = (p / g.planes_per_group + 1) * g.planes_per_group;
        add_layout({0, p, 0, 0}, std::min(kLanes, group_end - p),
                   [&](std::uint32_t lane) { return LanePlace(g, 0, p + lane, 0, 0); });
    }
    repeats_ = g.batch;
}

/// Creates layouts whose lanes are images.
void DirectTiling::make_images() {
    const DirectGeometry& g = geometry_;
    for (std::uint32_t n = 0; n < g.batch; n += kLanes) {
        add_layout({n, 0, 0, 0}, std::min(kLanes, g.batch - n),
                   [&](std::uint32_t lane) { return LanePlace(g, n + lane, 0, 0, 0); });
    }
    repeats_ = g.planes;
}

DirectTiling::DirectTiling(const DirectGeometry& geometry, const DirectConfig& config,
                           const AccessGranularity& granularity)
    : geometry_(geometry), config_(config), granularity_(granularity) {
    switch (config.mapping) {
        case DirectMapping::kColumn:
            make_columns();
            break;
        case DirectMapping::kPacked:
            make_packed_columns();
            break;
        case DirectMapping::kPixel:
            make_pixels();
            break;
        case DirectMapping::kPlane:
            make_planes();
            break;
        case DirectMapping::kImage:
            make_images();
            break;
    }
}

/// Layouts innermost, then rows, then planes, then images; with mapping image planes are outermost.
DirectTile DirectTiling::tile(std::uint32_t index) const {
    const DirectGeometry& g = geometry_;
    const auto layouts = static_cast<std::uint32_t>(layouts_.size());
    const std::uint32_t part = index % layouts;
    const std::uint32_t row_tile = index / layouts % row_tiles_;
    const std::uint32_t repeat = index / layouts / row_tiles_;
    const Start& start = starts_[part];
    DirectTile tile;
    tile.layout = layouts_[part].get();
    tile.image = start.image;
    tile.plane = start.plane;
    tile.column = start.column;
    tile.first_row = start.row;
    tile.end_row = start.row + 1;
    switch (config_.mapping) {
        case DirectMapping::kColumn:
        case DirectMapping::kPacked:
            tile.first_row = row_tile * config_.yseg;
            tile.end_row = std::min(tile.first_row + config_.yseg, g.out_height);
            break;
        case DirectMapping::kPixel:
            break;
        case DirectMapping::kPlane:
        case DirectMapping::kImage:
            tile.end_row = g.out_height;
            tile.columns = g.out_width;
            break;
    }
    switch (config_.mapping) {
        case DirectMapping::kColumn:
        case DirectMapping::kPixel:
            tile.image = repeat / g.planes;
            tile.plane = repeat % g.planes;
            break;
        case DirectMapping::kPacked:
        case DirectMapping::kPlane:
            tile.image = repeat;
            break;
        case DirectMapping::kImage:
            tile.plane = repeat;
            break;
    }
    return tile;
}

}  // namespace tessera
