#include "sc_models/align/sequence_match.h"

#include <cstdint>

namespace tessera {
namespace {

using Equal = std::function<bool(std::size_t, std::size_t)>;
/// Furthest positions of the first sequence by diagonal, after each number of edits.
using Trace = std::vector<std::vector<std::int64_t>>;

/// Whether the path comes to `diagonal` from the one above it, by an element of the second
/// sequence.
bool comes_from_above(const std::vector<std::int64_t>& reached, std::int64_t diagonal,
                      std::int64_t edits, std::int64_t middle) {
    if (diagonal == -edits) return true;
    if (diagonal == edits) return false;
    return reached[static_cast<std::size_t>(middle + diagonal - 1)] <
           reached[static_cast<std::size_t>(middle + diagonal + 1)];
}

void trace_back(const Trace& trace, std::int64_t n, std::int64_t m, std::int64_t middle,
                std::size_t offset, SequenceMatch& pairs) {
    const std::size_t before = pairs.size();
    const auto take = [&](std::int64_t x, std::int64_t y) {
        pairs.emplace_back(offset + static_cast<std::size_t>(x),
                           offset + static_cast<std::size_t>(y));
    };
    std::int64_t x = n;
    std::int64_t y = m;
    for (auto edits = static_cast<std::int64_t>(trace.size()) - 1; edits > 0; --edits) {
        const std::vector<std::int64_t>& reached = trace[static_cast<std::size_t>(edits) - 1];
        const std::int64_t diagonal = x - y;
        const std::int64_t previous =
            comes_from_above(reached, diagonal, edits, middle) ? diagonal + 1 : diagonal - 1;
        const std::int64_t from_x = reached[static_cast<std::size_t>(middle + previous)];
        const std::int64_t from_y = from_x - previous;
        while (x > from_x && y > from_y) take(--x, --y);
        x = from_x;
        y = from_y;
    }
    while (x > 0 && y > 0) take(--x, --y);
    std::reverse(pairs.begin() + static_cast<std::ptrdiff_t>(before), pairs.end());
}

/// Matches [offset, offset + n) with [offset, offset + m); returns false beyond `most` edits.
bool match_middle(std::int64_t n, std::int64_t m, std::size_t offset, const Equal& equal,
                  std::int64_t most, SequenceMatch& pairs) {
    const std::int64_t middle = most + 1;
    std::vector<std::int64_t> reached(static_cast<std::size_t>(2 * middle + 1), 0);
    Trace trace;
    for (std::int64_t edits = 0; edits <= most; ++edits) {
        for (std::int64_t diagonal = -edits; diagonal <= edits; diagonal += 2) {
            const auto at = static_cast<std::size_t>(middle + diagonal);
            std::int64_t x = 0;
            if (edits > 0) {
                x = comes_from_above(reached, diagonal, edits, middle) ? reached[at + 1]
                                                                       : reached[at - 1] + 1;
            }
            std::int64_t y = x - diagonal;
            while (
                x >= 0 && y >= 0 && x < n && y < m &&
                equal(offset + static_cast<std::size_t>(x), offset + static_cast<std::size_t>(y))) {
                ++x;
                ++y;
            }
            reached[at] = x;
            if (x < n || y < m) continue;
            trace.push_back(reached);
            trace_back(trace, n, m, middle, offset, pairs);
            return true;
        }
        trace.push_back(reached);
    }
    return false;
}

}  // namespace

SequenceMatch match_sequences(std::size_t n, std::size_t m, const Equal& equal,
                              std::size_t most_edits) {
    SequenceMatch pairs;
    std::size_t begin = 0;
    while (begin < n && begin < m && equal(begin, begin)) {
        pairs.emplace_back(begin, begin);
        ++begin;
    }
    std::size_t end = 0;
    while (begin + end < n && begin + end < m && equal(n - 1 - end, m - 1 - end)) ++end;
    const std::size_t rest_n = n - begin - end;
    const std::size_t rest_m = m - begin - end;
    if (rest_n > 0 && rest_m > 0) {
        (void)match_middle(static_cast<std::int64_t>(rest_n), static_cast<std::int64_t>(rest_m),
                           begin, equal,
                           static_cast<std::int64_t>(std::min(most_edits, rest_n + rest_m)), pairs);
    }
    for (std::size_t i = end; i > 0; --i) pairs.emplace_back(n - i, m - i);
    return pairs;
}

}  // namespace tessera
