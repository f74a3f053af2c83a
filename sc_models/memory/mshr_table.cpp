#include "sc_models/memory/mshr_table.h"

#include <algorithm>
#include <stdexcept>

#include "sc_models/memory/xor_fold.h"

namespace tessera {

MshrTable::MshrTable(std::uint32_t capacity) : capacity_(capacity) {
    if (capacity == 0) throw std::logic_error("MshrTable: no entries");
    const std::uint32_t bits = std::max(index_bits(std::uint64_t{2} * capacity), kGroupBits + 1);
    shift_ = 64 - (bits - kGroupBits);
    mask_ = (std::size_t{1} << bits) - 1;
    table_.resize(std::size_t{1} << (bits - kGroupBits));
    heap_.reserve(capacity);
}

MshrTable::Entry& MshrTable::insert(std::uint64_t sector, Cycle ready) {
    if (full()) throw std::logic_error("MshrTable: full");
    Entry& place = at(place_of(sector));
    if (place.targets != 0) throw std::logic_error("MshrTable: sector is there already");
    place = {sector, 0, ready, 1};
    heap_.push_back({ready, sector});
    std::push_heap(heap_.begin(), heap_.end());
    return place;
}

MshrTable::Entry MshrTable::pop_earliest() {
    if (heap_.empty()) throw std::logic_error("MshrTable: empty");
    std::pop_heap(heap_.begin(), heap_.end());
    const std::size_t place = place_of(heap_.back().sector);
    heap_.pop_back();
    const Entry entry = at(place);
    erase(place);
    return entry;
}

std::uint32_t MshrTable::outstanding_at(Cycle at) const {
    return static_cast<std::uint32_t>(std::count_if(
        heap_.begin(), heap_.end(), [at](const Node& node) { return node.ready > at; }));
}

/// Frees a place and moves later entries of the probe chain back, so that no tombstones are needed.
void MshrTable::erase(std::size_t place) {
    std::size_t hole = place;
    for (std::size_t next = (hole + 1) & mask_; at(next).targets != 0; next = (next + 1) & mask_) {
        const std::size_t home = home_of(at(next).sector);
        // The entry may move to the hole unless its home lies cyclically after the hole.
        if (((next - home) & mask_) >= ((next - hole) & mask_)) {
            at(hole) = at(next);
            hole = next;
        }
    }
    at(hole) = {};
}

}  // namespace tessera
