// Pairs of equal elements in two sequences.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace tessera {

/// Indices of equal elements, ascending in both sequences.
using SequenceMatch = std::vector<std::pair<std::size_t, std::size_t>>;

/// Pairs elements of sequences of lengths `n` and `m`, where `equal(i, j)` compares element i of
/// one with element j of the other: a longest common subsequence (Myers 1986, "An O(ND) difference
/// algorithm and its variations") if it lacks at most `most_edits` elements, otherwise the common
/// begin and the common end.
[[nodiscard]] SequenceMatch match_sequences(
    std::size_t n, std::size_t m, const std::function<bool(std::size_t, std::size_t)>& equal,
    std::size_t most_edits = 200);

}  // namespace tessera
