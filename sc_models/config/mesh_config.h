// Configuration of the mesh between SMs and memory controllers.
#pragma once

#include <cstdint>

#include "sc_models/config/config_visitor.h"
#include "sc_models/config/knob.h"

namespace tessera {

/// Which nodes of the mesh have a memory controller.
enum class ControllerPlacement {
    kLastColumn,  ///< those at the right edge, a controller a row
    kDiagonal     ///< one in each row, a column further on from row to row
};

/// Two-dimensional mesh (opportunistic computing, Table I: 8 x 8 for 56 SMs and 8 controllers).
struct MeshConfig {
    Knob<std::uint32_t> width = 8;
    Knob<std::uint32_t> height = 8;
    Knob<std::uint32_t> router_stages = 2;
    Knob<std::uint32_t> link_cycles = 1;
    Knob<std::uint32_t> flit_bytes = 16;
    Knob<std::uint32_t> buffer_flits = 4;      ///< of one virtual channel at one input
    Knob<std::uint32_t> virtual_channels = 4;  ///< half of them for requests, half for replies
    Knob<std::uint32_t> ejection_packets =
        4;  ///< of a kind that have arrived and wait for their node
    Knob<ControllerPlacement> controllers = ControllerPlacement::kLastColumn;

    void bind(ConfigVisitor& v);
};

}  // namespace tessera
