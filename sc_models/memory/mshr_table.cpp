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
    queue_.resize(std::size_t{2} * capacity);
}

MshrTable::Entry& MshrTable::insert(std::uint64_t sector, Cycle ready) {
    if (full()) throw std::logic_error("MshrTable: full");
    Entry& place = at(place_of(sector));
    if (place.targets != 0) throw std::logic_error("MshrTable: sector is there already");
    place = {sector, 0, ready, 1};
    enqueue({ready, sector});
    return place;
}

void MshrTable::enqueue(Node node) {
    if (last_ == queue_.size()) {
        std::copy(queue_.begin() + static_cast<std::ptrdiff_t>(first_), queue_.end(),
                  queue_.begin());
        last_ -= first_;
        first_ = 0;
    }
    const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(last_++);
    const auto place =
        std::upper_bound(queue_.begin() + static_cast<std::ptrdiff_t>(first_), end, node);
    std::copy_backward(place, end, end + 1);
    *place = node;
}

MshrTable::Entry MshrTable::pop_earliest() {
    if (first_ == last_) throw std::logic_error("MshrTable: empty");
    const std::size_t place = place_of(queue_[first_++].sector);
    const Entry entry = at(place);
    erase(place);
    return entry;
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
