#include "sc_models/memory/core/address_map.h"

#include <string>

#include "sc_models/common/error.h"
#include "sc_models/common/xor_fold.h"

namespace tessera {

AddressMap::AddressMap(const L2Config& l2, const DramConfig& dram)
    : slices_(l2.slices),
      channels_(dram.channels),
      slices_per_channel_(l2.slices / dram.channels),
      interleave_bits_(index_bits(l2.slice_interleave_bytes)),
      fold_(index_bits(l2.slices)),
      by_slices_(slices_),
      by_channels_(channels_),
      hash_(l2.slice_hash) {
    if (slices_ % channels_ != 0) {
        throw ConfigError("l2.slices: got " + std::to_string(slices_) +
                          ", expected a multiple of dram.channels = " + std::to_string(channels_));
    }
    if (!is_power_of_two(l2.slice_interleave_bytes) || l2.slice_interleave_bytes < l2.line_bytes) {
        throw ConfigError("l2.slice_interleave_bytes: got " +
                          std::to_string(l2.slice_interleave_bytes) +
                          ", expected a power of two that is at least l2.line_bytes = " +
                          std::to_string(l2.line_bytes));
    }
}

std::uint64_t AddressMap::rotation(std::uint64_t round) const {
    if (hash_ == IndexHash::kNone) return 0;
    const std::uint64_t folded =
        fold_(round);  // below 2 x slices: the fold uses the fewest bits that hold a slice
    return folded >= slices_ ? folded - slices_ : folded;
}

AddressMap::BlockLocation AddressMap::location_of(std::uint64_t block) const {
    const std::uint64_t round = block / by_slices_;
    std::uint64_t slice = block - round * slices_ + rotation(round);
    if (slice >= slices_) slice -= slices_;
    return {round, static_cast<std::uint32_t>(slice),
            static_cast<std::uint32_t>(slice / by_channels_)};
}

Address AddressMap::global(std::uint32_t slice, Address local) const {
    const std::uint64_t round = local >> interleave_bits_;
    const std::uint64_t rotated = slice + slices_ - rotation(round);
    return join(round * slices_ + (rotated >= slices_ ? rotated - slices_ : rotated), local);
}

}  // namespace tessera
