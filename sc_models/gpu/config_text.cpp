#include "sc_models/gpu/config_text.h"

#include "sc_models/common/config_entries.h"
#include "sc_models/gpu/config_validation.h"
#include "sc_models/gpu/workload_kind.h"

namespace tessera {

Config load_config(ConfigSource& source) {
    settle_workload_kind(source);
    const auto config = source.load<Config>();
    validate(config, source);
    return config;
}

std::string to_yaml(const Config& config) {
    return entries_to_yaml(config_entries_of(config));
}

std::string run_to_yaml(const Config& config) {
    return "part: run\n" + to_yaml(config);
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
