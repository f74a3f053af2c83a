#include "sc_models/config/mesh_config.h"

#include "sc_models/config/key_conditions.h"

namespace tessera {

void MeshConfig::bind(ConfigVisitor& v) {
    v.integer("width", width, 1, 64, "Nodes of a row (opportunistic computing, Table I: 8).");
    v.integer("height", height, 1, 64, "Rows of nodes (opportunistic computing, Table I: 8).");
    v.integer("router_stages", router_stages, 2, 16,
              "Cycles of a flit in a router that it need not wait in (opportunistic computing, "
              "Table I: 2).");
    v.integer("link_cycles", link_cycles, 1, 16,
              "Cycles of a flit between two routers, and of a credit back (opportunistic "
              "computing, Table I: 1).");
    v.integer("flit_bytes", flit_bytes, 4, 128,
              "Data a flit carries and a link moves a cycle; a packet has one more flit, its "
              "header (opportunistic computing, Table I: 16).");
    v.integer("buffer_flits", buffer_flits, 1, 1024,
              "Flits that one virtual channel at one input of a router holds; a full one stops "
              "the router before it (opportunistic computing, Table I: 4).");
    v.integer("virtual_channels", virtual_channels, 2, 12,
              "Virtual channels of a link, an even number: half for requests, half for replies.");
    v.acts_if(acts::kApproximatelyTimed)
        .integer(
            "ejection_packets", ejection_packets, 1, 65536,
            "Packets of requests, and as many of replies, that have arrived and wait until their "
            "node takes them.");
    v.choice("controllers", controllers,
             {{"last_column", ControllerPlacement::kLastColumn},
              {"diagonal", ControllerPlacement::kDiagonal}},
             "Where memory controllers sit: at the end of each row, or along the diagonal.");
}

}  // namespace tessera
