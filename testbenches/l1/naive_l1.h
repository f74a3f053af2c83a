// Naive reference of the L1's contents.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/config/memory_config.h"
#include "testbenches/harness/memory_operations.h"

namespace tessera::testbench {

/// Sectored, set-associative cache with least-recently-used replacement, written down as lists. It
/// is exact for accesses that do not overlap in time.
class NaiveL1 {
public:
    NaiveL1(const L1Config& config, std::uint32_t capacity_bytes)
        : line_bytes_(config.line_bytes),
          sector_bytes_(config.sector_bytes),
          ways_(config.ways),
          folds_(config.set_hash == IndexHash::kXor),
          stores_allocate_(config.stores == L1Stores::kAllocate),
          sets_(capacity_bytes / (ways_ * line_bytes_)) {}

    struct Lookup {
        std::uint32_t hits = 0, misses = 0;  ///< sectors
        bool evicts = false;                 ///< a line is replaced
    };
    /// Plays an access of one line. A write counts as hits if its line is present.
    Lookup access(const MemoryOperation& operation) {
        if (operation.command == tlm::TLM_READ_COMMAND) {
            return read(operation.address, operation.bytes, operation.bypass_l1);
        }
        return write(operation.address, operation.bytes);
    }

private:
    struct Line {
        std::uint64_t number = 0;
        std::uint64_t sectors = 0;
    };
    /// Reads bytes of one line, and fills the missing sectors unless the read bypasses the cache.
    Lookup read(Address address, std::uint32_t bytes, bool bypass) {
        Lookup lookup;
        const std::uint64_t line = address / line_bytes_;
        std::list<Line>& set = sets_[set_of(line)];
        const auto found = bypass ? set.end() : touch(set, line);
        std::uint64_t sectors = 0;
        for (Address a = address / sector_bytes_; a <= (address + bytes - 1) / sector_bytes_; ++a) {
            const std::uint64_t bit = std::uint64_t{1} << a % (line_bytes_ / sector_bytes_);
            const bool hit = found != set.end() && (found->sectors & bit) != 0;
            ++(hit ? lookup.hits : lookup.misses);
            if (!hit) sectors |= bit;
        }
        if (bypass || sectors == 0) return lookup;
        if (found != set.end()) {
            found->sectors |= sectors;
            return lookup;
        }
        lookup.evicts = set.size() == ways_;
        if (lookup.evicts) set.pop_back();
        set.push_front({line, sectors});
        return lookup;
    }
    /// Writes through; a line that is present becomes the most recently used. If stores allocate,
    /// an absent one is added, and the sectors whose bytes are all written are present.
    Lookup write(Address address, std::uint32_t bytes) {
        const std::uint64_t line = address / line_bytes_;
        std::list<Line>& set = sets_[set_of(line)];
        Lookup lookup;
        lookup.hits = touch(set, line) != set.end() ? 1U : 0U;
        if (!stores_allocate_) return lookup;
        if (lookup.hits == 0) {
            lookup.evicts = set.size() == ways_;
            if (lookup.evicts) set.pop_back();
            set.push_front({line, 0});
        }
        for (std::uint32_t i = 0; i < line_bytes_ / sector_bytes_; ++i) {
            const Address begin = line * line_bytes_ + Address{i} * sector_bytes_;
            const bool whole = address <= begin && begin + sector_bytes_ <= address + bytes;
            if (whole) set.front().sectors |= std::uint64_t{1} << i;
        }
        return lookup;
    }
    [[nodiscard]] std::size_t set_of(std::uint64_t line) const {
        const std::size_t sets = sets_.size();
        if (!folds_) return line % sets;
        std::uint64_t index = 0;  // exclusive or of all pieces as wide as an index
        for (; line != 0; line /= sets) index ^= line % sets;
        return index;
    }
    /// Makes the line the most recently used; end() if it is absent.
    static std::list<Line>::iterator touch(std::list<Line>& set, std::uint64_t line) {
        const auto found = std::find_if(set.begin(), set.end(),
                                        [line](const Line& l) { return l.number == line; });
        if (found != set.end()) set.splice(set.begin(), set, found);
        return found;
    }

    std::uint32_t line_bytes_, sector_bytes_, ways_;
    bool folds_, stores_allocate_;
    std::vector<std::list<Line>> sets_;
};

}  // namespace tessera::testbench
