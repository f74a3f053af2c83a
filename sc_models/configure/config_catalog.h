// Catalog of configurations by name: files of the configs folder and layers of its networks.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sc_models/config/engine/config_node.h"
#include "sc_models/config/engine/config_source.h"

namespace tessera {

/// Whether an argument is a path rather than a name; a layer of a network file (`net.yaml:conv1`)
/// also counts as a path.
[[nodiscard]] bool is_config_path(std::string_view argument);

/// Splits `some/net.yaml:conv1` or `some/model.onnx:conv1` into path and layer; the layer of other
/// arguments is empty.
[[nodiscard]] std::pair<std::string, std::string> split_layer(std::string_view argument);

/// Whether an argument is an ONNX model or a layer of one. The catalog holds none; commands that
/// accept models convert them to configurations.
[[nodiscard]] bool is_model_path(std::string_view argument);

/// Name of a layer in results: `net.conv1` for `some/net.yaml:conv1`, others unchanged.
[[nodiscard]] std::string layer_name(const std::string& argument);

/// Resolves names of the command line: the path of a YAML file, the short name of a file
/// (`duplo_paper` for mechanisms/duplo_paper.yaml) or a layer of a network, shipped (`resnet.C2`)
/// or at any path (`some/net.yaml:conv1`; the path is enough for a network with one layer). Names
/// of shipped networks and their layers are case-insensitive.
class ConfigCatalog {
public:
    /// Finds the folder of the shipped configurations: TESSERA_CONFIG_DIR of the environment, else
    /// the source tree of the build, else share/tessera/configs beside the program or at the
    /// install prefix. Throws ConfigError if there is none.
    ConfigCatalog();
    explicit ConfigCatalog(std::filesystem::path root);

    [[nodiscard]] const std::filesystem::path& root() const { return root_; }

    /// Adds the configuration named by `argument` as the next layer of `source`. Throws ConfigError
    /// with the nearest name if there is none.
    void add_to(ConfigSource& source, const std::string& argument) const;
    /// File of an experiment, from a path or a short name. Throws ConfigError likewise.
    [[nodiscard]] std::string experiment_file(const std::string& argument) const;

    /// File of an energy table (gpu.energy_table), from a path or a short name. Throws ConfigError
    /// likewise.
    [[nodiscard]] std::string energy_table(const std::string& argument) const;

    /// Short names of the files in a folder of the root (`gpus`, `mechanisms`, `layers`,
    /// `networks`, `experiments`, `energy`), sorted.
    [[nodiscard]] std::vector<std::string> names(std::string_view folder) const;
    /// Layers of a network as arguments of add_to() (`resnet.C1`, `some/net.yaml:conv1`), in file
    /// order; `network` is a short name or a path.
    [[nodiscard]] std::vector<std::string> layers(std::string_view network) const;

private:
    [[nodiscard]] std::filesystem::path file(std::string_view folder, std::string_view name) const;
    /// Parses a file once and returns the cached copy afterwards: plans of thousands of runs name
    /// the same few files.
    const ConfigNode& parsed(const std::filesystem::path& path) const;
    /// Adds the layer and returns true if `argument` names one; throws ConfigError for an unknown
    /// layer of a known network.
    bool add_layer(ConfigSource& source, const std::string& argument) const;
    void add_file(ConfigSource& source, const std::string& argument) const;
    [[noreturn]] void fail_unknown(const std::string& argument) const;

    std::filesystem::path root_;
    mutable std::map<std::filesystem::path, ConfigNode> parsed_;
};

}  // namespace tessera
