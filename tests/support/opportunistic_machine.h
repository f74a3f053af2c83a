// Machine of the tests of opportunistic computing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_models/config/engine/config_source.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/config_text.h"
#include "sc_models/run/simulation.h"

namespace tessera::test {

using Sets = std::vector<std::string>;

/// The 56-SM machine with exact values.
inline Config machine(const std::string& layer, const Sets& sets) {
    const ConfigCatalog catalog;
    ConfigSource source;
    for (const std::string& name : {std::string("gtx480_56sm"), layer}) {
        catalog.add_to(source, name);
    }
    for (const char* set :
         {"values=on", "workload.activations=dyadic", "workload.weights=dyadic"}) {
        source.add_set(set);
    }
    for (const std::string& set : sets) source.add_set(set);
    return load_config(source);
}

/// Returns a counter of the last kernel, by its path in the statistics.
inline std::uint64_t number(const RunReport& report, const std::string& path) {
    return report.kernels.back()
        .statistics.at(nlohmann::ordered_json::json_pointer(path))
        .get<std::uint64_t>();
}

}  // namespace tessera::test
