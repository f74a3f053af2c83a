// Reads a Chrome-trace file back, for tests of timelines.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace tessera::test {

struct TraceSpan {
    std::string name;
    std::uint64_t begin, end;
    std::string args = {};  ///< JSON; empty: none
};
/// Complete events by track ("SM 0/LDST unit"), in the order of the file. Throws std::runtime_error
/// if an event lacks what viewers need.
using TraceTracks = std::map<std::string, std::vector<TraceSpan>>;
[[nodiscard]] TraceTracks read_tracks(const nlohmann::json& trace);

/// A line for each span that overlaps another one of its track without one holding the other.
[[nodiscard]] std::vector<std::string> partial_overlaps(const TraceTracks& tracks);

}  // namespace tessera::test
