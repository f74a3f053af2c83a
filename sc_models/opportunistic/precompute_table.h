// Precompute table: results of predicted vector operations.
#pragma once

#include <cstdint>
#include <vector>

#include <tsl/robin_map.h>

#include "sc_models/isa/vector_operation.h"

namespace tessera {

/// Key of a vector operation: its vectors, and the geometry of its lanes relative to lane 0.
struct PrecomputeKey {
    Address input = 0, weights = 0;
    std::uint32_t geometry = 0;

    friend bool operator==(const PrecomputeKey& a, const PrecomputeKey& b) {
        return a.input == b.input && a.weights == b.weights && a.geometry == b.geometry;
    }
};

/// Hash of a key, for tables on the host.
struct PrecomputeKeyHash {
    std::size_t operator()(const PrecomputeKey& key) const noexcept {
        std::uint64_t hash = key.input * 0x9e3779b97f4a7c15U;
        hash ^= (hash >> 29U) + key.weights * 0xbf58476d1ce4e5b9U + key.geometry;
        return hash ^ (hash >> 32U);
    }
};

/// Timer of the periodic elimination of the oldest entries: due at the first query a period or more
/// after the last elimination, however late that was.
class EliminationTimer {
public:
    explicit EliminationTimer(Cycle period_cycles) : period_(period_cycles) {}

    /// Starts a kernel at `now`; a whole period passes before the first elimination.
    void start(Cycle now) { next_ = now + period_; }
    /// Whether an elimination is due at `now`; if so, starts the next period.
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
/// its key, a complete bit and the results, replaced in FIFO order. An entry that an assistant warp
/// is computing is not replaced; a generation number detects entries that were freed or reused
/// meanwhile. The class models state and rules, no time.
class PrecomputeTable {
public:
    using Index = std::uint32_t;
    static constexpr Index kNone = ~Index{0};
    struct Counts {
        std::uint64_t inserted = 0;
        std::uint64_t used = 0;        ///< complete at lookup
        std::uint64_t too_late = 0;    ///< incomplete at lookup
        std::uint64_t replaced = 0;    ///< never looked up
        std::uint64_t eliminated = 0;  ///< by eliminate()
        std::uint64_t flushed = 0;     ///< by flush()
        std::uint64_t rejected = 0;    ///< not inserted: all entries were being computed
        std::uint64_t completed = 0;
        std::uint64_t late_results = 0;  ///< results whose entry no longer existed
    };

    /// Each entry holds `lanes` results. Throws std::logic_error on zero entries or lanes.
    PrecomputeTable(std::uint32_t entries, std::uint32_t lanes);

    /// The valid entry with this key, or kNone.
    [[nodiscard]] Index find(const PrecomputeKey& key) const;
    /// Inserts an entry for `operation` unless its key has one; if the table is full, replaces the
    /// oldest entry that is not being computed. Returns kNone if nothing was inserted.
    Index insert_if_absent(const PrecomputeKey& key, const VectorOperation& operation);
    [[nodiscard]] bool complete(Index index) const { return entries_[index].complete; }
    [[nodiscard]] const float* results(Index index) const {
        return results_.data() + std::size_t{index} * lanes_;
    }
    [[nodiscard]] const VectorOperation& operation(Index index) const {
        return entries_[index].operation;
    }
    [[nodiscard]] const PrecomputeKey& key(Index index) const { return entries_[index].key; }
    [[nodiscard]] std::uint32_t generation(Index index) const { return entries_[index].generation; }
    /// The oldest entry; kNone: the table is empty.
    [[nodiscard]] Index oldest() const { return by_age_.first; }
    /// Whether an assistant warp is computing the entry.
    [[nodiscard]] bool runs(Index index) const { return entries_[index].running; }
    /// Whether the entry waits for an assistant warp.
    [[nodiscard]] bool waits(Index index) const { return entries_[index].waits; }
    /// Removes an entry that was looked up.
    void use(Index index);
    /// Marks that an assistant warp starts to compute the entry.
    void start(Index index);
    /// Stores the computed results (null: none are simulated). Returns false if the entry's
    /// generation is no longer `generation`.
    bool finish(Index index, std::uint32_t generation, const float* results);
    /// Drops up to `entries` of the oldest entries.
    void eliminate(std::uint32_t entries);
    /// Drops all entries, as at the end of a kernel.
    void flush();

    /// Entries that wait for an assistant warp, oldest first: the first one, and the successor of
    /// one.
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
        bool complete = false, running = false, waits = false;
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
