#include "sc_models/memory/core/sector_tags.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "sc_models/common/xor_fold.h"

namespace tessera {

namespace {

constexpr std::uint32_t kWordBytes = 8;
constexpr std::uint64_t kOfEachByte = 0x0101010101010101ULL;

/// The top bit of each byte of `word` that equals `byte`.
std::uint64_t equal_bytes(std::uint64_t word, std::uint8_t byte) {
    constexpr std::uint64_t kLow7 = 0x7F * kOfEachByte;
    const std::uint64_t difference = word ^ byte * kOfEachByte;
    return ~(((difference & kLow7) + kLow7) | difference | kLow7);
}

}  // namespace

SectorTags::SectorTags(std::uint32_t sets, std::uint32_t ways, IndexHash hash)
    : sets_(sets),
      ways_(ways),
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

std::uint32_t SectorTags::set_of(LineNumber line) const {
    if (power_of_two_) {
        const std::uint64_t index =
            hash_ == IndexHash::kXor ? xor_fold(line, set_bits_) : line & (sets_ - 1);
        return static_cast<std::uint32_t>(index);
    }
    const std::uint64_t shift = hash_ == IndexHash::kXor ? xor_fold(line / sets_, set_bits_) : 0;
    return static_cast<std::uint32_t>((line % sets_ + shift) % sets_);
}

std::uint32_t SectorTags::find(std::uint32_t set, LineNumber line) const {
    const std::uint64_t* const digests = words(set);
    for (std::uint32_t word = 0; word < digest_words_; ++word) {
        std::uint64_t left = equal_bytes(digests[word], digest(line));
        for (; left != 0; left &= left - 1) {
            const std::uint32_t index =
                word * kWordBytes + static_cast<std::uint32_t>(__builtin_ctzll(left)) / 8;
            if (index < ways_ && way(set, index).line() == line) return index;
        }
    }
    return kAbsent;
}

/// Moves the way at `position` of the order of use to its front.
void SectorTags::move_to_front(std::uint32_t set, std::uint32_t position) {
    std::uint8_t* const order = this->order(set);
    const std::uint8_t way = order[position];
    std::memmove(order + 1, order, position);
    order[0] = way;
}

std::uint32_t SectorTags::use(std::uint32_t set, LineNumber line) {
    const std::uint32_t index = find(set, line);
    if (index == kAbsent) return kAbsent;
    const std::uint8_t* const order = this->order(set);
    std::uint32_t position = 0;
    while (order[position] != index) ++position;
    if (position != 0) move_to_front(set, position);
    return index;
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
