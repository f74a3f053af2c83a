#include "sc_models/memory/sector_tags.h"

#include <algorithm>
#include <stdexcept>

#include "sc_models/memory/xor_fold.h"

namespace tessera {

SectorTags::SectorTags(std::uint32_t sets, std::uint32_t ways, IndexHash hash)
    : sets_(sets),
      ways_(ways),
      hash_(hash),
      set_bits_(index_bits(sets)),
      power_of_two_(is_power_of_two(sets)) {
    if (sets == 0 || ways == 0 || ways > kMaxWays) {
        throw std::logic_error("SectorTags: impossible geometry");
    }
    ways_of_sets_.resize(std::size_t{sets} * ways);
}

std::uint32_t SectorTags::set_of(LineNumber line) const {
    if (power_of_two_) {
        const std::uint64_t index =
            hash_ == IndexHash::kXor ? xor_fold(line, set_bits_) : line & (sets_ - 1);
        return static_cast<std::uint32_t>(index);
    }
    const std::uint64_t shift = hash_ == IndexHash::kXor ? xor_fold(line / sets_, set_bits_) : 0;
    return static_cast<std::uint32_t>((line % sets_ + shift) % sets_);
}

const SectorTags::Way* SectorTags::find(LineNumber line) const {
    const Way* const first = ways_of_sets_.data() + std::size_t{set_of(line)} * ways_;
    const Way* const end = first + ways_;
    const Way* const way =
        std::find_if(first, end, [line](const Way& w) { return w.line() == line; });
    return way == end ? nullptr : way;
}

SectorTags::Way* SectorTags::use(LineNumber line) {
    Way* const first = set_begin(line);
    Way* const end = first + ways_;
    Way* const way = std::find_if(first, end, [line](const Way& w) { return w.line() == line; });
    if (way == end) return nullptr;
    const Way used = *way;
    std::move_backward(first, way, way + 1);
    *first = used;
    return first;
}

SectorMask SectorTags::valid(LineNumber line) const {
    const Way* const way = find(line);
    return way == nullptr ? SectorMask{0} : way->valid();
}

SectorMask SectorTags::dirty(LineNumber line) const {
    const Way* const way = find(line);
    return way == nullptr ? SectorMask{0} : way->dirty();
}

SectorTags::Victim SectorTags::fill(LineNumber line, SectorMask sectors, SectorMask dirty) {
    if (line >= kMaxLine) throw std::logic_error("SectorTags: line number too large");
    if (Way* const way = use(line)) {
        way->add(sectors, dirty);
        return {};
    }
    Way* const first = set_begin(line);
    const Way last = first[ways_ - 1];
    std::move_backward(first, first + ways_ - 1, first + ways_);
    *first = Way(line, sectors, dirty);
    return {last.line(), last.valid(), last.dirty()};
}

void SectorTags::mark_dirty(LineNumber line, SectorMask sectors) {
    Way* const way = use(line);
    if (way == nullptr || (way->valid() & sectors) != sectors) {
        throw std::logic_error("SectorTags: dirty sector that is not there");
    }
    way->add(0, sectors);
}

void SectorTags::invalidate() {
    std::fill(ways_of_sets_.begin(), ways_of_sets_.end(), Way{});
}

}  // namespace tessera
