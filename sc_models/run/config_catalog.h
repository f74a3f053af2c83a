// Configurations by name: files of the configs folder and layers of its networks.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sc_models/config/config_node.h"
#include "sc_models/config/config_source.h"

namespace tessera {

/// Whether an argument is meant as a path rather than a name; a layer of a network file
/// (`net.yaml:conv1`) is one, too.
[[nodiscard]] bool is_config_path(std::string_view argument);

/// Path and layer of `some/net.yaml:conv1` or `some/model.onnx:conv1`; others have no layer.
[[nodiscard]] std::pair<std::string, std::string> split_layer(std::string_view argument);

/// Whether an argument is an ONNX model, or a layer of one. The catalog knows none: a command that
/// takes them makes configurations of them.
[[nodiscard]] bool is_model_path(std::string_view argument);

/// What results call a layer: `net.conv1` for `some/net.yaml:conv1`, any other as it is.
[[nodiscard]] std::string layer_name(const std::string& argument);

/// The value of gpu.energy_table that stands for none.
inline constexpr std::string_view kNoEnergyTable = "none";

/// Finds what a user names on the command line: the path of a YAML file, the short name of a file
/// (`duplo_paper` for mechanisms/duplo_paper.yaml) or a layer of a network, shipped (`resnet.C2`)
/// or at any path (`some/net.yaml:conv1`; of a network with one layer the path will do). Shipped
/// networks and their layers are found in any case.
class ConfigCatalog {
public:
    /// Where the shipped configurations are: TESSERA_CONFIG_DIR of the environment, else the source
    /// tree this program was built from, else share/tessera/configs beside the program or where it
    /// was to be installed. Throws ConfigError if there is no such folder.
    ConfigCatalog();
    explicit ConfigCatalog(std::filesystem::path root);

    [[nodiscard]] const std::filesystem::path& root() const { return root_; }

    /// Adds the configuration `argument` names as the next layer of `source`. Throws ConfigError if
    /// there is none, naming the nearest.
    void add_to(ConfigSource& source, const std::string& argument) const;
    /// The file of an experiment: a path or a short name. Throws ConfigError likewise.
    [[nodiscard]] std::string experiment_file(const std::string& argument) const;

    /// The file of an energy table (gpu.energy_table): a path or a short name. Throws ConfigError
    /// likewise.
    [[nodiscard]] std::string energy_table(const std::string& argument) const;

    /// Short names of the files in a folder of the root (`gpus`, `mechanisms`, `layers`,
    /// `networks`, `experiments`, `energy`), sorted.
    [[nodiscard]] std::vector<std::string> names(std::string_view folder) const;
    /// A network's layers as arguments of add_to (`resnet.C1`, `some/net.yaml:conv1`), in the order
    /// of its file; `network` is a short name or a path.
    [[nodiscard]] std::vector<std::string> layers(std::string_view network) const;

private:
    [[nodiscard]] std::filesystem::path file(std::string_view folder, std::string_view name) const;
    /// A file as it was when it was first asked for: plans of thousands of runs name the same few.
    const ConfigNode& parsed(const std::filesystem::path& path) const;
    /// Adds the layer and returns true if `argument` names one; an unknown layer of a known network
    /// is an error already.
    bool add_layer(ConfigSource& source, const std::string& argument) const;
    void add_file(ConfigSource& source, const std::string& argument) const;
    [[noreturn]] void fail_unknown(const std::string& argument) const;

    std::filesystem::path root_;
    mutable std::map<std::filesystem::path, ConfigNode> parsed_;
};

}  // namespace tessera
