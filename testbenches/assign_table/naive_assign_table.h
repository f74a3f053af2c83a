// Naive reference of an assign table and of the free assignment slots of its cluster.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <vector>

#include "sc_models/opportunistic/assign_table.h"

namespace tessera::testbench {

/// Assign table as a list, oldest entry first, which every operation searches from end to end.
class NaiveAssignTable {
public:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    NaiveAssignTable(std::size_t capacity, std::uint32_t sms, std::uint32_t slots)
        : capacity_(capacity), free_(sms, slots) {}

    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    /// Returns the SM that has both blocks, or kNone.
    [[nodiscard]] std::uint32_t find(const BlockPair& pair) const {
        const auto found = std::find_if(entries_.begin(), entries_.end(),
                                        [&](const Entry& e) { return e.pair == pair; });
        return found == entries_.end() ? kNone : found->sm;
    }
    /// Enters a pair unless it is present; returns whether the oldest entry was replaced.
    bool insert(const BlockPair& pair, std::uint32_t sm) {
        if (find(pair) != kNone) return false;
        const bool full = entries_.size() == capacity_;
        if (full) entries_.pop_front();
        entries_.push_back({pair, sm});
        return full;
    }
    /// Removes all entries of `sm` with this block; returns whether there was one.
    bool invalidate(BlockNumber block, std::uint32_t sm) {
        const std::size_t before = entries_.size();
        entries_.remove_if([&](const Entry& e) {
            return e.sm == sm && (e.pair.input == block || e.pair.weights == block);
        });
        return entries_.size() < before;
    }
    /// Takes a free slot of an SM, counted within its cluster; returns false without one.
    bool reserve(std::uint32_t sm) {
        if (free_[sm] == 0) return false;
        --free_[sm];
        return true;
    }
    void release(std::uint32_t sm, std::uint32_t slots) { free_[sm] += slots; }

private:
    struct Entry {
        BlockPair pair;
        std::uint32_t sm = 0;
    };
    std::size_t capacity_;
    std::list<Entry> entries_;
    std::vector<std::uint32_t> free_;
};

}  // namespace tessera::testbench
