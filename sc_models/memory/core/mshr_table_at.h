// Miss status holding registers of an approximately-timed cache.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/common/host_memory.h"
#include "sc_models/common/number_lists.h"
#include "sc_models/common/types.h"

namespace tessera {

/// Sectors requested and not yet received by a cache, each with its waiting accesses in order of
/// arrival. (The loosely-timed MshrTableLt stores the arrival of each sector; here release()
/// reports it.)
class MshrTableAt {
public:
    using Index = std::uint32_t;
    static constexpr Index kNone = ~Index{0};

    /// Throws std::logic_error if `capacity` is zero.
    explicit MshrTableAt(std::uint32_t capacity);

    /// Returns the register of `sector`, or kNone.
    [[nodiscard]] Index find(std::uint64_t sector) const {
        Index index = chains_[chain_of(sector)];
        while (index != kNone && entries_[index].sector != sector) index = entries_[index].next;
        return index;
    }
    /// Host prefetch of the chain of find(sector).
    void host_prefetch(std::uint64_t sector) const {
        host_prefetch_line(&chains_[chain_of(sector)]);
    }
    void host_prefetch_entry(Index index) const { host_prefetch_line(&entries_[index]); }
    /// Allocates a register for a sector; throws std::logic_error if the sector has one or if all
    /// are taken.
    Index allocate(std::uint64_t sector);
    [[nodiscard]] std::uint64_t sector(Index index) const { return entries_[index].sector; }
    [[nodiscard]] bool dirty(Index index) const { return entries_[index].dirty; }
    /// Marks a sector that was written while pending.
    void mark_dirty(Index index) { entries_[index].dirty = true; }
    /// Adds access `target` to the waiting ones of the sector.
    void add_target(Index index, std::uint32_t target);
    [[nodiscard]] std::uint32_t targets(Index index) const { return entries_[index].targets; }
    /// Frees the register; passes its accesses to `served` in order of arrival.
    template <class Served>
    void release(Index index, Served&& served) {
        unlink(index);
        targets_.drain(index, served);
    }

    [[nodiscard]] std::uint32_t size() const { return size_; }
    [[nodiscard]] std::uint32_t capacity() const {
        return static_cast<std::uint32_t>(entries_.size());
    }
    [[nodiscard]] bool full() const { return size_ == entries_.size(); }

private:
    struct Entry {
        std::uint64_t sector = 0;
        Index next = kNone;  ///< next in its hash chain or in the free list
        std::uint32_t targets = 0;
        bool dirty = false;
    };
    [[nodiscard]] std::size_t chain_of(std::uint64_t sector) const {
        return sector * 0x9E3779B97F4A7C15ULL >> shift_;
    }
    void unlink(Index index);

    std::vector<Entry> entries_;
    std::vector<Index> chains_;  ///< first register of each chain
    std::uint32_t shift_;        ///< shift from hash to chain
    NumberLists targets_;        ///< waiting accesses of each register
    Index free_ = 0;
    std::uint32_t size_ = 0;
};

}  // namespace tessera
