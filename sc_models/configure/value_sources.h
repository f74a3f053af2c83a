// Sources of a machine's values.
#pragma once

#include <string>
#include <vector>

#include "sc_models/config/config.h"
#include "sc_models/config/engine/config_source.h"
#include "sc_models/configure/config_catalog.h"

namespace tessera {

/// A value of a machine, the place where it was set, and the source documented there.
struct ValueSource {
    std::string key, value;
    std::string from;    ///< short name or path of a file, "--set", or "default"
    std::string source;  ///< comment after the value in that file; empty if there is none
};

/// Every key of the machine (not of mechanisms, workload or logging) in schema order. The source is
/// the comment after a value on its line, continued by lines with only a comment in the same
/// column. For a default it is the comment in gpus/duplo_titan_v.yaml, which holds the defaults.
/// `source` is the source of `config`.
[[nodiscard]] std::vector<ValueSource> value_sources(const Config& config,
                                                     const ConfigSource& source,
                                                     const ConfigCatalog& catalog);

/// value_sources() as aligned text.
[[nodiscard]] std::string value_sources_text(const std::vector<ValueSource>& values);

}  // namespace tessera
