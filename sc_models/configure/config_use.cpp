#include "sc_models/configure/config_use.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "sc_models/configure/kernel_conditions.h"
#include "sc_models/mechanisms/mechanisms.h"

namespace tessera {
namespace {

void append(std::vector<KeyCondition>& all, const std::vector<KeyCondition>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

/// Whether the condition may still hold; that of an instruction shows in the run only.
bool may_hold(const KeyCondition& condition, const Config& config) {
    return condition.holds == nullptr || condition.holds(config);
}

}  // namespace

std::vector<KeyCondition> conditions_of(const ConfigEntry& entry) {
    std::vector<KeyCondition> all = entry.conditions;
    append(all, kernel_conditions_of(entry.path));
    for (const Mechanism* mechanism : mechanisms())
        append(all, mechanism->conditions_of(entry.path));
    return all;
}

std::vector<std::string> idle_keys(const ConfigSource& source, const Config& config,
                                   const UseLog* issued) {
    const std::vector<std::string> set = source.user_keys();
    std::vector<std::string> idle;
    for (const ConfigEntry& entry : config_entries_of(config)) {
        if (entry.is_section || !std::binary_search(set.begin(), set.end(), entry.path)) continue;
        const std::vector<KeyCondition> conditions = conditions_of(entry);
        const bool acts =
            std::all_of(conditions.begin(), conditions.end(), [&](const KeyCondition& condition) {
                return may_hold(condition, config) &&
                       (condition.holds != nullptr || issued == nullptr ||
                        issued->used(entry.path));
            });
        if (!acts) idle.push_back(entry.path);
    }
    std::sort(idle.begin(), idle.end());
    return idle;
}

std::string what_acts(std::string_view key, const Config* config) {
    const auto defaults = ConfigSource().load<Config>();
    std::string text;
    for (const ConfigEntry& entry : config_entries_of(config != nullptr ? *config : defaults)) {
        if (entry.path != key) continue;
        for (const KeyCondition& condition : conditions_of(entry)) {
            const bool met =
                config != nullptr && condition.holds != nullptr && condition.holds(*config);
            if (met) continue;
            text += text.empty() ? "it acts with " : " and ";
            text += condition.words;
        }
    }
    return text.empty() ? "leave it out" : text;
}

std::string acts_sentence(const std::vector<KeyCondition>& conditions) {
    std::string text;
    for (const KeyCondition& condition : conditions) {
        text += text.empty() ? "Acts with " : " and ";
        text += condition.words;
    }
    return text.empty() ? text : text + ".";
}

void refuse_idle(const ConfigSource& source, const std::string& key, const Config& config) {
    source.fail_unused(key, what_acts(key, &config) + "; --allow-unused lets it pass");
}

}  // namespace tessera
