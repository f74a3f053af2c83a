#include "sc_models/configure/config_catalog.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <utility>

#include "sc_models/common/edit_distance.h"
#include "sc_models/config/config.h"
#include "sc_models/config/engine/yaml_reader.h"

namespace tessera {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kConfigFolders = {"gpus", "mechanisms", "layers"};
constexpr std::string_view kNetworks = "networks";
constexpr std::string_view kExperiments = "experiments";
constexpr std::string_view kEnergy = "energy";
constexpr std::string_view kExtension = ".yaml", kShortExtension = ".yml";
constexpr std::string_view kModelExtension = ".onnx";

bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// fs::exists() that returns false for names no file can have, instead of throwing.
bool is_file(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

bool same_ignoring_case(std::string_view a, std::string_view b) {
    return a.size() == b.size() && edit_distance(a, b) == 0;
}

fs::path shipped_configs() {
    if (const char* chosen = std::getenv("TESSERA_CONFIG_DIR")) {
        if (fs::is_directory(chosen)) return chosen;
        throw ConfigError("TESSERA_CONFIG_DIR: got " + in_quotes(chosen) + ", expected a folder");
    }
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
    const fs::path beside = program.parent_path().parent_path() / "share" / "tessera" / "configs";
    for (const fs::path& place :
         {fs::path(TESSERA_SOURCE_CONFIG_DIR), beside, fs::path(TESSERA_INSTALL_CONFIG_DIR)}) {
        if (fs::is_directory(place, ignored)) return place;
    }
    throw ConfigError(
        "cannot find the shipped configurations; set TESSERA_CONFIG_DIR to their folder");
}

/// A parsed network file: a mapping `layers` from layer name to the geometry of a convolution or
/// the shape of a matrix product. A layer with sparsity becomes a sparse convolution or product.
class Network {
public:
    /// `root` must outlive this object.
    Network(const ConfigNode& root, std::string name)
        : name_(std::move(name)), layers_(root.find("layers")) {
        root.expect_mapping("");
        root.expect_keys("", {"description", "layers"});
        if (layers_ == nullptr) root.fail("layers", "missing, expected a mapping of layers");
        layers_->expect_mapping("layers");
    }

    static bool is_one(const ConfigNode& root) {
        return root.kind == ConfigNode::Kind::kMapping && root.find("layers") != nullptr;
    }
    [[nodiscard]] const std::vector<ConfigNode::Member>& layers() const { return layers_->members; }
    [[nodiscard]] std::string full_name(const ConfigNode::Member& layer) const {
        return name_ + "." + layer.key;
    }
    /// All settings of a layer. The mechanism also determines the kind of workload
    /// (workload_kind.h).
    [[nodiscard]] ConfigPiece piece(const ConfigNode::Member& layer) const {
        const std::string path = "layers." + layer.key;
        ConfigNode body = layer.value;
        body.expect_mapping(path);
        ConfigNode workload = empty_mapping(body.location);
        const bool product = body.find("m") != nullptr;
        const std::vector<std::string_view>& required = product ? kShape : kGeometry;
        std::vector<std::string_view> known = required;
        if (!product) known.insert(known.end(), kOptional.begin(), kOptional.end());
        known.emplace_back("sparse");
        body.expect_keys(path, known);
        for (const std::string_view key : required) {
            if (body.find(key) == nullptr) body.fail(path, "key " + in_quotes(key) + " is missing");
        }
        workload.add("sparse", layer.key_location, zeros(body));
        if (product) {
            ConfigNode name = empty_mapping(body.location);
            add_scalar(name, "name", full_name(layer));
            workload.add("layer", layer.key_location, std::move(name));
        } else {
            if (body.find("transposed") == nullptr) add_scalar(body, "transposed", "off");
            if (body.find("groups") == nullptr) add_scalar(body, "groups", "1");
            add_scalar(body, "name", full_name(layer));
            if (std::optional<ConfigNode> pass = body.take("pass")) {
                const SourceLocation location = pass->location;
                workload.add("pass", location, std::move(*pass));
            }
        }
        workload.add(product ? "gemm" : "layer", layer.key_location, std::move(body));
        ConfigPiece piece;
        piece.name = full_name(layer);
        piece.part = ConfigPart::kWorkload;
        piece.from_user = false;
        piece.body = nested_under("workload", std::move(workload));
        return piece;
    }

private:
    static const std::vector<std::string_view> kGeometry;  ///< required keys of a convolution
    static const std::vector<std::string_view> kOptional;  ///< optional keys of a convolution
    static const std::vector<std::string_view> kShape;     ///< required keys of a matrix product

    static ConfigNode empty_mapping(const SourceLocation& location) {
        ConfigNode node;
        node.kind = ConfigNode::Kind::kMapping;
        node.location = location;
        return node;
    }

    /// Removes the sparsity of the operands from a layer and returns it in full: missing values
    /// become no zeros (sparsity 0, uniform pattern).
    static ConfigNode zeros(ConfigNode& body) {
        ConfigNode sparse = empty_mapping(body.location);
        if (std::optional<ConfigNode> own = body.take("sparse")) {
            sparse = std::move(*own);
            sparse.expect_mapping("sparse");
        }
        for (const char* const operand : {"a", "b"}) {
            if (sparse.find(operand) == nullptr) {
                sparse.add(operand, sparse.location, empty_mapping(sparse.location));
            }
        }
        for (ConfigNode::Member& operand : sparse.members) {
            operand.value.expect_mapping("sparse." + operand.key);
            if (operand.value.find("sparsity") == nullptr) {
                add_scalar(operand.value, "sparsity", "0");
            }
            if (operand.value.find("pattern") == nullptr) {
                add_scalar(operand.value, "pattern", "uniform");
            }
        }
        return sparse;
    }

    static void add_scalar(ConfigNode& mapping, std::string key, std::string text) {
        ConfigNode value;
        value.kind = ConfigNode::Kind::kScalar;
        value.location = mapping.location;
        value.scalar = std::move(text);
        mapping.add(std::move(key), mapping.location, std::move(value));
    }

    std::string name_;
    const ConfigNode* layers_;
};

const std::vector<std::string_view> Network::kGeometry = {
    "batch",         "height",       "width", "channels", "filters",
    "filter_height", "filter_width", "pad",   "stride"};
const std::vector<std::string_view> Network::kOptional = {
    "transposed", "groups",    "pass",          "dilation",
    "pad_height", "pad_width", "stride_height", "stride_width"};
const std::vector<std::string_view> Network::kShape = {"m", "n", "k"};

}  // namespace

std::pair<std::string, std::string> split_layer(std::string_view argument) {
    // Names of a model's nodes may contain colons.
    constexpr std::string_view kLayerOfModel = ".onnx:";
    const std::size_t model = argument.find(kLayerOfModel);
    if (model != std::string_view::npos) {
        const std::size_t end = model + kLayerOfModel.size();
        return {std::string(argument.substr(0, end - 1)), std::string(argument.substr(end))};
    }
    const std::size_t colon = argument.rfind(':');
    if (colon != std::string_view::npos) {
        const std::string_view path = argument.substr(0, colon);
        if (ends_with(path, kExtension) || ends_with(path, kShortExtension)) {
            return {std::string(path), std::string(argument.substr(colon + 1))};
        }
    }
    return {std::string(argument), ""};
}

bool is_model_path(std::string_view argument) {
    return ends_with(split_layer(argument).first, kModelExtension);
}

bool is_config_path(std::string_view argument) {
    const std::string path = split_layer(argument).first;
    return argument.find('/') != std::string_view::npos || ends_with(path, kExtension) ||
           ends_with(path, kShortExtension) || is_model_path(argument);
}

std::string layer_name(const std::string& argument) {
    const auto [path, layer] = split_layer(argument);
    return layer.empty() ? argument : fs::path(path).stem().string() + "." + layer;
}

ConfigCatalog::ConfigCatalog() : ConfigCatalog(shipped_configs()) {}

ConfigCatalog::ConfigCatalog(std::filesystem::path root) : root_(std::move(root)) {}

std::filesystem::path ConfigCatalog::file(std::string_view folder, std::string_view name) const {
    return root_ / folder / (std::string(name) + std::string(kExtension));
}

const ConfigNode& ConfigCatalog::parsed(const std::filesystem::path& path) const {
    auto found = parsed_.find(path);
    if (found == parsed_.end()) {
        found = parsed_.emplace(path, parse_yaml_file(path.string())).first;
    }
    return found->second;
}

std::vector<std::string> ConfigCatalog::names(std::string_view folder) const {
    std::vector<std::string> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root_ / folder, error)) {
        if (entry.path().extension() == kExtension) found.push_back(entry.path().stem().string());
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<std::string> ConfigCatalog::layers(std::string_view network) const {
    if (is_config_path(network)) {
        const Network given(parsed(network), fs::path(network).stem().string());
        std::vector<std::string> found;
        for (const auto& layer : given.layers()) {
            found.push_back(std::string(network) + ":" + layer.key);
        }
        return found;
    }
    const std::vector<std::string> known = names(kNetworks);
    for (const std::string& name : known) {
        if (!same_ignoring_case(name, network)) continue;
        std::vector<std::string> found;
        const Network shipped(parsed(file(kNetworks, name)), name);
        for (const auto& layer : shipped.layers()) found.push_back(shipped.full_name(layer));
        return found;
    }
    const std::vector<std::string_view> views(known.begin(), known.end());
    throw ConfigError("got network " + in_quotes(network) + ", expected one of " +
                      braced_list(views) + did_you_mean(network, views));
}

bool ConfigCatalog::add_layer(ConfigSource& source, const std::string& argument) const {
    const std::size_t dot = argument.find('.');
    const std::string_view network = std::string_view(argument).substr(0, dot);
    for (const std::string& name : names(kNetworks)) {
        if (!same_ignoring_case(name, network)) continue;
        const Network shipped(parsed(file(kNetworks, name)), name);
        std::vector<std::string> full_names;
        for (const auto& layer : shipped.layers()) {
            full_names.push_back(shipped.full_name(layer));
            if (!same_ignoring_case(full_names.back(), argument)) continue;
            source.add_piece(shipped.piece(layer));
            return true;
        }
        const std::vector<std::string_view> known(full_names.begin(), full_names.end());
        throw ConfigError((dot == std::string::npos ? "got network " : "got layer ") +
                          in_quotes(argument) + ", expected one of " + braced_list(known) +
                          (dot == std::string::npos ? "" : did_you_mean(argument, known)));
    }
    return false;
}

void ConfigCatalog::add_file(ConfigSource& source, const std::string& argument) const {
    if (is_model_path(argument)) {
        throw ConfigError("got " + in_quotes(argument) +
                          ", a model in ONNX, which tessera run, sweep and network take; expected "
                          "a configuration");
    }
    const auto [path, name] = split_layer(argument);
    const ConfigNode& root = parsed(path);
    if (name.empty() && !Network::is_one(root)) {
        source.add_parsed(root, path, true);
        return;
    }
    const Network network(root, fs::path(path).stem().string());
    std::vector<std::string_view> known;
    for (const auto& layer : network.layers()) {
        known.push_back(layer.key);
        if (layer.key != name && !(name.empty() && network.layers().size() == 1)) continue;
        source.add_piece(network.piece(layer));
        return;
    }
    throw ConfigError(path + ": got " + (name.empty() ? "no layer" : "layer " + in_quotes(name)) +
                      ", expected " + path + ":LAYER with one of " + braced_list(known) +
                      (name.empty() ? "" : did_you_mean(name, known)));
}

void ConfigCatalog::add_to(ConfigSource& source, const std::string& argument) const {
    if (is_config_path(argument)) {
        add_file(source, argument);
        return;
    }
    for (const std::string_view folder : kConfigFolders) {
        if (!is_file(file(folder, argument))) continue;
        source.add_parsed(parsed(file(folder, argument)), argument, false);
        return;
    }
    if (add_layer(source, argument)) return;
    if (is_file(file(kExperiments, argument))) {
        throw ConfigError(in_quotes(argument) +
                          " is an experiment, not a configuration; run it with: tessera sweep " +
                          argument);
    }
    fail_unknown(argument);
}

std::string ConfigCatalog::experiment_file(const std::string& argument) const {
    if (is_config_path(argument)) return argument;
    if (is_file(file(kExperiments, argument))) return file(kExperiments, argument).string();
    const std::vector<std::string> known = names(kExperiments);
    const std::vector<std::string_view> views(known.begin(), known.end());
    throw ConfigError("got experiment " + in_quotes(argument) +
                      ", expected a YAML file or one of " + braced_list(views) +
                      did_you_mean(argument, views));
}

std::string ConfigCatalog::energy_table(const std::string& argument) const {
    const bool path = is_config_path(argument);
    const std::filesystem::path found = path ? fs::path(argument) : file(kEnergy, argument);
    if (is_file(found)) return found.string();
    std::vector<std::string> known = names(kEnergy);
    known.insert(known.begin(), std::string(kNoEnergyTable));
    const std::vector<std::string_view> views(known.begin(), known.end());
    throw ConfigError("gpu.energy_table: got " + in_quotes(argument) +
                      ", expected a YAML file or one of " + braced_list(views) +
                      (path ? "" : did_you_mean(argument, views)));
}

void ConfigCatalog::fail_unknown(const std::string& argument) const {
    std::vector<std::string> known;
    for (const std::string_view folder : kConfigFolders) {
        for (std::string& name : names(folder)) known.push_back(std::move(name));
    }
    for (const std::string& network : names(kNetworks)) {
        for (std::string& layer : layers(network)) known.push_back(std::move(layer));
    }
    const std::vector<std::string_view> views(known.begin(), known.end());
    throw ConfigError("unknown configuration " + in_quotes(argument) +
                      did_you_mean(argument, views) +
                      "; expected a YAML file, a layer such as resnet.C2, or a name from " +
                      root_.string() + "/{gpus,mechanisms,layers}");
}

}  // namespace tessera
