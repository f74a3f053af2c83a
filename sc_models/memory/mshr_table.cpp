#include "sc_models/memory/mshr_table.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "sc_models/memory/xor_fold.h"

namespace tessera {

MshrTable::MshrTable(std::uint32_t capacity) : capacity_(capacity) {
    if (capacity == 0 || capacity > kMaxCapacity) {
        throw std::logic_error("MshrTable: impossible capacity");
    }
    const std::uint32_t bits = index_bits(std::uint64_t{2} * capacity);
    shift_ = 64 - bits;
    queue_.resize(std::size_t{2} * capacity);
    chains_.assign(std::size_t{1} << bits, kNone);
    next_.resize(capacity);
    std::iota(next_.begin(), next_.end(), Index{1});
    entries_.resize(capacity);
}

MshrTable::Entry& MshrTable::insert(std::uint64_t sector, Cycle ready) {
    if (full()) throw std::logic_error("MshrTable: full");
    if (find(sector) != nullptr) throw std::logic_error("MshrTable: sector is there already");
    const Index index = free_;
    free_ = next_[index];
    Index& chain = chains_[chain_of(sector)];
    next_[index] = chain;
    chain = index;
    entries_[index] = {sector, 0, ready, 1};
    enqueue({ready, index});
    return entries_[index];
}

void MshrTable::enqueue(Node node) {
    if (last_ == queue_.size()) {
        std::copy(queue_.begin() + first_, queue_.end(), queue_.begin());
        last_ -= first_;
        first_ = 0;
    }
    // The place may be anywhere, which no branch predictor foresees: a search without branches.
    Node* place = queue_.data() + first_;
    for (std::uint32_t left = last_ - first_; left > 0;) {
        const std::uint32_t half = (left + 1) / 2;
        place += place[half - 1].ready <= node.ready ? half : 0;
        left -= half;
    }
    Node* const end = queue_.data() + last_++;
    while (place != queue_.data() + first_ && place[-1].ready == node.ready &&
           entries_[place[-1].index].sector > entries_[node.index].sector) {
        --place;
    }
    std::copy_backward(place, end, end + 1);
    *place = node;
}

MshrTable::Entry MshrTable::pop_earliest() {
    if (first_ == last_) throw std::logic_error("MshrTable: empty");
    const auto index = static_cast<Index>(queue_[first_++].index);
    const Entry entry = entries_[index];
    Index* link = &chains_[chain_of(entry.sector)];
    while (*link != index) link = &next_[*link];
    *link = next_[index];
    next_[index] = free_;
    free_ = index;
    return entry;
}

}  // namespace tessera
