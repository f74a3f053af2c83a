#include "sc_models/memory/core/mshr_table_at.h"

#include <stdexcept>

#include "sc_models/common/xor_fold.h"

namespace tessera {

MshrTableAt::MshrTableAt(std::uint32_t capacity) : entries_(capacity) {
    if (capacity == 0) throw std::logic_error("MshrTableAt: no registers");
    targets_.grow(capacity);
    const std::uint32_t bits = index_bits(capacity) + 1;
    chains_.assign(std::size_t{1} << bits, kNone);
    shift_ = 64 - bits;
    for (Index i = 0; i + 1 < capacity; ++i) entries_[i].next = i + 1;
}

MshrTableAt::Index MshrTableAt::allocate(std::uint64_t sector) {
    if (full()) throw std::logic_error("MshrTableAt: all registers are taken");
    if (find(sector) != kNone) throw std::logic_error("MshrTableAt: the sector has a register");
    const Index index = free_;
    free_ = entries_[index].next;
    Index& chain = chains_[chain_of(sector)];
    entries_[index] = Entry{};
    entries_[index].sector = sector;
    entries_[index].next = chain;
    chain = index;
    ++size_;
    return index;
}

void MshrTableAt::add_target(Index index, std::uint32_t target) {
    targets_.push(index, target);
    ++entries_[index].targets;
}

/// Removes the register from its chain and frees it.
void MshrTableAt::unlink(Index index) {
    Entry& entry = entries_[index];
    Index* place = &chains_[chain_of(entry.sector)];
    while (*place != index) place = &entries_[*place].next;
    *place = entry.next;
    entry.next = free_;
    free_ = index;
    --size_;
}

}  // namespace tessera
