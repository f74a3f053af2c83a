#include "sc_models/memory/core/mshr_table_lt.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "sc_models/common/xor_fold.h"

namespace tessera {

MshrTableLt::MshrTableLt(std::uint32_t capacity) : capacity_(capacity) {
    if (capacity == 0 || capacity > kMaxCapacity) {
        throw std::logic_error("MshrTableLt: impossible capacity");
    }
    const std::uint32_t bits = index_bits(std::uint64_t{2} * capacity);
    shift_ = 64 - bits;
    queue_.resize(std::max(std::size_t{2} * capacity, std::size_t{capacity} + kMoved));
    chains_.assign(std::size_t{1} << bits, kNone);
    next_.resize(capacity);
    std::iota(next_.begin(), next_.end(), Index{1});
    entries_.resize(capacity);
}

MshrTableLt::Entry& MshrTableLt::insert(LineNumber line, SectorMask sectors, Cycle ready) {
    const Index index = add(line, sectors, ready);
    enqueue({ready, index});
    return entries_[index];
}

void MshrTableLt::settle(LineNumber line, SectorMask sectors, Cycle ready) {
    Entry* const entry = find(line, sectors);
    if (entry == nullptr || !entry->open()) throw std::logic_error("MshrTableLt: not open");
    entry->ready = ready;
    enqueue({ready, static_cast<Index>(entry - entries_.data())});
}

/// Adds an entry, but does not queue it.
MshrTableLt::Index MshrTableLt::add(LineNumber line, SectorMask sectors, Cycle ready) {
    if (find(line, sectors) != nullptr) {
        throw std::logic_error("MshrTableLt: sector is there already");
    }
    const Entry entry{line, sectors, 0, ready, 1};
    if (sectors == 0 || sectors_ + entry.count() > capacity_) {
        throw std::logic_error("MshrTableLt: no room");
    }
    sectors_ += entry.count();
    const Index index = free_;
    free_ = next_[index];
    Index& chain = chains_[chain_of(line)];
    next_[index] = chain;
    chain = index;
    entries_[index] = entry;
    return index;
}

void MshrTableLt::enqueue(Node node) {
    // Moved as soon as as much has left as is there, so that few of the host's cache lines hold it.
    if (first_ >= kMoved && first_ >= last_ - first_) {
        std::copy(queue_.begin() + first_, queue_.begin() + last_, queue_.begin());
        last_ -= first_;
        first_ = 0;
    }
    // The place may be anywhere, which no branch predictor foresees: a search without branches.
    Node* place = queue_.data() + first_;
    for (std::uint32_t left = last_ - first_; left > 0;) {
        const std::uint32_t half = (left + 1) / 2;
        place += place[half - 1].ready_by(node) ? half : 0;
        left -= half;
    }
    Node* const end = queue_.data() + last_++;
    const auto rank = [this](const Node& of) {
        const Entry& entry = entries_[of.index()];
        return std::uint64_t{entry.line} << 8U | entry.sectors;
    };
    while (place != queue_.data() + first_ && place[-1].ready() == node.ready() &&
           rank(place[-1]) > rank(node)) {
        --place;
    }
    std::copy_backward(place, end, end + 1);
    *place = node;
}

MshrTableLt::Entry MshrTableLt::pop_earliest() {
    if (first_ == last_) throw std::logic_error("MshrTableLt: empty");
    const Index index = queue_[first_++].index();
    const Entry entry = entries_[index];
    sectors_ -= entry.count();
    Index* link = &chains_[chain_of(entry.line)];
    while (*link != index) link = &next_[*link];
    *link = next_[index];
    next_[index] = free_;
    free_ = index;
    return entry;
}

}  // namespace tessera
