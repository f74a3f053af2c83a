// Tag array of a sectored set-associative cache.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/common/byte_search.h"
#include "sc_models/common/divisor.h"
#include "sc_models/common/host_memory.h"
#include "sc_models/common/types.h"
#include "sc_models/common/xor_fold.h"
#include "sc_models/config/memory_config.h"
#include "sc_models/memory/core/replacement_policy.h"

namespace tessera {

/// Line number: address / line bytes, in the address space the cache indexes.
using LineNumber = std::uint64_t;
/// Mask of the sectors of a line.
using SectorMask = std::uint8_t;

/// Tag array without timing: one valid and one dirty bit a sector, and the replacement policy's
/// order of each set's ways. Any number of sets; `xor` folds all upper bits of the line number into
/// the index. A set stores an eight-bit hash of each way's line next to the order, so that a search
/// reads full line numbers only where the hash matches.
class SectorTags {
public:
    static constexpr std::uint32_t kMaxWays = 64;
    /// Limit of line numbers: 55 bits of address with lines of 128 bytes.
    static constexpr LineNumber kMaxLine = (LineNumber{1} << 48U) - 1;

    /// Throws std::logic_error on zero sets, or ways outside 1..64.
    SectorTags(std::uint32_t sets, std::uint32_t ways, IndexHash hash,
               Replacement replacement = Replacement::kLru);

    /// Returns the host bytes of tags of this size.
    [[nodiscard]] static std::size_t host_bytes(std::uint32_t sets, std::uint32_t ways) {
        return sets * host_lines_of(ways) * sizeof(HostLine);
    }

    /// Returns the valid sectors of `line` (0 if absent) and counts as a use of the line.
    SectorMask probe(LineNumber line) {
        const Set<std::uint64_t> set = set_at(place_of(line));
        const std::uint32_t index = use(set, line);
        return index == kAbsent ? SectorMask{0} : set.way(index).valid();
    }
    /// Host prefetch of the line's set.
    void host_prefetch(LineNumber line) const {
        const HostLine* const set = store_.data() + place_of(line);
        for (std::size_t i = 0; i < host_lines_; ++i) host_prefetch_line(set + i);
    }
    /// probe() without a change of the order.
    [[nodiscard]] SectorMask valid(LineNumber line) const;
    [[nodiscard]] SectorMask dirty(LineNumber line) const;

    /// Line replaced by a fill.
    struct Victim {
        LineNumber line = 0;
        SectorMask valid = 0;  ///< 0: no line was replaced
        SectorMask dirty = 0;
    };
    /// Adds `sectors` (those of `dirty` dirty) to the line, which is a use of it; an absent line
    /// takes an unused way or the one that the replacement policy chooses. Throws std::logic_error
    /// if the line number is too large.
    Victim fill(LineNumber line, SectorMask sectors, SectorMask dirty);
    /// Marks `sectors` dirty, which is a use of the line; throws std::logic_error unless all of
    /// them are valid.
    void mark_dirty(LineNumber line, SectorMask sectors);
    /// Drops all lines.
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
        explicit Way(std::uint64_t word) : word_(word) {}
        Way(LineNumber line, SectorMask valid, SectorMask dirty)
            : word_(line << 16U | static_cast<std::uint64_t>(dirty) << 8U | valid) {}
        [[nodiscard]] std::uint64_t word() const { return word_; }
        [[nodiscard]] LineNumber line() const { return word_ >> 16U; }
        [[nodiscard]] SectorMask valid() const { return static_cast<SectorMask>(word_); }
        [[nodiscard]] SectorMask dirty() const { return static_cast<SectorMask>(word_ >> 8U); }

    private:
        std::uint64_t word_;
    };

