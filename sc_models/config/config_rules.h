// Base class of the configuration rules.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "sc_models/common/error.h"
#include "sc_models/common/types.h"
#include "sc_models/config/config.h"
#include "sc_models/config/engine/config_source.h"

namespace tessera {

/// Rules between keys. The first violated rule throws the ConfigError of ConfigSource::fail.
class ConfigRules {
protected:
    using Keys = std::initializer_list<std::string_view>;

    ConfigRules(const Config& config, const ConfigSource& source) : c_(config), source_(source) {}

    void require(bool good, Keys keys, const std::string& expected) const {
        if (!good) source_.fail(keys, expected);
    }
    void require_power_of_two(std::uint64_t value, std::string_view key) const {
        require(is_power_of_two(value), {key}, "a power of two");
    }
    /// Calls `block`, which may refuse keys, and adds the location of the key to its error.
    template <class Block>
    void locate_errors(const Block& block) const {
        try {
            block();
        } catch (const ConfigError& error) {
            throw source_.located(error);
        }
    }
    static std::string number(std::uint64_t value) { return std::to_string(value); }

    const Config& c_;
    const ConfigSource& source_;
};

}  // namespace tessera
