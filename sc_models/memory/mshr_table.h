// Miss status holding registers.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// The sectors a cache has asked for and not yet received, each with the cycle it will be there
/// (known at once, as the model is loosely timed) and the number of accesses it serves. Entries
/// leave in order of readiness (of two equally ready ones the lower sector first). Fixed storage,
/// no allocation after construction: an open-addressing table to find a sector, and a sorted queue
/// to find the next one ready. Fills are complete nearly in the order in which they were asked for,
/// so a new entry is sorted in from the back at little cost.
class MshrTable {
public:
    /// 16 bytes, so that the sectors of a line fill one cache line of the host.
    struct Entry {
        std::uint64_t sector : 63;   ///< sector number: address / sector bytes
        std::uint64_t dirty : 1;     ///< written meanwhile: dirty once filled
        std::uint64_t ready : 46;    ///< cycle its fill is complete
        std::uint64_t targets : 18;  ///< accesses waiting for it; 0: place is free
    };

    /// Throws std::logic_error if `capacity` is zero.
    explicit MshrTable(std::uint32_t capacity);

    /// The entry of `sector`, or null. Valid until the next insert or pop; `ready` must not be
    /// changed.
    [[nodiscard]] Entry* find(std::uint64_t sector) {
        Entry& place = at(place_of(sector));
        return place.targets == 0 ? nullptr : &place;
    }
    /// Adds a sector that is not there yet; throws std::logic_error if it is or if the table is
    /// full.
    Entry& insert(std::uint64_t sector, Cycle ready);
    /// When the first sector will be there; kNever if none is awaited.
    [[nodiscard]] Cycle earliest() const { return first_ == last_ ? kNever : queue_[first_].ready; }
    /// Removes and returns the first sector to be ready. The table must not be empty.
    Entry pop_earliest();
    /// Removes all sectors ready at `now` or before and hands each to `filled`, in order of
    /// readiness.
    template <class Filled>
    void drain(Cycle now, Filled&& filled) {
        while (first_ != last_ && queue_[first_].ready <= now) filled(pop_earliest());
    }

    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(last_ - first_); }
    [[nodiscard]] std::uint32_t capacity() const { return capacity_; }
    [[nodiscard]] bool full() const { return last_ - first_ == capacity_; }

private:
    struct Node {
        Cycle ready;
        std::uint64_t sector;
        friend bool operator<(const Node& a, const Node& b) {
            return a.ready != b.ready ? a.ready < b.ready : a.sector < b.sector;
        }
    };
    /// Sectors of one line are neighbours, so that they share a cache line of the host.
    [[nodiscard]] std::size_t home_of(std::uint64_t sector) const {
        const std::uint64_t group = (sector >> kGroupBits) * 0x9E3779B97F4A7C15ULL >> shift_;
        return static_cast<std::size_t>(group << kGroupBits | (sector & kGroupMask));
    }
    /// Where the sector is, or the free place where it would go.
    [[nodiscard]] std::size_t place_of(std::uint64_t sector) const {
        std::size_t place = home_of(sector);
        while (at(place).targets != 0 && at(place).sector != sector) {
            place = (place + 1) & mask_;
        }
        return place;
    }
    void enqueue(Node node);
    void erase(std::size_t place);

    static constexpr std::uint32_t kGroupBits = 2;
    static constexpr std::uint64_t kGroupMask = (1U << kGroupBits) - 1;
    struct alignas(64) Group {
        Entry entries[1U << kGroupBits] = {};
    };
    [[nodiscard]] Entry& at(std::size_t place) {
        return table_[place >> kGroupBits].entries[place & kGroupMask];
    }
    [[nodiscard]] const Entry& at(std::size_t place) const {
        return table_[place >> kGroupBits].entries[place & kGroupMask];
    }

    std::uint32_t capacity_;
    std::uint32_t shift_;  ///< hash to group
    std::size_t mask_;     ///< places - 1; a power of two of them, at most half full
    std::vector<Group> table_;
    std::vector<Node>
        queue_;  ///< [first_, last_) is in use, in order; moved to the front when at the end
    std::size_t first_ = 0, last_ = 0;
};

}  // namespace tessera
