#include "sc_models/memory/core/mshr_table_lt.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sc_models/common/xor_fold.h"

namespace tessera {

MshrTableLt::MshrTableLt(std::uint32_t capacity) : capacity_(capacity), fills_(capacity) {
    if (capacity == 0 || capacity > kMaxCapacity) {
        throw std::logic_error("MshrTableLt: impossible capacity");
    }
    const std::uint32_t bits = index_bits(std::uint64_t{2} * capacity);
    shift_ = 64 - bits;
    chains_.assign(std::size_t{1} << bits, kNone);
    for (std::uint32_t i = 0; i < capacity; ++i) {
        fills_[static_cast<Index>(i)].next = static_cast<Index>(i + 1);
    }
}

MshrTableLt::Entry& MshrTableLt::insert(LineNumber line, SectorMask sectors, std::uint64_t ready) {
    const Index index = add(line, sectors, ready);
    if ((ready & kOpen) == 0) fills_.push(index, ready, lower_first());
    return fills_[index].entry;
}

void MshrTableLt::resolve(LineNumber line, SectorMask sectors, Cycle ready) {
    const Index index = index_of(line, sectors);
    if (index == kNone || !fills_[index].entry.open()) {
        throw std::logic_error("MshrTableLt: not open");
    }
    fills_[index].entry.ready = ready;
    fills_.push(index, ready, lower_first());
}

/// Adds an entry without queuing its fill.
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
    Register& added = fills_[index];
    free_ = added.next;
    Index& chain = chains_[chain_of(line)];
    added = {entry, chain};
    chain = index;
    return index;
}

MshrTableLt::Entry MshrTableLt::pop_earliest() {
    if (fills_.first() == kNone) throw std::logic_error("MshrTableLt: empty");
    const Index index = fills_.pop(lower_first());
    Register& popped = fills_[index];
    sectors_ -= popped.entry.count();
    Index* link = &chains_[chain_of(popped.entry.line)];
    while (*link != index) link = &fills_[*link].next;
    *link = std::exchange(popped.next, free_);
    free_ = index;
    return popped.entry;
}

}  // namespace tessera
