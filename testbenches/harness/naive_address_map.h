// Naive reference of the mapping of addresses to L2 slices, and of the hash of all indices.
#pragma once

#include <cstdint>

#include "sc_models/common/types.h"
#include "sc_models/config/memory_config.h"

namespace tessera::testbench {

/// Returns the number of bits that represent 0..n-1.
[[nodiscard]] inline std::uint32_t naive_bits(std::uint64_t n) {
    std::uint32_t bits = 0;
    while (std::uint64_t{1} << bits < n) ++bits;
    return bits;
}

/// Exclusive or of all pieces of `value` that are as wide as an index below `n`.
[[nodiscard]] inline std::uint64_t naive_fold(std::uint64_t value, std::uint64_t n) {
    const std::uint32_t bits = naive_bits(n);
    std::uint64_t folded = 0;
    if (bits == 0) return 0;
    for (; value != 0; value >>= bits) folded ^= value % (std::uint64_t{1} << bits);
    return folded;
}

/// Blocks of l2.slice_interleave_bytes in turn, each round of them rotated by the fold of its
/// number if l2.slice_hash is xor.
class NaiveAddressMap {
public:
    explicit NaiveAddressMap(const L2Config& config)
        : slices_(config.slices),
          interleave_(config.slice_interleave_bytes),
          rotates_(config.slice_hash == IndexHash::kXor) {}

    [[nodiscard]] std::uint32_t slice_of(Address address) const {
        return slice_of_block(address / interleave_);
    }
    /// Returns the address within its slice.
    [[nodiscard]] Address local_of(Address address) const {
        return address / interleave_ / slices_ * interleave_ + address % interleave_;
    }
    /// Returns the address of byte `local` of a slice.
    [[nodiscard]] Address global_of(std::uint32_t slice, Address local) const {
        std::uint64_t block = local / interleave_ * slices_;
        while (slice_of_block(block) != slice) ++block;
        return block * interleave_ + local % interleave_;
    }

private:
    [[nodiscard]] std::uint32_t slice_of_block(std::uint64_t block) const {
        const std::uint64_t rotation = rotates_ ? naive_fold(block / slices_, slices_) : 0;
        return static_cast<std::uint32_t>((block % slices_ + rotation) % slices_);
    }

    std::uint64_t slices_, interleave_;
    bool rotates_;
};

}  // namespace tessera::testbench
