#include "sc_models/observe/scope_filter.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Splits a name at its numbers: the text with '#' for each number, and the numbers.
std::pair<std::string, std::vector<unsigned long>> split_numbers(const std::string& name) {
    std::pair<std::string, std::vector<unsigned long>> parts;
    for (std::size_t i = 0; i < name.size();) {
        if (!is_digit(name[i])) {
            parts.first += name[i++];
            continue;
        }
        std::size_t digits = 0;
        parts.second.push_back(std::stoul(name.substr(i), &digits));
        parts.first += '#';
        i += digits;
    }
    return parts;
}

}  // namespace

ScopeFilter::ScopeFilter(std::string_view patterns) {
    while (true) {
        const std::size_t comma = patterns.find(',');
        patterns_.push_back({std::string(patterns.substr(0, comma))});
        if (comma == std::string_view::npos) break;
        patterns.remove_prefix(comma + 1);
    }
}

ScopeFilter ScopeFilter::of_top_level(std::string_view patterns) {
    ScopeFilter filter(patterns);
    for (Pattern& pattern : filter.patterns_)
        pattern.text.resize(std::min(pattern.text.find('.'), pattern.text.size()));
    return filter;
}

bool ScopeFilter::matches(const std::string& scope) {
    scopes_.insert(scope);
    bool matched = false;
    for (Pattern& pattern : patterns_) {
        if (fnmatch(pattern.text.c_str(), scope.c_str(), 0) != 0 &&
            fnmatch((pattern.text + ".*").c_str(), scope.c_str(), 0) != 0) {
            continue;
        }
        pattern.used = true;
        matched = true;
    }
    return matched;
}

void ScopeFilter::check(std::string_view option, bool one_suffices) const {
    const auto unused = [](const Pattern& pattern) { return !pattern.used; };
    const auto first = std::find_if(patterns_.begin(), patterns_.end(), unused);
    if (first == patterns_.end()) return;
    if (one_suffices && !std::all_of(patterns_.begin(), patterns_.end(), unused)) return;
    throw ConfigError(fmt::format("{}: '{}' matches nothing; there are {}", option, first->text,
                                  summarise_scopes(scopes_)));
}

std::string summarise_scopes(const std::set<std::string>& scopes) {
    struct Range {
        unsigned long low, high;
    };
    std::map<std::string, std::vector<Range>> shapes;
    for (const std::string& scope : scopes) {
        const auto [shape, numbers] = split_numbers(scope);
        std::vector<Range>& ranges = shapes[shape];
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            if (i == ranges.size()) ranges.push_back({numbers[i], numbers[i]});
            ranges[i].low = std::min(ranges[i].low, numbers[i]);
            ranges[i].high = std::max(ranges[i].high, numbers[i]);
        }
    }
    std::string text;
    for (const auto& [shape, ranges] : shapes) {
        text += text.empty() ? "" : ", ";
        auto range = ranges.begin();
        for (const char c : shape) {
            if (c != '#') {
                text += c;
                continue;
            }
            text += range->low == range->high ? fmt::format("{}", range->low)
                                              : fmt::format("{{{}..{}}}", range->low, range->high);
            ++range;
        }
    }
    return text;
}

}  // namespace tessera