    /// A set occupies whole cache lines of the host: one hash byte a way (padded to words), one
    /// way-number byte a way in order, most recent first, then the ways.
    struct alignas(64) HostLine {
        std::uint64_t words[8];
    };
    [[nodiscard]] static std::size_t digest_words_of(std::uint32_t ways) {
        return ceil_div<std::size_t>(ways, sizeof(std::uint64_t));
    }
    [[nodiscard]] static std::size_t host_lines_of(std::uint32_t ways) {
        const std::size_t words = 2 * digest_words_of(ways) + ways;
        return ceil_div<std::size_t>(words * sizeof(std::uint64_t), sizeof(HostLine));
    }
    /// Pointers into a set. Made once an access: otherwise the compiler assumes that a written word
    /// may alias the location.
    template <class Word>
    struct Set {
        Word* digests;
        Word* order;
        Word* ways;
        [[nodiscard]] Way way(std::uint32_t index) const { return Way(ways[index]); }
    };
    /// Returns the index of the line's set in store_.
    [[nodiscard]] std::size_t place_of(LineNumber line) const {
        if (line != last_line_) {
            last_line_ = line;
            last_place_ = set_of(line) * host_lines_;
        }
        return last_place_;
    }
    [[nodiscard]] Set<const std::uint64_t> set_at(std::size_t place) const {
        const auto* const first = reinterpret_cast<const std::uint64_t*>(store_.data() + place);
        return {first, first + digest_words_, first + 2 * digest_words_};
    }
    [[nodiscard]] Set<std::uint64_t> set_at(std::size_t place) {
        auto* const first = reinterpret_cast<std::uint64_t*>(store_.data() + place);
        return {first, first + digest_words_, first + 2 * digest_words_};
    }
    [[nodiscard]] static std::uint8_t* bytes(std::uint64_t* words) {
        return reinterpret_cast<std::uint8_t*>(words);
    }
    /// Returns the way that holds the line, or kAbsent.
    template <class Word>
    [[nodiscard]] std::uint32_t find(const Set<Word>& set, LineNumber line) const;
    /// find(), and puts the line in front of its set's order if the policy orders by use.
    std::uint32_t use(const Set<std::uint64_t>& set, LineNumber line);
    static void move_to_front(std::uint64_t* order, std::uint32_t position) {
        if (position >= 8) return move_far_to_front(bytes(order), position);
        const std::uint64_t before = *order;
        const std::uint64_t way = before >> 8 * position & 0xFF;
        const std::uint64_t moved = (std::uint64_t{0x100} << 8 * position) - 1;
        *order = (before & ~moved) | (before << 8U & moved) | way;
    }
    static void move_far_to_front(std::uint8_t* order, std::uint32_t position);
    [[nodiscard]] static std::uint8_t digest(LineNumber line) {
        return static_cast<std::uint8_t>(line * 0x9E3779B97F4A7C15ULL >> 56U);
    }

    static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};
    std::uint32_t sets_, ways_;
    Divisor divisor_;  ///< by the number of sets
    IndexHash hash_;
    ReplacementPolicy replacement_;
    bool orders_by_use_;
    XorFold fold_;  ///< folds to the bits that hold a set index
    bool power_of_two_;
    std::uint32_t digest_words_;  ///< words of a set's hashes; also of its order
    std::size_t host_lines_;      ///< host cache lines of a set
    std::vector<HostLine> store_;
    // Cache of the last lookup, since an access looks a line up several times.
    mutable LineNumber last_line_ = ~LineNumber{0};
    mutable std::size_t last_place_ = 0;
};

// Inline, since every sector access executes these.

inline std::uint32_t SectorTags::set_of(LineNumber line) const {
    if (power_of_two_) {
        const std::uint64_t index = hash_ == IndexHash::kXor ? fold_(line) : line & (sets_ - 1);
        return static_cast<std::uint32_t>(index);
    }
    const std::uint64_t round = line / divisor_;
    std::uint64_t index = line - round * sets_;
    if (hash_ == IndexHash::kXor) index += fold_(round);
    while (index >= sets_) index -= sets_;  // below 3 x sets, as fold_ uses the fewest bits
    return static_cast<std::uint32_t>(index);
}

template <class Word>
std::uint32_t SectorTags::find(const Set<Word>& set, LineNumber line) const {
    const std::uint8_t sought = digest(line);
    for (std::uint32_t word = 0; word < digest_words_; word += kSearchedWords) {
        std::uint32_t left = bytes_equal(set.digests + word, sought);
        for (; left != 0; left &= left - 1) {
            const std::uint32_t index = word * 8 + static_cast<std::uint32_t>(__builtin_ctz(left));
            if (index < ways_ && set.way(index).line() == line) return index;
        }
    }
    return kAbsent;
}

inline std::uint32_t SectorTags::use(const Set<std::uint64_t>& set, LineNumber line) {
    const std::uint32_t index = find(set, line);
    if (index == kAbsent || index == (*set.order & 0xFF) || !orders_by_use_) return index;
    const auto way = static_cast<std::uint8_t>(index);
    for (std::uint32_t word = 0;; word += kSearchedWords) {
        const std::uint32_t found = bytes_equal(set.order + word, way);
        if (found == 0) continue;
        move_to_front(set.order, word * 8 + static_cast<std::uint32_t>(__builtin_ctz(found)));
        return index;
    }
}

}  // namespace tessera
