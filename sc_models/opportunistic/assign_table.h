// Assign table: which SM of a cluster has both cache blocks of a computation.
#pragma once

#include <cstdint>
#include <vector>

#include <tsl/robin_map.h>

#include "sc_models/common/types.h"

namespace tessera {

/// Number of a cache block: address / line bytes of the L1.
using BlockNumber = std::uint64_t;

/// The two blocks that a computation needs.
struct BlockPair {
    BlockNumber input = 0, weights = 0;

    friend bool operator==(const BlockPair& a, const BlockPair& b) {
        return a.input == b.input && a.weights == b.weights;
    }
};

/// Hash of a pair, for tables of the host.
struct BlockPairHash {
    std::size_t operator()(const BlockPair& pair) const noexcept {
        const std::uint64_t hash = pair.input * 0x9e3779b97f4a7c15U + pair.weights;
        return (hash ^ (hash >> 31U)) * 0xbf58476d1ce4e5b9U;
    }
};

/// Computation assignment table of a cluster (opportunistic computing, III-B): pairs of blocks and
/// the SM that has both, replaced in the order in which they came; a block that leaves an SM's L1
/// takes its entries of that SM along, found by a reverse index. State and rules only, no time.
class AssignTable {
public:
    struct Counts {
        std::uint64_t lookups = 0, hits = 0;
        std::uint64_t inserted = 0;
        std::uint64_t replaced = 0;     ///< by newer ones
        std::uint64_t invalidated = 0;  ///< a block of them was lost
        std::uint64_t flushed = 0;
    };

    /// Throws std::logic_error on zero entries.
    explicit AssignTable(std::uint32_t entries);

    /// The SM that has both; invalid if the table does not know one.
    [[nodiscard]] SmId find(const BlockPair& pair);
    /// From now on `sm` has both, unless the table knows an SM that does.
    void insert_if_absent(const BlockPair& pair, SmId sm);
    /// `sm` has lost `block`. Returns how many entries that ended.
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
    tsl::robin_map<BlockNumber, std::vector<Index>> of_block_;  ///< the reverse index
    Index oldest_ = kNone, newest_ = kNone;
    std::uint32_t size_ = 0;
    Counts counts_;
};

}  // namespace tessera
