#include "tools/tessera/network_variants.h"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <numeric>
#include <set>
#include <sstream>

#include "sc_models/common/error.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/config_text.h"
#include "sc_models/configure/equal_runs.h"
#include "sc_models/reproduction/reproduction_plan.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

/// Adds a configuration; a mechanism replaces the same mechanism with other values.
void add_config(NetworkVariant& variant, const std::string& config) {
    const std::string mechanism = mechanism_of(config);
    const auto same = [&](const std::string& other) {
        return !mechanism.empty() && mechanism_of(other) == mechanism;
    };
    const auto found = std::remove_if(variant.configs.begin(), variant.configs.end(), same);
    if (found != variant.configs.end()) {
        // With it go the values that the machine gave it.
        const auto is_its = [&](const std::string& set) {
            return set.rfind(mechanism + ".", 0) == 0;
        };
        variant.sets.erase(std::remove_if(variant.sets.begin(), variant.sets.end(), is_its),
                           variant.sets.end());
    }
    variant.configs.erase(found, variant.configs.end());
    variant.configs.push_back(config);
}

/// "a,b,key=value": configurations and keys, over those of the machine.
NetworkVariant variant_of(const std::string& text, const NetworkVariant* machine) {
    NetworkVariant variant;
    if (machine != nullptr) variant = *machine;
    variant.name.clear();
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) {
        if (part.empty()) continue;
        if (part.find('=') != std::string::npos) {
            variant.sets.push_back(part);
        } else {
            if (machine != nullptr && part_of(part) == ConfigPart::kWorkload) {
                throw ConfigError(fmt::format(
                    "{}: got a layer, expected a machine, a mechanism or settings: the layers are "
                    "those of the network",
                    in_quotes(part)));
            }
            add_config(variant, part);
        }
        if (part.find('/') != std::string::npos) part = fs::path(part).stem().string();
        for (char& c : part) {
            const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
                               c == '-' || c == '.' || c == '=';
            if (!plain) c = '_';
        }
        variant.name += (variant.name.empty() ? "" : "+") + part;
    }
    if (variant.name.empty()) {
        throw ConfigError(fmt::format("got {}, expected a configuration, or several with commas",
                                      in_quotes(text)));
    }
    return variant;
}

/// Whether a key that the user set affects the variant's runs.
bool acts(const std::string& set, const NetworkVariant& variant) {
    NetworkVariant without = variant;
    without.sets.erase(std::find(without.sets.begin(), without.sets.end(), set));
    const Config config = config_of(variant);
    const Config other = config_of(without);
    return config_hash(config) == config_hash(other) ||
           acting_hash(config, {}) != acting_hash(other, {});
}

/// Refuses keys of mechanisms that no machine has: they would seem to have no effect.
void refuse_keys_of_what_is_off(const std::vector<std::string>& sets,
                                const std::vector<NetworkVariant>& variants) {
    for (const std::string& set : sets) {
        const std::string section = set.substr(0, set.find('.'));
        if (section != "duplo" && section != "opportunistic") continue;
        const bool is_of_use =
            std::any_of(variants.begin(), variants.end(),
                        [&set](const NetworkVariant& variant) { return acts(set, variant); });
        if (is_of_use) continue;
        throw ConfigError(fmt::format(
            "--set {}: got a key that nothing reads, as no machine here has {} switched on", set,
            section));
    }
}

/// Launch jitter of the reproduction plan, which papers' figures with several seeds use.
std::uint64_t launch_jitter_cycles() {
    const fs::path root = ConfigCatalog().root();
    const auto figures = read_paper_figures((root / "reference" / "paper_results.yaml").string());
    const fs::path plan = root / "reproduction.yaml";
    return read_reproduction_plan(plan.string(), figures).launch_jitter_cycles;
}

/// Whether a configuration is neither a mechanism nor a workload.
bool may_hold_machine(const std::string& config) {
    const ConfigPart part = part_of(config);
    return part != ConfigPart::kMechanism && part != ConfigPart::kWorkload;
}

}  // namespace

std::vector<std::uint64_t> seeds_of(const NetworkArguments& arguments) {
    for (const std::string& set : arguments.sets) {
        if (arguments.seeds == 0 || set.rfind("seed=", 0) != 0) continue;
        throw ConfigError(fmt::format("--seeds: got --set {} too, expected one of the two", set));
    }
    std::vector<std::uint64_t> seeds(arguments.seeds);
    std::iota(seeds.begin(), seeds.end(), std::uint64_t{1});
    return seeds;
}

std::vector<NetworkVariant> variants_of(const NetworkArguments& arguments) {
    std::vector<NetworkVariant> variants = {variant_of(arguments.machine, nullptr)};
    const std::vector<std::string>& parts = variants[0].configs;
    if (std::none_of(parts.begin(), parts.end(), may_hold_machine)) {
        throw ConfigError(
            fmt::format("got machine {}, expected the description of one (v100, duplo_titan_v, or "
                        "another of the gpus in tessera config --names)",
                        in_quotes(arguments.machine)));
    }
    for (const std::string& mechanism : arguments.mechanisms) {
        variants.push_back(variant_of(mechanism, variants.data()));
    }
    std::set<std::string> names;
    for (NetworkVariant& variant : variants) {
        if (!names.insert(variant.name).second) {
            throw ConfigError(fmt::format("got {} twice", in_quotes(variant.name)));
        }
        variant.sets.insert(variant.sets.end(), arguments.sets.begin(), arguments.sets.end());
        if (arguments.seeds == 0) continue;
        // Goes first, so that the user's own setting overrides it.
        variant.sets.insert(variant.sets.begin(),
                            fmt::format("gpu.cta_launch_jitter_cycles={}", launch_jitter_cycles()));
    }
    refuse_keys_of_what_is_off(arguments.sets, variants);
    return variants;
}

}  // namespace tessera
