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
/// the index. A way takes 8 bytes, and the ways of a set are kept in order of use, the latest
/// first, so that a search finds what is in use early and replacement takes the last.
class SectorTags {
public:
    static constexpr std::uint32_t kMaxWays = 64;
    static constexpr std::uint32_t kMaxSectors = 8;
    /// Line numbers are below this: 55 bits of address with lines of 128 bytes.
    static constexpr LineNumber kMaxLine = (LineNumber{1} << 48U) - 1;

    /// Throws std::logic_error on zero sets, or ways outside 1..64.
    SectorTags(std::uint32_t sets, std::uint32_t ways, IndexHash hash);

    /// Valid sectors of `line` (0 if it is not there), and makes the line the most recently used.
    SectorMask probe(LineNumber line) {
        Way* const way = use(line);
        return way == nullptr ? SectorMask{0} : way->valid();
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
    /// takes an unused or the least recently used way if the line is not there. Throws
    /// std::logic_error if the line number is too large.
    Victim fill(LineNumber line, SectorMask sectors, SectorMask dirty);
    /// Marks `sectors` dirty and the line the most recently used; throws std::logic_error unless
    /// all of them are valid.
    void mark_dirty(LineNumber line, SectorMask sectors);
    /// Drops everything.
    void invalidate();

    [[nodiscard]] std::uint32_t set_of(LineNumber line) const;
    [[nodiscard]] std::uint32_t sets() const { return sets_; }
    [[nodiscard]] std::uint32_t ways() const { return ways_; }

private:
    /// Line number, dirty sectors and valid sectors in one word, so that a search compares whole
    /// words.
    class Way {
    public:
        Way() : Way(kMaxLine, 0, 0) {}
        Way(LineNumber line, SectorMask valid, SectorMask dirty)
            : word_(line << 16U | static_cast<std::uint64_t>(dirty) << 8U | valid) {}
        [[nodiscard]] LineNumber line() const { return word_ >> 16U; }
        [[nodiscard]] SectorMask valid() const { return static_cast<SectorMask>(word_); }
        [[nodiscard]] SectorMask dirty() const { return static_cast<SectorMask>(word_ >> 8U); }
        void add(SectorMask valid, SectorMask dirty) {
            word_ |= static_cast<std::uint64_t>(dirty) << 8U | valid;
        }

    private:
        std::uint64_t word_;
    };

    /// The first way of the line's set.
    [[nodiscard]] Way* set_begin(LineNumber line) {
        return ways_of_sets_.data() + std::size_t{set_of(line)} * ways_;
    }
    [[nodiscard]] const Way* find(LineNumber line) const;
    /// The line's way, moved to the front of its set; null if it is not there.
    Way* use(LineNumber line);

    std::uint32_t sets_, ways_;
    IndexHash hash_;
    std::uint32_t set_bits_;  ///< bits that hold a set index
    bool power_of_two_;
    std::vector<Way> ways_of_sets_;  ///< set by set; unused ways are last
};

}  // namespace tessera
