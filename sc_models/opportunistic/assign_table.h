// Assign table: finds the SM of a cluster that has both cache blocks of a computation.
#pragma once

#include <cstdint>
#include <vector>

#include <tsl/robin_map.h>

#include "sc_models/common/types.h"

namespace tessera {

/// Number of a cache block: address / line bytes of the L1.
using BlockNumber = std::uint64_t;

/// The two blocks that a computation reads.
struct BlockPair {
    BlockNumber input = 0, weights = 0;

    friend bool operator==(const BlockPair& a, const BlockPair& b) {
        return a.input == b.input && a.weights == b.weights;
    }
};

/// Hash of a pair, for tables on the host.
struct BlockPairHash {
    std::size_t operator()(const BlockPair& pair) const noexcept {
        const std::uint64_t hash = pair.input * 0x9e3779b97f4a7c15U + pair.weights;
        return (hash ^ (hash >> 31U)) * 0xbf58476d1ce4e5b9U;
    }
};

/// Computation assignment table of a cluster (opportunistic computing, III-B). An entry maps a pair
/// of blocks to the SM that has both; entries are replaced in FIFO order. When a block leaves an
/// SM's L1, a reverse index finds the SM's entries with that block and removes them. The class
/// models state and rules, no time.
class AssignTable {
public:
    struct Counts {
        std::uint64_t lookups = 0, hits = 0;
        std::uint64_t inserted = 0;
        std::uint64_t replaced = 0;     ///< by newer entries
        std::uint64_t invalidated = 0;  ///< one of its blocks was lost
        std::uint64_t flushed = 0;
    };

    /// Throws std::logic_error on zero entries.
    explicit AssignTable(std::uint32_t entries);

    /// The SM that has both blocks, or an invalid id if the table has no entry.
    [[nodiscard]] SmId find(const BlockPair& pair);
    /// Same as find(), but the look-up is not counted.
    [[nodiscard]] SmId peek(const BlockPair& pair) const {
        const auto found = index_.find(pair);
        return found == index_.end() ? SmId{} : entries_[found->second].sm;
    }
    /// Enters that `sm` has both blocks, unless the pair has an entry; returns whether it did.
    bool insert_if_absent(const BlockPair& pair, SmId sm);
    /// Whether an entry of `sm` contains `block`.
    [[nodiscard]] bool contains(BlockNumber block, SmId sm) const;
    /// The entries of `sm` that contain `block`, in no order.
    [[nodiscard]] std::vector<BlockPair> pairs_with(BlockNumber block, SmId sm) const;
    /// Removes the entries of `sm` that contain `block`; returns their number.
    std::uint32_t invalidate(BlockNumber block, SmId sm);
    void flush();

    [[nodiscard]] std::uint32_t size() const { return size_; }
    [[nodiscard]] const Counts& counts() const { return counts_; }

private:
    using Index = std::uint32_t;
    static constexpr Index kNone = ~Index{0};
    struct Entry {
        BlockPair pair;
        SmId sm;
        Index older = kNone, newer = kNone;
    };
    void release(Index index);
    void forget(BlockNumber block, Index index);

    std::vector<Entry> entries_;
    std::vector<Index> free_;
    tsl::robin_map<BlockPair, Index, BlockPairHash> index_;
    tsl::robin_map<BlockNumber, std::vector<Index>> of_block_;  ///< reverse index
    Index oldest_ = kNone, newest_ = kNone;
    std::uint32_t size_ = 0;
    Counts counts_;
};

}  // namespace tessera
