// Layers of configuration text, read over the defaults of a struct.
#pragma once

#include <array>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/config/engine/config_entries.h"
#include "sc_models/config/engine/config_node.h"

namespace tessera {

/// Part of a run that a configuration piece describes, in reading order: later parts override
/// earlier ones, independently of the order given.
enum class ConfigPart {
    kRun,        ///< a whole run with every key, as written beside its results
    kGpu,        ///< a machine
    kMechanism,  ///< a mechanism, and its use by kernels
    kWorkload,   ///< workload: a layer, a product
    kSettings    ///< single keys that override the other parts, in the order given
};
inline constexpr std::array<std::string_view, 5> kConfigPartNames = {"run", "gpu", "mechanism",
                                                                     "workload", "settings"};

/// One file, layer of a network or `--set`.
struct ConfigPiece {
    std::string name;  ///< as written by the user: "titan_v", "resnet.C2", "--set key=value"
    ConfigPart part = ConfigPart::kSettings;
    std::string mechanism;  ///< name from the file's header; only for mechanisms
    /// Whether every key must be read; false for shipped descriptions, which serve many runs.
    bool from_user = true;
    ConfigNode body;
};

/// Configuration of a run from files, layers and `--set` assignments. Reading merges them key by
/// key in the order of their parts, checks every piece in full (also overridden values) and stores
/// for each key where it was last set, so that later errors can name the line. A file states its
/// part at its top (`part: gpu`, or `part: mechanism` and `mechanism: NAME`); otherwise it holds
/// settings. Works with any struct that has `bind(ConfigVisitor&)`.
class ConfigSource {
public:
    /// Adds a YAML file (a mapping, or empty). Throws ConfigError if it cannot be read or parsed.
    void add_file(const std::string& path);
    /// Adds a parsed file under its name in results. Throws ConfigError if its header has no valid
    /// part.
    void add_parsed(ConfigNode body, std::string name, bool from_user);
    /// Adds YAML text under its name in errors.
    void add_text(const std::string& text, const std::string& name);
    /// Adds `key.path=value` of the command line; the value is YAML.
    void add_set(const std::string& assignment);
    /// Adds a parsed node as settings.
    void add_node(ConfigNode node);
    void add_piece(ConfigPiece piece);

    /// Pieces in reading order.
    [[nodiscard]] const std::vector<ConfigPiece>& pieces() const { return pieces_; }
    /// The piece of a part that occurs at most once; null if there is none. Throws ConfigError
    /// naming both if there are two.
    [[nodiscard]] const ConfigPiece* only(ConfigPart part) const;

    /// Reads all pieces over the defaults of `Struct`. Throws ConfigError at the first error.
    template <class Struct>
    [[nodiscard]] Struct load() {
        Struct config;
        read_into([&config](ConfigVisitor& v) { config.bind(v); });
        return config;
    }
    void read_into(const ConfigBinder& bind);

    /// Whether the last read found `path` in a piece.
    [[nodiscard]] bool is_set(std::string_view path) const;
    /// Location where `path` was last set; a default location if unset.
    [[nodiscard]] SourceLocation where(std::string_view path) const;
    /// Names of the layer and the mechanisms, as far as present ("resnet.C2 with duplo_paper");
    /// "default" if there are none.
    [[nodiscard]] std::string what_runs() const;
    /// Keys set by the user, sorted by name.
    [[nodiscard]] std::vector<std::string> user_keys() const;
    /// Throws the error that `keys` contradict each other, located at the one the user set last:
    /// "file:line:col: key: got 'value', expected <expected>". If that is a line of the machine,
    /// which does not suit the workload, or a default, the error names what_runs() instead.
    [[noreturn]] void fail(std::initializer_list<std::string_view> keys,
                           std::string_view expected) const;
    /// Throws the error that `key` has no effect in the run, at the location where the user set it.
    [[noreturn]] void fail_unused(const std::string& key, const std::string& remedy) const;
    /// Adds the location of a key to `error` of a block without locations, "key.path: ...";
    /// unchanged if it does not start with a key.
    [[nodiscard]] ConfigError located(const ConfigError& error) const;

private:
    /// Last setting of a key.
    struct Setting {
        std::size_t order = 0;  ///< increases with piece, line and column
        SourceLocation location;
        ConfigPart part{};
        bool from_user = false;
    };

    /// Appends the layer's name to `message`, unless `place` includes it.
    [[nodiscard]] std::string with_layer(const SourceLocation& place, std::string message) const;

    std::vector<ConfigPiece> pieces_;
    std::map<std::string, Setting, std::less<>> settings_;
    std::map<std::string, std::string, std::less<>> values_;  ///< of all keys, after the last read
};

}  // namespace tessera
