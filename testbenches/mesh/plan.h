// Description and coverage plan of the testbench of the mesh.
#pragma once

#include "sc_models/common/types.h"
#include "testbenches/harness/coverage.h"
#include "testbenches/harness/description.h"
#include "testbenches/mesh/mesh_stimulus.h"

namespace tessera::testbench {

inline constexpr Cycle kMemory = 100;          ///< latency of the memories, in cycles
inline constexpr std::uint32_t kLine = 128;    ///< largest access of the random stimulus, in bytes
inline constexpr std::uint32_t kLongest = 12;  ///< flits of the longest message
inline constexpr Address kOwn = Address{1} << 24U;  ///< bytes of memory that an SM has to itself
inline constexpr Cycle kBlocked = 600;              ///< cycles for which a memory withholds END_REQ

inline Description description() {
    Description d;
    d.name = "mesh";
    d.module = "mesh between SMs and memory controllers: wormhole routers, XY routing";
    d.operation = "packets";
    d.sections = {"noc"};
    d.count = 6000;
    d.columns = mesh_columns();
    d.errors = {{"slow_links", "links take one cycle more than noc.mesh.link_cycles"},
                {"wide_flits", "flits have twice noc.mesh.flit_bytes"},
                {"misplaced_controllers", "memory controllers are at other nodes"},
                {"one_network", "reply messages travel on the network of the requests"},
                {"lost_message", "an SM loses every 16th message"},
                {"swapped_messages", "every 16th message of an SM arrives after the next one"}};
    d.has_curve = true;
    d.view = "mesh_testbench.gtkw";
    return d;
}

/// Situations that a run must reach.
struct Bins {
    Coverage& coverage;
    Coverage::Bin read = coverage.add("read", "a read: short request, reply with data");
    Coverage::Bin write = coverage.add("write", "a write: request with data, short reply");
    Coverage::Bin message = coverage.add("message", "a message between two SMs");
    Coverage::Bin unaligned = coverage.add("unaligned", "data that does not fill its last flit");
    Coverage::Bin own = coverage.add("own_node", "a message to the node that sends it");
    Coverage::Bin west = coverage.add("west", "a packet that goes west");
    Coverage::Bin east = coverage.add("east", "a packet that goes east");
    Coverage::Bin north = coverage.add("north", "a packet that goes north");
    Coverage::Bin south = coverage.add("south", "a packet that goes south");
    Coverage::Bin turn = coverage.add("turn", "a packet that turns from its row into a column");
    Coverage::Bin farthest = coverage.add("farthest", "a packet from corner to corner");
    Coverage::Bin longer_than_buffer =
        coverage.add("longer_than_buffer", "a packet with more flits than a buffer");
    Coverage::Bin contiguous =
        coverage.add("contiguous", "flits of a lone packet that arrive one a cycle");
};

}  // namespace tessera::testbench
