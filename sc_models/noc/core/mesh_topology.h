// Topology of a mesh: positions of SMs and memory controllers, and routing.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/config/mesh_config.h"

namespace tessera {

using NodeId = Id<struct NodeTag>;  ///< node of a mesh, row by row

/// Ports of a router. A packet travels along its row first, then along its column (XY routing).
enum class MeshDirection : std::uint8_t { kWest, kEast, kNorth, kSouth, kLocal };
inline constexpr std::uint32_t kMeshPorts = 5;

/// Memory controllers are at the configured nodes, SMs at the other nodes, row by row in the order
/// of their number: with a controller at the end of each row of 8, SMs 7r to 7r+6 share row r.
class MeshTopology {
public:
    /// Throws ConfigError, naming the key, if the controllers do not fill rows evenly or there are
    /// fewer nodes than SMs and controllers.
    MeshTopology(const MeshConfig& config, std::uint32_t sms, std::uint32_t controllers);

    [[nodiscard]] std::uint32_t nodes() const { return width_ * height_; }
    [[nodiscard]] std::uint32_t width() const { return width_; }
    [[nodiscard]] NodeId of_sm(SmId sm) const { return sms_[sm.value()]; }
    [[nodiscard]] NodeId of_controller(std::uint32_t index) const { return controllers_[index]; }
    [[nodiscard]] std::uint32_t column(NodeId node) const { return node.value() % width_; }
    [[nodiscard]] std::uint32_t row(NodeId node) const { return node.value() / width_; }
    /// Returns the number of router-to-router links on the path.
    [[nodiscard]] std::uint32_t hops(NodeId from, NodeId to) const;
    /// Returns the output of the router at `at` for a packet to `to`.
    [[nodiscard]] MeshDirection next(NodeId at, NodeId to) const;
    /// Calls `visit(node, port)` for all routers on the path except the last, in routing order.
    template <class Visit>
    void for_each_hop(NodeId from, NodeId to, Visit&& visit) const {
        std::uint32_t node = from.value();
        const auto go = [&](std::uint32_t at, std::uint32_t end, MeshDirection less,
                            MeshDirection more, std::uint32_t apart) {
            for (; at < end; ++at, node += apart) visit(NodeId(node), more);
            for (; at > end; --at, node -= apart) visit(NodeId(node), less);
        };
        go(column(from), column(to), MeshDirection::kWest, MeshDirection::kEast, 1);
        go(row(from), row(to), MeshDirection::kNorth, MeshDirection::kSouth, width_);
    }
    /// Returns the node behind a port; invalid for kLocal and at the edges.
    [[nodiscard]] NodeId neighbour(NodeId node, MeshDirection port) const;

private:
    std::uint32_t width_, height_;
    std::vector<NodeId> sms_, controllers_;
};

}  // namespace tessera
