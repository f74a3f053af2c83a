// Miss status holding registers of a loosely-timed cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/memory/core/sector_tags.h"

namespace tessera {

/// The sectors a cache has asked for and not yet received. Those of a line that come together are
/// one entry, with the cycle they will be there (known at once, as the model is loosely timed) and
/// the number of accesses they serve. Entries leave in order of readiness (of two equally ready
/// ones the lower line first, and the lower sectors of it). Fixed storage,
/// no allocation after construction: chained hashing to find a sector, and a sorted queue to find
/// the next one ready. Everything is kept small: an SM's turn comes after those of all others, and
/// finds little of its state in the host's nearest cache.
class MshrTableLt {
public:
    /// 16 bytes, so that few cache lines of the host hold them all.
    struct Entry {
        std::uint64_t line : 48;
        std::uint64_t sectors : 8;   ///< mask
        std::uint64_t dirty : 8;     ///< of them, written meanwhile: dirty once filled
        std::uint64_t ready : 46;    ///< cycle the fill is complete
        std::uint64_t targets : 18;  ///< accesses waiting for it
        /// Its fill has been noted only, as request() of a turn that runs ahead: ready means
        /// nothing.
        [[nodiscard]] bool open() const { return (ready & kOpen) != 0; }
        [[nodiscard]] std::uint32_t request() const { return static_cast<std::uint32_t>(ready); }
        [[nodiscard]] std::uint32_t count() const {
            return static_cast<std::uint32_t>(
                __builtin_popcount(static_cast<std::uint32_t>(sectors)));
        }
    };
    static constexpr std::uint32_t kMaxCapacity = kMaxMshrEntries;
    static constexpr std::uint64_t kOpen = std::uint64_t{1} << 45U;

    /// `capacity` in sectors; throws std::logic_error unless it is 1 to kMaxCapacity.
    explicit MshrTableLt(std::uint32_t capacity);

    /// The entry with one of the line's `sectors`, or null. Valid until the next insert or pop;
    /// only `dirty` and `targets` may be changed.
    [[nodiscard]] Entry* find(LineNumber line, SectorMask sectors) {
        Index i = chains_[chain_of(line)];
        while (i != kNone && (entries_[i].line != line || (entries_[i].sectors & sectors) == 0)) {
            i = next_[i];
        }
        return i == kNone ? nullptr : &entries_[i];
    }
    [[nodiscard]] const Entry* find(LineNumber line, SectorMask sectors) const {
        // The same search, which changes nothing.
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
        return const_cast<MshrTableLt*>(this)->find(line, sectors);
    }
    /// Hands all entries of the line to `visit`, as find would return them.
    template <class Visit>
    void for_each_of(LineNumber line, Visit&& visit) {
        for (Index i = chains_[chain_of(line)]; i != kNone; i = next_[i]) {
            if (entries_[i].line == line) visit(entries_[i]);
        }
    }
    /// Adds sectors that are not there yet; throws std::logic_error if one is or if there is no
    /// room for them.
    Entry& insert(LineNumber line, SectorMask sectors, Cycle ready);
    /// The same, open: settle() says when they will be there.
    Entry& insert_open(LineNumber line, SectorMask sectors, std::uint32_t request) {
        return entries_[add(line, sectors, kOpen | request)];
    }
    /// An open entry, as it was inserted, will be there at `ready`.
    void settle(LineNumber line, SectorMask sectors, Cycle ready);
    /// When the first entry that is not open will be there; kNever if none is awaited.
    [[nodiscard]] Cycle earliest() const { return first_ == last_ ? kNever : front().ready(); }
    /// Removes and returns the first entry to be ready. The table must not be empty.
    Entry pop_earliest();
    /// Removes all entries ready at `now` or before and hands each to `filled`, in order of
    /// readiness.
    template <class Filled>
    void drain(Cycle now, Filled&& filled) {
        while (first_ != last_ && front().ready() <= now) filled(pop_earliest());
    }

    /// Has the host load the first entries to leave while something else is done.
    void warm_host() const {
        const std::uint32_t end = std::min(last_, first_ + kWarmed);
        for (std::uint32_t i = first_; i < end; ++i)
            __builtin_prefetch(&entries_[queue_[i].index()]);
    }
    /// The same for the first entry alone.
    void warm_host_next() const {
        if (first_ != last_) __builtin_prefetch(&entries_[queue_[first_].index()]);
    }
    /// The same for what removing them touches, and `and_of` for each line.
    template <class AndOf>
    void warm_host_chains(AndOf&& and_of) const {
        const std::uint32_t end = std::min(last_, first_ + kWarmed);
        for (std::uint32_t i = first_; i < end; ++i) {
            const LineNumber line = entries_[queue_[i].index()].line;
            __builtin_prefetch(&chains_[chain_of(line)]);
            __builtin_prefetch(&next_[queue_[i].index()]);
            and_of(line);
        }
    }

    /// Sectors awaited.
    [[nodiscard]] std::uint32_t size() const { return sectors_; }
    [[nodiscard]] std::uint32_t capacity() const { return capacity_; }
    [[nodiscard]] bool full() const { return sectors_ == capacity_; }

private:
    using Index = std::uint16_t;  ///< of an entry
    static constexpr Index kNone = kMaxCapacity;
    static constexpr std::uint32_t kWarmed = 8;
    static constexpr std::uint32_t kMoved = 8;  ///< nodes that leave before the queue is moved
    /// One word, so that a search compares whole words.
    class Node {
    public:
        Node() = default;
        Node(Cycle ready, Index index) : word_(ready << 16U | index) {}
        [[nodiscard]] Cycle ready() const { return word_ >> 16U; }
        [[nodiscard]] Index index() const { return static_cast<Index>(word_); }
        [[nodiscard]] bool ready_by(const Node& other) const {
            return word_ <= (other.word_ | 0xFFFFU);
        }

    private:
        std::uint64_t word_ = 0;
    };

    [[nodiscard]] std::size_t chain_of(LineNumber line) const {
        return static_cast<std::size_t>(line * 0x9E3779B97F4A7C15ULL >> shift_);
    }
    [[nodiscard]] const Node& front() const { return queue_[first_]; }
    Index add(LineNumber line, SectorMask sectors, Cycle ready);
    void enqueue(Node node);

    std::uint32_t capacity_;
    std::uint32_t shift_;  ///< hash to chain
    std::uint32_t sectors_ = 0;
    std::uint32_t first_ = 0, last_ = 0;
    std::vector<Node> queue_;    ///< [first_, last_) in order; moved to the front when at the end
    std::vector<Index> chains_;  ///< hash -> first entry
    std::vector<Index> next_;    ///< entry -> next of its chain, or next free entry
    std::vector<Entry> entries_;
    Index free_ = 0;  ///< first free entry
};

}  // namespace tessera
