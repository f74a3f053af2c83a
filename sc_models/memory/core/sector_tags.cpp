#include "sc_models/memory/core/sector_tags.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

namespace tessera {

SectorTags::SectorTags(std::uint32_t sets, std::uint32_t ways, IndexHash hash,
                       Replacement replacement)
    : sets_(sets),
      ways_(ways),
      divisor_(std::max(sets, 1U)),
      hash_(hash),
      replacement_(replacement),
      orders_by_use_(replacement_.orders_by_use()),
      fold_(index_bits(sets)),
      power_of_two_(is_power_of_two(sets)),
      digest_words_(static_cast<std::uint32_t>(digest_words_of(ways))),
      host_lines_(host_lines_of(ways)) {
    if (sets == 0 || ways == 0 || ways > kMaxWays) {
        throw std::logic_error("SectorTags: impossible geometry");
    }
    store_.resize(sets * host_lines_);
    invalidate();
}

/// Moves the way at `position` of the order to its front.
void SectorTags::move_far_to_front(std::uint8_t* order, std::uint32_t position) {
    const std::uint8_t way = order[position];
    std::memmove(order + 1, order, position);
    order[0] = way;
}

SectorMask SectorTags::valid(LineNumber line) const {
    const Set<const std::uint64_t> set = set_at(place_of(line));
    const std::uint32_t index = find(set, line);
    return index == kAbsent ? SectorMask{0} : set.way(index).valid();
}

SectorMask SectorTags::dirty(LineNumber line) const {
    const Set<const std::uint64_t> set = set_at(place_of(line));
    const std::uint32_t index = find(set, line);
    return index == kAbsent ? SectorMask{0} : set.way(index).dirty();
}

SectorTags::Victim SectorTags::fill(LineNumber line, SectorMask sectors, SectorMask dirty) {
    if (line >= kMaxLine) throw std::logic_error("SectorTags: line number too large");
    // Usually a line other than the one being looked up.
    const std::size_t place = line == last_line_ ? last_place_ : set_of(line) * host_lines_;
    const Set<std::uint64_t> set = set_at(place);
    const std::uint32_t index = use(set, line);
    if (index != kAbsent) {
        set.ways[index] |= Way(0, sectors, dirty).word();
        return {};
    }
    // Unused ways are last in the order, since a fill puts its way in front.
    std::uint32_t place_of_victim = ways_ - 1;
    if (set.way(bytes(set.order)[place_of_victim]).line() != kMaxLine) {
        place_of_victim = replacement_.victim(ways_);
    }
    const std::uint8_t taken = bytes(set.order)[place_of_victim];
    const Way pushed_out = set.way(taken);
    set.ways[taken] = Way(line, sectors, dirty).word();
    bytes(set.digests)[taken] = digest(line);
    move_to_front(set.order, place_of_victim);
    return {pushed_out.line(), pushed_out.valid(), pushed_out.dirty()};
}

void SectorTags::mark_dirty(LineNumber line, SectorMask sectors) {
    const Set<std::uint64_t> set = set_at(place_of(line));
    const std::uint32_t index = use(set, line);
    if (index == kAbsent || (set.way(index).valid() & sectors) != sectors) {
        throw std::logic_error("SectorTags: dirty sector that is not there");
    }
    set.ways[index] |= Way(0, 0, sectors).word();
}

void SectorTags::invalidate() {
    for (std::uint32_t set = 0; set < sets_; ++set) {
        const Set<std::uint64_t> there = set_at(set * host_lines_);
        std::iota(bytes(there.order), bytes(there.order) + ways_, std::uint8_t{0});
        std::fill_n(there.ways, ways_, Way().word());
    }
}

}  // namespace tessera
