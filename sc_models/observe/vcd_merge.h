// Several value change dumps made into one.
#pragma once

#include <string>
#include <vector>

namespace tessera {

/// A dump to be merged; the dots of `scope` make the hierarchy its own scopes go into.
struct VcdDump {
    std::string file, scope;
};

/// Puts `dumps` (whole files in femtoseconds) into the dump `file`: their scopes become part of its
/// hierarchy, their changes are sorted into its own by time. Afterwards the dumps are removed; a
/// dump that was never written counts as empty. Throws ConfigError if a file cannot be read or
/// written, CheckError if one is no dump.
void merge_vcd(const std::string& file, const std::vector<VcdDump>& dumps);

}  // namespace tessera
