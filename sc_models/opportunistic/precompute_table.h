// Precompute table: results of vector operations that are expected to be needed.
#pragma once

#include <cstdint>
#include <vector>

#include <tsl/robin_map.h>

#include "sc_models/isa/vector_operation.h"

namespace tessera {

/// What names a vector operation: its vectors, and how its lanes follow from lane 0.
struct PrecomputeKey {
    Address input = 0, weights = 0;
    std::uint32_t geometry = 0;

    friend bool operator==(const PrecomputeKey& a, const PrecomputeKey& b) {
        return a.input == b.input && a.weights == b.weights && a.geometry == b.geometry;
    }
};

/// Hash of a key, for tables of the host.
struct PrecomputeKeyHash {
    std::size_t operator()(const PrecomputeKey& key) const noexcept {
        std::uint64_t hash = key.input * 0x9e3779b97f4a7c15U;
        hash ^= (hash >> 29U) + key.weights * 0xbf58476d1ce4e5b9U + key.geometry;
        return hash ^ (hash >> 32U);
    }
};

/// When the periodic policy drops the oldest entries: the first time that somebody asks a period or
/// more after it last did so, however late that was.
class EliminationTimer {
public:
    explicit EliminationTimer(Cycle period_cycles) : period_(period_cycles) {}

    /// A kernel begins at `now`; a whole period passes before entries are dropped.
    void start(Cycle now) { next_ = now + period_; }
    /// Whether entries are to be dropped at `now`; if so, the next period begins.
    [[nodiscard]] bool due(Cycle now) {
        if (now < next_) return false;
        start(now);
        return true;
    }

private:
    Cycle period_;
    Cycle next_ = 0;
};

/// Precompute table of an SM (opportunistic computing, III-A): fully associative, each entry with
/// its key, a complete bit and the results, replaced in the order in which they came. An entry that
/// an assistant warp is computing is not replaced; one that is freed meanwhile, or belongs to
/// somebody else by then, is told by its generation. State and rules only, no time.
class PrecomputeTable {
public:
    using Index = std::uint32_t;
    static constexpr Index kNone = ~Index{0};
    struct Counts {
        std::uint64_t inserted = 0;
        std::uint64_t used = 0;        ///< complete when they were wanted
        std::uint64_t too_late = 0;    ///< wanted before they were complete
        std::uint64_t replaced = 0;    ///< nobody had wanted them
        std::uint64_t eliminated = 0;  ///< by eliminate()
        std::uint64_t flushed = 0;     ///< by flush()
        std::uint64_t rejected = 0;    ///< not inserted: all entries were being computed
        std::uint64_t completed = 0;
        std::uint64_t late_results = 0;  ///< results whose entry was gone
    };

    /// `lanes` results an entry. Throws std::logic_error on zero entries or lanes.
    PrecomputeTable(std::uint32_t entries, std::uint32_t lanes);

    /// The valid entry with this key, or kNone.
    [[nodiscard]] Index find(const PrecomputeKey& key) const;
    /// A new entry for `operation` unless its key is there already; replaces the oldest entry that
    /// is not being computed if there is no room. Returns kNone if there is nothing to do.
    Index insert_if_absent(const PrecomputeKey& key, const VectorOperation& operation);
    [[nodiscard]] bool complete(Index index) const { return entries_[index].complete; }
    [[nodiscard]] const float* results(Index index) const {
        return results_.data() + std::size_t{index} * lanes_;
    }
    [[nodiscard]] const VectorOperation& operation(Index index) const {
        return entries_[index].operation;
    }
    [[nodiscard]] std::uint32_t generation(Index index) const { return entries_[index].generation; }
    /// Ends an entry that was wanted.
    void use(Index index);
    /// An assistant warp begins to compute it.
    void start(Index index);
    /// It has: `lanes` results (null: none are simulated). False if the entry is not that of
    /// `generation` any more.
    bool finish(Index index, std::uint32_t generation, const float* results);
    /// Drops up to `entries` of the oldest.
    void eliminate(std::uint32_t entries);
    /// Drops everything, as at the end of a kernel.
    void flush();

    /// Entries that wait for an assistant warp, oldest first: the first, and the one behind.
    [[nodiscard]] Index first_pending() const { return pending_.first; }
    [[nodiscard]] Index next_pending(Index index) const { return entries_[index].pending.next; }
    [[nodiscard]] std::uint32_t size() const { return size_; }
    [[nodiscard]] const Counts& counts() const { return counts_; }

private:
    struct Link {
        Index previous = kNone, next = kNone;
    };
    struct List {
        Index first = kNone, last = kNone;
    };
    struct Entry {
        PrecomputeKey key;
        VectorOperation operation;
        std::uint32_t generation = 0;
        bool complete = false, running = false;
        Link age, pending;
    };
    void append(List& list, Link Entry::*link, Index index);
    void remove(List& list, Link Entry::*link, Index index);
    void release(Index index);

    std::uint32_t lanes_;
    std::vector<Entry> entries_;
    std::vector<float> results_;
    std::vector<Index> free_;
    tsl::robin_map<PrecomputeKey, Index, PrecomputeKeyHash> index_;
    List by_age_, pending_;
    std::uint32_t size_ = 0;
    Counts counts_;
};

}  // namespace tessera
