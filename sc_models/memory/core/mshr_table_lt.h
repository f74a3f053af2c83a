// Miss status holding registers of a loosely-timed cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sc_models/common/host_memory.h"
#include "sc_models/common/types.h"
#include "sc_models/memory/core/fill_timing_wheel.h"
#include "sc_models/memory/core/sector_tags.h"

namespace tessera {

/// Sectors requested and not yet received by a cache. Sectors of a line that arrive together form
/// one entry, with their arrival cycle (known at once, as the model is loosely timed) and the
/// number of accesses they serve. Entries leave in order of arrival (ties: lower line first, then
/// lower sectors). Fixed storage: chained hashing to find a sector, and a timing wheel to find the
/// next arrival. The state is kept small, since between two quanta of an SM the other SMs evict it
/// from the host's nearest cache.
class MshrTableLt {
public:
    /// 16 bytes, so that all entries fit few cache lines of the host.
    struct Entry {
        std::uint64_t line : 48;
        std::uint64_t sectors : 8;   ///< mask
        std::uint64_t dirty : 8;     ///< sectors written while pending: dirty once filled
        std::uint64_t ready : 46;    ///< cycle at which the fill is complete
        std::uint64_t targets : 18;  ///< accesses waiting for it
        /// Returns whether its fill is only recorded, as request() of a quantum that runs ahead;
        /// `ready` is then no cycle.
        [[nodiscard]] bool open() const { return (ready & kOpen) != 0; }
        [[nodiscard]] std::uint32_t request() const { return static_cast<std::uint32_t>(ready); }
        [[nodiscard]] std::uint32_t count() const {
            return static_cast<std::uint32_t>(
                __builtin_popcount(static_cast<std::uint32_t>(sectors)));
        }
    };
    static constexpr std::uint32_t kMaxCapacity = kMaxMshrEntries;
    static constexpr std::uint64_t kOpen = std::uint64_t{1} << 45U;

    /// `capacity` is in sectors; throws std::logic_error unless it is 1 to kMaxCapacity.
    explicit MshrTableLt(std::uint32_t capacity);

    /// Returns the entry with one of the line's `sectors`, or null. Valid until the next insert or
    /// pop; only `dirty` and `targets` may be changed.
    [[nodiscard]] Entry* find(LineNumber line, SectorMask sectors) {
        const Index index = index_of(line, sectors);
        return index == kNone ? nullptr : &fills_[index].entry;
    }
    [[nodiscard]] const Entry* find(LineNumber line, SectorMask sectors) const {
        const Index index = index_of(line, sectors);
        return index == kNone ? nullptr : &fills_[index].entry;
    }
    /// Calls `visit` with all entries of the line.
    template <class Visit>
    void for_each_of(LineNumber line, Visit&& visit) {
        for (Index i = chains_[chain_of(line)]; i != kNone; i = fills_[i].next) {
            if (fills_[i].entry.line == line) visit(fills_[i].entry);
        }
    }
    /// Adds sectors without an entry; throws std::logic_error if one has an entry or if there is no
    /// room. `ready` may be kOpen | request: resolve() sets the arrival of this open entry later.
    Entry& insert(LineNumber line, SectorMask sectors, std::uint64_t ready);
    /// Sets the arrival of an open entry, identified as inserted, to `ready`.
    void resolve(LineNumber line, SectorMask sectors, Cycle ready);
    /// Returns the arrival of the first entry that is not open; kNever if there is none.
    [[nodiscard]] Cycle earliest() const { return fills_.earliest(); }
    /// Removes and returns the first entry to arrive. The table must not be empty.
    Entry pop_earliest();
    /// Removes all entries ready at `now` or before and passes each to `filled`, in order of
    /// arrival.
    template <class Filled>
    void drain(Cycle now, Filled&& filled) {
        while (fills_.earliest() <= now && fills_.first() != kNone) filled(pop_earliest());
    }

    /// Host prefetch of most of the entries that are ready by `until`.
    void host_prefetch(Cycle until) const {
        fills_.visit_until(until, [this](Index index) { host_prefetch_line(&fills_[index]); });
    }

    /// Number of pending sectors.
    [[nodiscard]] std::uint32_t size() const { return sectors_; }
    [[nodiscard]] std::uint32_t capacity() const { return capacity_; }
    [[nodiscard]] bool full() const { return sectors_ == capacity_; }

private:
    using Index = std::uint16_t;  ///< of an entry
    static constexpr Index kNone = kMaxCapacity;
    struct Register {
        Entry entry{};
        Index next = 0;  ///< next in its chain or in the free list
    };
    static_assert(kNone == FillTimingWheel<Register>::kNone);

    [[nodiscard]] std::size_t chain_of(LineNumber line) const {
        return static_cast<std::size_t>(line * 0x9E3779B97F4A7C15ULL >> shift_);
    }
    [[nodiscard]] Index index_of(LineNumber line, SectorMask sectors) const {
        Index i = chains_[chain_of(line)];
        while (i != kNone &&
               (fills_[i].entry.line != line || (fills_[i].entry.sectors & sectors) == 0)) {
            i = fills_[i].next;
        }
        return i;
    }
    /// Returns the comparison that breaks ties of arrival: whether `a` leaves before `b`.
    [[nodiscard]] auto lower_first() const {
        return [this](Index a, Index b) {
            const auto rank = [](const Entry& entry) {
                return std::uint64_t{entry.line} << 8U | entry.sectors;
            };
            return rank(fills_[a].entry) < rank(fills_[b].entry);
        };
    }
    Index add(LineNumber line, SectorMask sectors, Cycle ready);

    std::uint32_t capacity_;
    std::uint32_t shift_;  ///< shift from hash to chain
    std::uint32_t sectors_ = 0;
    FillTimingWheel<Register> fills_;
    std::vector<Index> chains_;  ///< hash to first entry
    Index free_ = 0;             ///< first free entry
};

}  // namespace tessera
