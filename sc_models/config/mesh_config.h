// Configuration of the mesh between SMs and memory controllers.
#pragma once

#include <cstdint>

#include "sc_models/config/engine/config_visitor.h"

namespace tessera {

/// Nodes of the mesh with a memory controller.
enum class ControllerPlacement {
    kLastColumn,  ///< all nodes of the right edge: one controller per row
    kDiagonal     ///< one per row, shifted by one column from row to row
};

/// Two-dimensional mesh (opportunistic computing, Table I: 8 x 8 for 56 SMs and 8 controllers).
struct MeshConfig {
    std::uint32_t width = 8;
    std::uint32_t height = 8;
    std::uint32_t router_stages = 2;
    std::uint32_t link_cycles = 1;
    std::uint32_t flit_bytes = 16;
    std::uint32_t buffer_flits = 4;      ///< per virtual channel of one input
    std::uint32_t virtual_channels = 4;  ///< half of them for requests, half for replies
    std::uint32_t ejection_packets = 4;  ///< arrived packets per kind that wait for their node
    ControllerPlacement controllers = ControllerPlacement::kLastColumn;

    void bind(ConfigVisitor& v);
};

}  // namespace tessera
