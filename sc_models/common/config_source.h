// Layers of configuration text, read over the defaults of a struct.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/common/config_entries.h"
#include "sc_models/common/config_node.h"

namespace tessera {

/// Where a run's configuration comes from: files and `--set` assignments in the order given.
/// Reading merges them key by key, later ones over earlier ones, checks every layer in full (also
/// what a later layer overrides) and remembers for each key where it was last set, so that errors
/// found afterwards can still name the line. Knows no particular struct: anything with
/// `bind(ConfigVisitor&)` will do.
class ConfigSource {
public:
    /// A YAML file (a mapping, or empty). Throws ConfigError if it cannot be read or parsed.
    void add_file(const std::string& path);
    /// YAML text, with the name that errors give it.
    void add_text(const std::string& text, const std::string& name);
    /// `key.path=value` of the command line; the value is YAML.
    void add_set(const std::string& assignment);
    /// Something parsed already.
    void add_node(ConfigNode node);

    /// Reads all layers over the defaults of `Struct`. Throws ConfigError at the first mistake.
    template <class Struct>
    [[nodiscard]] Struct load() {
        Struct config;
        read_into([&config](ConfigVisitor& v) { config.bind(v); });
        return config;
    }
    void read_into(const ConfigBinder& bind);

    /// Whether the last read found `path` in a layer.
    [[nodiscard]] bool is_set(std::string_view path) const;
    /// Where `path` was last set; a default if it was not.
    [[nodiscard]] SourceLocation where(std::string_view path) const;
    /// Throws the error that `keys` contradict each other, located at the one the user set last:
    /// "file:line:col: key: got 'value', expected <expected>".
    [[noreturn]] void fail(std::initializer_list<std::string_view> keys,
                           std::string_view expected) const;
    /// `error` of a block that knows no locations, "key.path: ...", with the place where that key
    /// was last set in front; unchanged if it does not start with a key.
    [[nodiscard]] ConfigError located(const ConfigError& error) const;

private:
    /// A key as it was last set.
    struct Setting {
        std::size_t order;  ///< grows with layer, line and column
        SourceLocation location;
    };

    std::vector<ConfigNode> layers_;
    std::map<std::string, Setting, std::less<>> settings_;
    std::map<std::string, std::string, std::less<>> values_;  ///< of all keys, after the last read
};

}  // namespace tessera
