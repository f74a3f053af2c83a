#include "sc_models/configure/config_text.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "sc_models/config/engine/config_entries.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/config_use.h"
#include "sc_models/configure/config_validation.h"
#include "sc_models/configure/workload_kind.h"
#include "sc_models/sparse/matrix_market.h"

namespace tessera {
namespace {

struct PathKey {
    std::string_view key;
    std::string& (*value)(Config& config);
};
constexpr std::string_view kEnergyTable = "gpu.energy_table";  ///< a path or a short name
constexpr std::array<PathKey, 5> kPathKeys = {{
    {kEnergyTable, [](Config& c) -> std::string& { return c.gpu.energy_table; }},
    {"workload.trace", [](Config& c) -> std::string& { return c.workload.trace; }},
    {"workload.sparse.a.file", [](Config& c) -> std::string& { return c.workload.sparse.a.file; }},
    {"workload.sparse.b.file", [](Config& c) -> std::string& { return c.workload.sparse.b.file; }},
    {"workload.given.file", [](Config& c) -> std::string& { return c.workload.given.file; }},
}};

const std::string kIsRun = "part: run\n";

std::string lower(std::string_view text) {
    std::string out;
    for (const char c : text) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

/// Sets the sizes of a sparse product that no piece sets to those of the operands' files. Throws
/// ConfigError for a file whose head cannot be read.
void take_sizes_of_files(Config& config, const ConfigSource& source) {
    WorkloadConfig& workload = config.workload;
    if (workload.kind != WorkloadKind::kSparseGemm) return;
    const auto take = [&source](std::string_view key, std::uint32_t& size, std::uint32_t of_file) {
        if (!source.is_set(key)) size = of_file;
    };
    const std::string& a = workload.sparse.a.file;
    const std::string& b = workload.sparse.b.file;
    GemmShapeConfig& gemm = workload.gemm;
    if (!b.empty()) {
        const MatrixShape shape = read_matrix_shape(b);
        take("workload.gemm.k", gemm.k, shape.rows);
        take("workload.gemm.n", gemm.n, shape.columns);
    }
    if (!a.empty()) {
        const MatrixShape shape = read_matrix_shape(a);
        take("workload.gemm.m", gemm.m, shape.rows);
        take("workload.gemm.k", gemm.k, shape.columns);
    }
}

}  // namespace

Config load_config(ConfigSource& source) {
    settle_workload_kind(source);
    auto config = source.load<Config>();
    for (const PathKey& path : kPathKeys) {
        std::string& text = path.value(config);
        text = resolved_path(path.key, text, source.where(path.key));
    }
    take_sizes_of_files(config, source);
    validate(config, source);
    return config;
}

std::string to_yaml(const Config& config) {
    std::vector<ConfigEntry> entries = config_entries_of(config);
    entries.erase(std::remove_if(entries.begin(), entries.end(),
                                 [](const ConfigEntry& entry) {
                                     return entry.path == "host" ||
                                            entry.path.rfind("host.", 0) == 0;
                                 }),
                  entries.end());
    return entries_to_yaml(entries);
}

std::string run_to_yaml(const Config& config) {
    return kIsRun + to_yaml(config);
}

std::string effective_yaml(const Config& config) {
    return kIsRun + entries_to_yaml(config_entries_of(config));
}

std::vector<ConfigEntry> find_config_keys(std::string_view wanted) {
    const auto defaults = ConfigSource().load<Config>();
    std::vector<ConfigEntry> entries = config_entries_of(defaults);
    const std::string text = lower(wanted);
    const auto is_in_section = [&text](const ConfigEntry& entry) {
        return entry.path == text || entry.path.rfind(text + ".", 0) == 0;
    };
    const bool section = std::any_of(entries.begin(), entries.end(), is_in_section);
    const auto is_unwanted = [&](const ConfigEntry& entry) {
        if (entry.is_section) return true;
        if (section) return !is_in_section(entry);
        return lower(entry.path).find(text) == std::string::npos &&
               lower(entry.help).find(text) == std::string::npos;
    };
    entries.erase(std::remove_if(entries.begin(), entries.end(), is_unwanted), entries.end());
    if (entries.empty()) {
        throw ConfigError(
            fmt::format("--list: no key has {} in its name or meaning", in_quotes(wanted)));
    }
    for (ConfigEntry& entry : entries) {
        const std::string acts = acts_sentence(conditions_of(entry));
        if (!acts.empty()) entry.help += " " + acts;
    }
    return entries;
}

std::string list_config_keys(std::string_view wanted, std::optional<std::size_t> width) {
    const std::vector<ConfigEntry> entries = find_config_keys(wanted);
    return width ? entries_to_paragraphs(entries, *width) : entries_to_table(entries);
}

bool is_path_key(std::string_view key) {
    return std::any_of(kPathKeys.begin(), kPathKeys.end(),
                       [key](const PathKey& path) { return path.key == key; });
}

std::string resolved_path(std::string_view key, const std::string& path,
                          const SourceLocation& written) {
    if (path.empty() || (key == kEnergyTable && !is_config_path(path))) return path;
    std::filesystem::path base;
    if (written.source != nullptr && written.line > 0) {
        base = std::filesystem::path(*written.source).parent_path();
    }
    return std::filesystem::absolute(base / path).lexically_normal().string();
}

std::string hashed_yaml(const Config& config) {
    Config relevant = config;
    relevant.logging = LoggingConfig{};
    // The digest identifies a layer's tensors, independently of the file's path.
    if (!relevant.workload.given.digest.empty()) relevant.workload.given.file = "";
    return to_yaml(relevant);
}

std::string config_hash(const Config& config) {
    return fnv1a_hex(hashed_yaml(config));
}

}  // namespace tessera
