#include "sc_models/gpu/config_text.h"

#include "sc_models/common/config_entries.h"
#include "sc_models/gpu/config_validation.h"

namespace tessera {

Config load_config(ConfigSource& source) {
    const auto config = source.load<Config>();
    validate(config, source);
    return config;
}

std::string to_yaml(const Config& config) {
    return entries_to_yaml(config_entries_of(config));
}

std::string list_config_keys() {
    return entries_to_table(config_entries_of(Config{}));
}

std::string config_hash(const Config& config) {
    Config relevant = config;
    relevant.logging = LoggingConfig{};
    return fnv1a_hex(to_yaml(relevant));
}

}  // namespace tessera
