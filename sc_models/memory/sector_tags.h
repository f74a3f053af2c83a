// Tags of a sectored set-associative cache.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/memory/memory_config.h"

namespace tessera {

/// Number of a line: address / line bytes (of the address space the cache indexes).
using LineNumber = std::uint64_t;
/// One bit a sector of a line.
using SectorMask = std::uint8_t;

/// State and rules of a cache's tag array: least-recently-used replacement, one valid and one dirty
/// bit a sector, no time. Any number of sets; `xor` folds all upper bits of the line number into
/// the index.
class SectorTags {
public:
    static constexpr std::uint32_t kMaxWays = 64;
    static constexpr std::uint32_t kMaxSectors = 8;

    /// Throws std::logic_error on zero sets, or ways outside 1..64.
    SectorTags(std::uint32_t sets, std::uint32_t ways, IndexHash hash);

    /// Valid sectors of `line` (0 if it is not there), and makes the line the most recently used.
    SectorMask probe(LineNumber line) {
        const std::size_t slot = find(line);
        if (slot == kNone) return 0;
        stamps_[slot] = ++stamp_;
        return valid_[slot];
    }
    /// As probe, but leaves the order of use alone.
    [[nodiscard]] SectorMask valid(LineNumber line) const;
    [[nodiscard]] SectorMask dirty(LineNumber line) const;

    /// What a fill pushed out.
    struct Victim {
        LineNumber line = 0;
        SectorMask valid = 0;  ///< 0: nothing was pushed out
        SectorMask dirty = 0;
    };
    /// Adds `sectors` (those of `dirty` dirty) to the line, which becomes the most recently used;
    /// takes an unused or the least recently used way if the line is not there.
    Victim fill(LineNumber line, SectorMask sectors, SectorMask dirty);
    /// Marks `sectors` dirty. They must be valid.
    void mark_dirty(LineNumber line, SectorMask sectors);
    /// Drops everything.
    void invalidate();

    [[nodiscard]] std::uint32_t set_of(LineNumber line) const;
    [[nodiscard]] std::uint32_t sets() const { return sets_; }
    [[nodiscard]] std::uint32_t ways() const { return ways_; }

private:
    static constexpr std::size_t kNone = ~std::size_t{0};
    static constexpr LineNumber kNoLine = ~LineNumber{0};
    [[nodiscard]] std::size_t find(LineNumber line) const;

    std::uint32_t sets_, ways_;
    IndexHash hash_;
    std::uint32_t set_bits_;  ///< bits that hold a set index
    bool power_of_two_;
    std::uint64_t stamp_ = 0;
    // Indexed by set * ways + way. Unused: line kNoLine and stamp 0, older than all that is used.
    std::vector<LineNumber> lines_;
    std::vector<std::uint64_t> stamps_;
    std::vector<SectorMask> valid_, dirty_;
    mutable std::vector<std::uint8_t> recent_;  ///< way found last in the set, tried first
};

}  // namespace tessera
