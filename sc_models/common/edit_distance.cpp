#include "sc_models/common/edit_distance.h"

#include <algorithm>

namespace tessera {

namespace {

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Comparison uses this many leading characters; typing errors do not need more.
constexpr std::size_t kLongestCompared = 128;

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
    a = a.substr(0, kLongestCompared);
    b = b.substr(0, kLongestCompared);
    // Three rows of the optimal string alignment table: two back (for swaps), previous, current.
    std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        current[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substitution = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
            current[j] =
                std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + substitution});
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1])) {
                current[j] = std::min(current[j], before[j - 2] + 1);
            }
        }
        std::swap(before, previous);
        std::swap(previous, current);
    }
    return previous[b.size()];
}

std::string_view nearest_name(std::string_view name,
                              const std::vector<std::string_view>& candidates) {
    std::string_view best;
    std::size_t best_distance = 0;
    for (const std::string_view candidate : candidates) {
        const std::size_t distance = edit_distance(name, candidate);
        // More than two thirds of the letters differ: no useful suggestion.
        const std::size_t longest = std::max(name.size(), candidate.size());
        if (3 * distance > 2 * longest) continue;
        if (best.empty() || distance < best_distance) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates) {
    const std::string_view nearest = nearest_name(name, candidates);
    if (nearest.empty()) return {};
    return " (did you mean '" + std::string(nearest) + "'?)";
}

std::string braced_list(const std::vector<std::string_view>& names) {
    std::string text = "{";
    for (const std::string_view name : names) {
        if (text.size() > 1) text += ", ";
        text += name;
    }
    return text + "}";
}

}  // namespace tessera
