#include "sc_models/opportunistic/assign_table.h"

#include <algorithm>
#include <stdexcept>

namespace tessera {

AssignTable::AssignTable(std::uint32_t entries) : entries_(entries) {
    if (entries == 0) throw std::logic_error("AssignTable: no entries");
    for (Index index = entries; index-- > 0;) free_.push_back(index);
    index_.reserve(std::size_t{2} * entries);
}

SmId AssignTable::find(const BlockPair& pair) {
    ++counts_.lookups;
    const auto found = index_.find(pair);
    if (found == index_.end()) return {};
    ++counts_.hits;
    return entries_[found->second].sm;
}

bool AssignTable::insert_if_absent(const BlockPair& pair, SmId sm) {
    if (index_.find(pair) != index_.end()) return false;
    if (free_.empty()) {
        ++counts_.replaced;
        release(oldest_);
    }
    const Index index = free_.back();
    free_.pop_back();
    entries_[index] = {pair, sm, newest_, kNone};
    (newest_ == kNone ? oldest_ : entries_[newest_].newer) = index;
    newest_ = index;
    index_.emplace(pair, index);
    of_block_[pair.input].push_back(index);
    if (pair.weights != pair.input) of_block_[pair.weights].push_back(index);
    ++size_;
    ++counts_.inserted;
    return true;
}

bool AssignTable::contains(BlockNumber block, SmId sm) const {
    const auto found = of_block_.find(block);
    if (found == of_block_.end()) return false;
    return std::any_of(found->second.begin(), found->second.end(),
                       [&](Index index) { return entries_[index].sm == sm; });
}

std::uint32_t AssignTable::invalidate(BlockNumber block, SmId sm) {
    const auto found = of_block_.find(block);
    if (found == of_block_.end()) return 0;
    std::vector<Index> lost;
    for (const Index index : found->second) {
        if (entries_[index].sm == sm) lost.push_back(index);
    }
    for (const Index index : lost) release(index);
    counts_.invalidated += lost.size();
    return static_cast<std::uint32_t>(lost.size());
}

std::vector<BlockPair> AssignTable::pairs_with(BlockNumber block, SmId sm) const {
    std::vector<BlockPair> pairs;
    const auto found = of_block_.find(block);
    if (found == of_block_.end()) return pairs;
    for (const Index index : found->second) {
        if (entries_[index].sm == sm) pairs.push_back(entries_[index].pair);
    }
    return pairs;
}

void AssignTable::forget(BlockNumber block, Index index) {
    const auto found = of_block_.find(block);
    std::vector<Index>& indices = found.value();
    indices.erase(std::find(indices.begin(), indices.end(), index));
    if (indices.empty()) of_block_.erase(found);
}

void AssignTable::release(Index index) {
    const Entry& entry = entries_[index];
    index_.erase(entry.pair);
    forget(entry.pair.input, index);
    if (entry.pair.weights != entry.pair.input) forget(entry.pair.weights, index);
    (entry.older == kNone ? oldest_ : entries_[entry.older].newer) = entry.newer;
    (entry.newer == kNone ? newest_ : entries_[entry.newer].older) = entry.older;
    free_.push_back(index);
    --size_;
}

void AssignTable::flush() {
    counts_.flushed += size_;
    while (oldest_ != kNone) release(oldest_);
}

}  // namespace tessera
