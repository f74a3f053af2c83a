#include "sc_models/noc/core/mesh_topology.h"

#include <algorithm>
#include <string>

#include "sc_models/common/error.h"

namespace tessera {

MeshTopology::MeshTopology(const MeshConfig& config, std::uint32_t sms, std::uint32_t controllers)
    : width_(config.width), height_(config.height) {
    if (sms + controllers > nodes()) {
        throw ConfigError("noc.mesh.width: a mesh of " + std::to_string(width_) + " x " +
                          std::to_string(height_) + " has fewer nodes than gpu.sms (" +
                          std::to_string(sms) + ") and dram.channels (" +
                          std::to_string(controllers) + ") need together");
    }
    const bool even = controllers < height_ ? controllers == 0 || height_ % controllers == 0
                                            : controllers % height_ == 0;
    if (!even) {
        throw ConfigError("noc.mesh.height: " + std::to_string(height_) +
                          " rows cannot share dram.channels (" + std::to_string(controllers) +
                          ") evenly");
    }
    const std::uint32_t rows_apart = std::max(height_ / std::max(controllers, 1U), 1U);
    std::vector<bool> taken(nodes(), false);
    for (std::uint32_t i = 0; i < controllers; ++i) {
        const std::uint32_t row = i * rows_apart % height_;
        const std::uint32_t layer = i * rows_apart / height_;
        const std::uint32_t last = width_ - 1 - layer;
        const std::uint32_t column =
            config.controllers == ControllerPlacement::kLastColumn ? last : (row + layer) % width_;
        controllers_.emplace_back(row * width_ + column);
        taken[controllers_.back().value()] = true;
    }
    for (std::uint32_t node = 0; sms_.size() < sms; ++node) {
        if (!taken[node]) sms_.emplace_back(node);
    }
}

std::uint32_t MeshTopology::hops(NodeId from, NodeId to) const {
    const auto distance = [](std::uint32_t a, std::uint32_t b) { return a < b ? b - a : a - b; };
    return distance(column(from), column(to)) + distance(row(from), row(to));
}

MeshDirection MeshTopology::next(NodeId at, NodeId to) const {
    if (column(to) < column(at)) return MeshDirection::kWest;
    if (column(to) > column(at)) return MeshDirection::kEast;
    if (row(to) < row(at)) return MeshDirection::kNorth;
    if (row(to) > row(at)) return MeshDirection::kSouth;
    return MeshDirection::kLocal;
}

NodeId MeshTopology::neighbour(NodeId node, MeshDirection port) const {
    switch (port) {
        case MeshDirection::kWest:
            return column(node) == 0 ? NodeId() : NodeId(node.value() - 1);
        case MeshDirection::kEast:
            return column(node) + 1 == width_ ? NodeId() : NodeId(node.value() + 1);
        case MeshDirection::kNorth:
            return row(node) == 0 ? NodeId() : NodeId(node.value() - width_);
        case MeshDirection::kSouth:
            return row(node) + 1 == height_ ? NodeId() : NodeId(node.value() + width_);
        case MeshDirection::kLocal:
            break;
    }
    return NodeId();
}

}  // namespace tessera
