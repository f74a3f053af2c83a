// Alignment of two recordings: the first transaction in which they differ.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "sc_models/align/recording.h"

namespace tessera {

/// Rules of a comparison.
struct AlignRules {
    /// Compares the cycles of requests and responses, too.
    bool cycles = false;
    /// Compares what does not depend on the order of transactions only: warp instructions with
    /// their operands and results, and the requests to the L1 with their data if no load filter
    /// acts. For runs at different levels of timing.
    bool content_only = false;
};

/// Kinds of differences.
enum class DivergenceKind : std::uint8_t {
    kMissing,  ///< A has the transaction, B has not
    kExtra,    ///< B has it, A has not
    kRequest,  ///< another operation, address or length
    kValue,    ///< other data
    kOutcome,  ///< another level served it, or the filter answered otherwise
    kOrder,    ///< the transactions of an instruction come in another order
    kTime      ///< another cycle
};
inline constexpr std::size_t kDivergenceKinds = 7;
[[nodiscard]] std::string_view name_of(DivergenceKind kind);

/// A difference between two recordings.
struct Divergence {
    static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

    DivergenceKind kind = DivergenceKind::kMissing;
    /// Place of the differing request or response in the recording that has it; A's if both have.
    std::uint64_t order = 0;
    bool in_response = false;
    std::size_t instruction_a = kNone, instruction_b = kNone;  ///< rows; kNone: none
    std::size_t transaction_a = kNone, transaction_b = kNone;  ///< kNone: the instruction itself
    std::string field;                                         ///< compared field
    std::string a, b;                                          ///< its values
};

/// Result of an alignment.
struct Alignment {
    std::uint64_t instructions = 0, transactions = 0;  ///< pairs that were compared
    std::uint64_t checks = 0;                          ///< fields that were compared
    std::map<DivergenceKind, std::uint64_t> counts;    ///< differences by kind
    /// The difference with the least `order`.
    std::vector<Divergence> first;  ///< empty: none

    [[nodiscard]] bool equal() const { return first.empty(); }
};

/// Lines up two recordings. Instructions are paired by kernel, CTA and warp, in program order; an
/// instruction that one recording lacks is one difference. Transactions of a pair are paired by the
/// kind of link, operation, address and length; those without an instruction by their link.
///
/// Requests and responses are ordered by their place in the recording. In two runs of the same
/// machine at the same level of timing everything before the first difference is equal, so the
/// difference with the least place is its cause, or the first effect of it on a link.
[[nodiscard]] Alignment align(const Recording& a, const Recording& b, const AlignRules& rules);

}  // namespace tessera
