#include "sc_models/opportunistic/precompute_table.h"

#include <algorithm>
#include <stdexcept>

namespace tessera {

PrecomputeTable::PrecomputeTable(std::uint32_t entries, std::uint32_t lanes)
    : lanes_(lanes), entries_(entries), results_(std::size_t{entries} * lanes) {
    if (entries == 0 || lanes == 0) throw std::logic_error("PrecomputeTable: no entries or lanes");
    for (Index index = entries; index-- > 0;) free_.push_back(index);
    index_.reserve(std::size_t{2} * entries);
}

void PrecomputeTable::append(List& list, Link Entry::*link, Index index) {
    (entries_[index].*link) = {list.last, kNone};
    (list.last == kNone ? list.first : (entries_[list.last].*link).next) = index;
    list.last = index;
}

void PrecomputeTable::remove(List& list, Link Entry::*link, Index index) {
    const Link at = entries_[index].*link;
    (at.previous == kNone ? list.first : (entries_[at.previous].*link).next) = at.next;
    (at.next == kNone ? list.last : (entries_[at.next].*link).previous) = at.previous;
}

PrecomputeTable::Index PrecomputeTable::find(const PrecomputeKey& key) const {
    const auto found = index_.find(key);
    return found == index_.end() ? kNone : found->second;
}

PrecomputeTable::Index PrecomputeTable::insert_if_absent(const PrecomputeKey& key,
                                                         const VectorOperation& operation) {
    if (index_.find(key) != index_.end()) return kNone;
    if (free_.empty()) {
        Index oldest = by_age_.first;
        while (oldest != kNone && entries_[oldest].running) oldest = entries_[oldest].age.next;
        if (oldest == kNone) {
            ++counts_.rejected;
            return kNone;
        }
        ++counts_.replaced;
        release(oldest);
    }
    const Index index = free_.back();
    free_.pop_back();
    Entry& entry = entries_[index];
    entry.key = key;
    entry.operation = operation;
    entry.complete = entry.running = false;
    entry.waits = true;
    append(by_age_, &Entry::age, index);
    append(pending_, &Entry::pending, index);
    index_.emplace(key, index);
    ++size_;
    ++counts_.inserted;
    return index;
}

void PrecomputeTable::release(Index index) {
    Entry& entry = entries_[index];
    index_.erase(entry.key);
    remove(by_age_, &Entry::age, index);
    if (entry.waits) remove(pending_, &Entry::pending, index);
    ++entry.generation;
    entry.running = entry.waits = false;
    free_.push_back(index);
    --size_;
}

void PrecomputeTable::use(Index index) {
    ++(entries_[index].complete ? counts_.used : counts_.too_late);
    release(index);
}

void PrecomputeTable::start(Index index) {
    remove(pending_, &Entry::pending, index);
    entries_[index].running = true;
    entries_[index].waits = false;
}

bool PrecomputeTable::finish(Index index, std::uint32_t generation, const float* results) {
    Entry& entry = entries_[index];
    if (entry.generation != generation || !entry.running) {
        ++counts_.late_results;
        return false;
    }
    entry.running = false;
    entry.complete = true;
    ++counts_.completed;
    if (results != nullptr) {
        std::copy_n(results, lanes_, results_.begin() + std::ptrdiff_t{index} * lanes_);
    }
    return true;
}

void PrecomputeTable::eliminate(std::uint32_t entries) {
    while (entries-- > 0 && by_age_.first != kNone) {
        ++counts_.eliminated;
        release(by_age_.first);
    }
}

void PrecomputeTable::flush() {
    while (by_age_.first != kNone) {
        ++counts_.flushed;
        release(by_age_.first);
    }
}

}  // namespace tessera
