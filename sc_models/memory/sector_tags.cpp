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
    const std::size_t count = std::size_t{sets} * ways;
    lines_.assign(count, kNoLine);
    stamps_.assign(count, 0);
    valid_.assign(count, 0);
    dirty_.assign(count, 0);
    recent_.assign(sets, 0);
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

std::size_t SectorTags::find(LineNumber line) const {
    const std::uint32_t set = set_of(line);
    const std::size_t base = std::size_t{set} * ways_;
    const std::size_t guess = base + recent_[set];
    if (lines_[guess] == line) return guess;
    for (std::uint32_t way = 0; way < ways_; ++way) {
        if (lines_[base + way] == line) {
            recent_[set] = static_cast<std::uint8_t>(way);
            return base + way;
        }
    }
    return kNone;
}

SectorMask SectorTags::valid(LineNumber line) const {
    const std::size_t slot = find(line);
    return slot == kNone ? SectorMask{0} : valid_[slot];
}

SectorMask SectorTags::dirty(LineNumber line) const {
    const std::size_t slot = find(line);
    return slot == kNone ? SectorMask{0} : dirty_[slot];
}

SectorTags::Victim SectorTags::fill(LineNumber line, SectorMask sectors, SectorMask dirty) {
    std::size_t slot = find(line);
    Victim victim;
    if (slot == kNone) {
        const std::uint32_t set = set_of(line);
        const auto first = stamps_.begin() + static_cast<std::ptrdiff_t>(std::size_t{set} * ways_);
        slot = static_cast<std::size_t>(std::min_element(first, first + ways_) - stamps_.begin());
        victim = {lines_[slot], valid_[slot], dirty_[slot]};
        lines_[slot] = line;
        valid_[slot] = 0;
        dirty_[slot] = 0;
        recent_[set] = static_cast<std::uint8_t>(slot - std::size_t{set} * ways_);
    }
    valid_[slot] = static_cast<SectorMask>(valid_[slot] | sectors);
    dirty_[slot] = static_cast<SectorMask>(dirty_[slot] | dirty);
    stamps_[slot] = ++stamp_;
    return victim;
}

void SectorTags::mark_dirty(LineNumber line, SectorMask sectors) {
    const std::size_t slot = find(line);
    if (slot == kNone || (valid_[slot] & sectors) != sectors) {
        throw std::logic_error("SectorTags: dirty sector that is not there");
    }
    dirty_[slot] = static_cast<SectorMask>(dirty_[slot] | sectors);
}

void SectorTags::invalidate() {
    std::fill(lines_.begin(), lines_.end(), kNoLine);
    std::fill(stamps_.begin(), stamps_.end(), 0);
    std::fill(valid_.begin(), valid_.end(), SectorMask{0});
    std::fill(dirty_.begin(), dirty_.end(), SectorMask{0});
}

}  // namespace tessera
