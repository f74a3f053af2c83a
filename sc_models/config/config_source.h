// Layers of configuration text, read over the defaults of a struct.
#pragma once

#include <array>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/config/config_entries.h"
#include "sc_models/config/config_node.h"

namespace tessera {

/// What a piece of configuration describes, in the order in which pieces are read: later ones over
/// earlier ones, whatever the order in which they were given.
enum class ConfigPart {
    kRun,        ///< a whole run, every key of it, as a run writes it beside its results
    kGpu,        ///< a machine
    kMechanism,  ///< one of the mechanisms, and how kernels use it
    kWorkload,   ///< what runs: a layer, a product
    kSettings    ///< single keys over all that, in the order given
};
inline constexpr std::array<std::string_view, 5> kConfigPartNames = {"run", "gpu", "mechanism",
                                                                     "workload", "settings"};

/// One file, layer of a network or `--set`.
struct ConfigPiece {
    std::string name;  ///< as the user wrote it: "titan_v", "resnet.C2", "--set key=value"
    ConfigPart part = ConfigPart::kSettings;
    std::string mechanism;  ///< of a mechanism: which one its file says it is
    /// Whether every key must act: not one of the shipped descriptions, which are for many runs.
    bool from_user = true;
    ConfigNode body;
};

/// Where a run's configuration comes from: files, layers and `--set` assignments. Reading merges
/// them key by key in the order of their parts, checks every piece in full (also what a later one
/// overrides) and remembers for each key where it was last set, so that errors found afterwards can
/// still name the line. A file says at its top which part it is (`part: gpu`, or `part: mechanism`
/// and `mechanism: NAME`); one that does not holds settings. Knows no particular struct: anything
/// with `bind(ConfigVisitor&)` will do.
class ConfigSource {
public:
    /// A YAML file (a mapping, or empty). Throws ConfigError if it cannot be read or parsed.
    void add_file(const std::string& path);
    /// A file that was parsed before, with the name that results give it. Throws ConfigError if its
    /// header does not say which part it is.
    void add_parsed(ConfigNode body, std::string name, bool from_user);
    /// YAML text, with the name that errors give it.
    void add_text(const std::string& text, const std::string& name);
    /// `key.path=value` of the command line; the value is YAML.
    void add_set(const std::string& assignment);
    /// Something parsed already: settings.
    void add_node(ConfigNode node);
    void add_piece(ConfigPiece piece);

    /// In the order in which they are read.
    [[nodiscard]] const std::vector<ConfigPiece>& pieces() const { return pieces_; }
    /// The only piece of a part that a run has one of; null if there is none. Throws ConfigError,
    /// naming both, if there are two.
    [[nodiscard]] const ConfigPiece* only(ConfigPart part) const;

    /// Reads all layers over the defaults of `Struct`. Throws ConfigError at the first mistake.
    template <class Struct>
    [[nodiscard]] Struct load() {
        Struct config;
        read_into([&config](ConfigVisitor& v) { config.bind(v); });
        return config;
    }
    void read_into(const ConfigBinder& bind);

    /// Whether the last read found `path` in a piece.
    [[nodiscard]] bool is_set(std::string_view path) const;
    /// Where `path` was last set; a default if it was not.
    [[nodiscard]] SourceLocation where(std::string_view path) const;
    /// Names of the layer and the mechanisms, as far as there are such pieces ("resnet.C2 with
    /// duplo_paper"); "default" without any.
    [[nodiscard]] std::string what_runs() const;
    /// Keys that the user set himself, in the order of their names.
    [[nodiscard]] std::vector<std::string> user_keys() const;
    /// Throws the error that `keys` contradict each other, located at the one the user set last:
    /// "file:line:col: key: got 'value', expected <expected>". Where that is a line of the machine,
    /// which the workload does not suit, or a default, what runs is named in its place.
    [[noreturn]] void fail(std::initializer_list<std::string_view> keys,
                           std::string_view expected) const;
    /// Throws the error that nothing in the run reads `key`, which a user set, located there.
    [[noreturn]] void fail_unused(const std::string& key, const std::string& remedy) const;
    /// `error` of a block that knows no locations, "key.path: ...", with the place where that key
    /// was last set in front; unchanged if it does not start with a key.
    [[nodiscard]] ConfigError located(const ConfigError& error) const;

private:
    /// A key as it was last set.
    struct Setting {
        std::size_t order = 0;  ///< grows with piece, line and column
        SourceLocation location;
        ConfigPart part{};
        bool from_user = false;
    };

    /// `message`, with the name of the layer behind it unless `place` says it.
    [[nodiscard]] std::string with_layer(const SourceLocation& place, std::string message) const;

    std::vector<ConfigPiece> pieces_;
    std::map<std::string, Setting, std::less<>> settings_;
    std::map<std::string, std::string, std::less<>> values_;  ///< of all keys, after the last read
};

}  // namespace tessera
