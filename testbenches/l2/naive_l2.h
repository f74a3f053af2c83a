// Naive reference of an L2 slice's contents.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/config/memory_config.h"
#include "testbenches/harness/memory_operations.h"
#include "testbenches/harness/naive_address_map.h"

namespace tessera::testbench {

/// Sectored, write-back, write-allocate cache with least-recently-used replacement, written down as
/// lists, at addresses within the slice. It is exact for accesses that do not overlap in time.
class NaiveL2 {
public:
    explicit NaiveL2(const L2Config& config)
        : line_bytes_(config.line_bytes),
          sector_bytes_(config.sector_bytes),
          ways_(config.ways),
          folds_(config.set_hash == IndexHash::kXor),
          sets_(config.sets_per_slice) {}

    struct Lookup {
        std::uint32_t hits = 0;            ///< sectors that are present
        std::uint32_t allocations = 0;     ///< absent sectors that are written as a whole
        std::vector<Address> fetches;      ///< sectors read from DRAM
        std::vector<Address> write_backs;  ///< dirty sectors of the replaced line
        bool evicts = false;               ///< a line is replaced
    };
    /// Plays an access of one line.
    Lookup access(tlm::tlm_command command, Address begin, std::uint32_t bytes) {
        const bool write = command == tlm::TLM_WRITE_COMMAND;
        const std::uint64_t number = begin / line_bytes_;
        Lookup lookup;
        Line& line = use(number, lookup);
        for (Address sector = begin / sector_bytes_; sector * sector_bytes_ < begin + bytes;
             ++sector) {
            const Address first = sector * sector_bytes_;
            const std::uint32_t bit = 1U << sector % (line_bytes_ / sector_bytes_);
            if ((line.valid & bit) != 0) {
                ++lookup.hits;
            } else if (write && begin <= first && begin + bytes >= first + sector_bytes_) {
                ++lookup.allocations;
            } else {
                lookup.fetches.push_back(first);
            }
            line.valid |= bit;
            if (write) line.dirty |= bit;
        }
        return lookup;
    }
    [[nodiscard]] std::size_t set_of(std::uint64_t line) const {
        const std::size_t sets = sets_.size();
        const std::uint64_t folded = folds_ ? naive_fold(line / sets, sets) : 0;
        const bool power_of_two = std::uint64_t{1} << naive_bits(sets) == sets;
        return power_of_two ? line % sets ^ folded : (line % sets + folded) % sets;
    }

private:
    struct Line {
        std::uint64_t number = 0;
        std::uint32_t valid = 0, dirty = 0;  ///< masks of sectors
    };
    /// Returns the line as the most recently used one; an absent line replaces the oldest.
    Line& use(std::uint64_t number, Lookup& lookup) {
        std::list<Line>& set = sets_[set_of(number)];
        const auto found = std::find_if(set.begin(), set.end(),
                                        [number](const Line& l) { return l.number == number; });
        if (found != set.end()) {
            set.splice(set.begin(), set, found);
            return set.front();
        }
        lookup.evicts = set.size() == ways_;
        if (lookup.evicts) {
            const Line victim = set.back();
            set.pop_back();
            for (std::uint32_t i = 0; i < line_bytes_ / sector_bytes_; ++i) {
                if ((victim.dirty >> i & 1U) == 0) continue;
                lookup.write_backs.push_back(victim.number * line_bytes_ + i * sector_bytes_);
            }
        }
        set.push_front({number, 0, 0});
        return set.front();
    }

    std::uint32_t line_bytes_, sector_bytes_, ways_;
    bool folds_;
    std::vector<std::list<Line>> sets_;
};

}  // namespace tessera::testbench
