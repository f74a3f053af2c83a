// Where the values of a machine come from.
#pragma once

#include <string>
#include <vector>

#include "sc_models/config/config.h"
#include "sc_models/config/config_source.h"
#include "sc_models/run/config_catalog.h"

namespace tessera {

/// One value of a machine: what set it, and the source that is given for it there.
struct ValueSource {
    std::string key, value;
    std::string from;    ///< short name or path of a file, "--set", or "default"
    std::string source;  ///< the comment behind the value in that file; empty: none is given
};

/// Every key of the machine (not of mechanisms, workload or logging) in schema order. A source is
/// the comment behind a value on its line, going on in lines that hold nothing but a comment in the
/// same column; that of a default is the one in gpus/duplo_titan_v.yaml, which holds the defaults.
/// `source` is what `config` was loaded from.
[[nodiscard]] std::vector<ValueSource> value_sources(const Config& config,
                                                     const ConfigSource& source,
                                                     const ConfigCatalog& catalog);

/// The same as aligned text.
[[nodiscard]] std::string value_sources_text(const std::vector<ValueSource>& values);

}  // namespace tessera
