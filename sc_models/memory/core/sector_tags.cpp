#include "sc_models/memory/core/sector_tags.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

namespace tessera {

SectorTags::SectorTags(std::uint32_t sets, std::uint32_t ways, IndexHash hash)
    : sets_(sets),
      ways_(ways),
      divisor_(std::max(sets, 1U)),
      hash_(hash),
      set_bits_(index_bits(sets)),
      power_of_two_(is_power_of_two(sets)),
      digest_words_(static_cast<std::uint32_t>(digest_words_of(ways))),
      host_lines_(host_lines_of(ways)) {
    if (sets == 0 || ways == 0 || ways > kMaxWays) {
        throw std::logic_error("SectorTags: impossible geometry");
    }
    store_.resize(sets * host_lines_);
    invalidate();
}

/// Moves the way at `position` of the order of use to its front.
void SectorTags::move_far_to_front(std::uint32_t set, std::uint32_t position) {
    std::uint8_t* const order = this->order(set);
    const std::uint8_t way = order[position];
    std::memmove(order + 1, order, position);
    order[0] = way;
}

SectorMask SectorTags::valid(LineNumber line) const {
    const std::uint32_t set = set_of(line);
    const std::uint32_t index = find(set, line);
    return index == kAbsent ? SectorMask{0} : way(set, index).valid();
}

SectorMask SectorTags::dirty(LineNumber line) const {
    const std::uint32_t set = set_of(line);
    const std::uint32_t index = find(set, line);
    return index == kAbsent ? SectorMask{0} : way(set, index).dirty();
}

SectorTags::Victim SectorTags::fill(LineNumber line, SectorMask sectors, SectorMask dirty) {
    if (line >= kMaxLine) throw std::logic_error("SectorTags: line number too large");
    const std::uint32_t set = set_of(line);
    const std::uint32_t index = use(set, line);
    if (index != kAbsent) {
        Way there = way(set, index);
        there.add(sectors, dirty);
        set_way(set, index, there);
        return {};
    }
    const std::uint8_t last = order(set)[ways_ - 1];
    const Way pushed_out = way(set, last);
    set_way(set, last, Way(line, sectors, dirty));
    digests(set)[last] = digest(line);
    move_to_front(set, ways_ - 1);
    return {pushed_out.line(), pushed_out.valid(), pushed_out.dirty()};
}

void SectorTags::mark_dirty(LineNumber line, SectorMask sectors) {
    const std::uint32_t set = set_of(line);
    const std::uint32_t index = use(set, line);
    if (index == kAbsent || (way(set, index).valid() & sectors) != sectors) {
        throw std::logic_error("SectorTags: dirty sector that is not there");
    }
    Way there = way(set, index);
    there.add(0, sectors);
    set_way(set, index, there);
}

void SectorTags::invalidate() {
    for (std::uint32_t set = 0; set < sets_; ++set) {
        std::iota(order(set), order(set) + ways_, std::uint8_t{0});
        for (std::uint32_t index = 0; index < ways_; ++index) set_way(set, index, Way());
    }
}

}  // namespace tessera
