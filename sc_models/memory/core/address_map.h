// Mapping of global addresses to L2 slices and DRAM channels.
#pragma once

#include <cstdint>

#include "sc_models/common/divisor.h"
#include "sc_models/common/types.h"
#include "sc_models/common/xor_fold.h"
#include "sc_models/config/memory_config.h"

namespace tessera {

/// Blocks of `slice_interleave_bytes` are distributed over the slices in turn; with `xor` each
/// round starts at another slice, given by the folded upper address bits, so that power-of-two
/// strides spread as well. The number of slices need not be a power of two. Slice s belongs to
/// channel s % channels. Both local addresses are dense and one-to-one: different bytes of one
/// slice (channel) have different slice-local (channel-local) addresses.
class AddressMap {
public:
    /// Throws ConfigError if slices is no multiple of channels, or the interleave no power of two
    /// that is at least a line.
    AddressMap(const L2Config& l2, const DramConfig& dram);

    [[nodiscard]] std::uint32_t slice(Address address) const { return locate(address).slice; }
    /// slice() without the cache of the last block; safe on any thread.
    [[nodiscard]] std::uint32_t find_slice(Address address) const {
        return location_of(address >> interleave_bits_).slice;
    }
    [[nodiscard]] std::uint32_t channel(Address address) const {
        return static_cast<std::uint32_t>(locate(address).slice % by_channels_);
    }
    /// Returns the address within its slice, used by the L2's set index.
    [[nodiscard]] Address slice_local(Address address) const {
        return join(locate(address).round, address);
    }
    /// Returns the address within its channel, used for DRAM rows and banks.
    [[nodiscard]] Address channel_local(Address address) const {
        const BlockLocation block = locate(address);
        return join(block.round * slices_per_channel_ + block.slice_of_channel, address);
    }
    /// Returns the global address of byte `local` of a slice: the inverse of slice_local.
    [[nodiscard]] Address global(std::uint32_t slice, Address local) const;

    [[nodiscard]] std::uint32_t slices() const { return slices_; }
    [[nodiscard]] std::uint32_t channels() const { return channels_; }
    /// Returns the number of consecutive bytes that share a slice.
    [[nodiscard]] std::uint32_t interleave_bytes() const { return 1U << interleave_bits_; }

private:
    struct BlockLocation {
        std::uint64_t round;  ///< number of preceding blocks in the slice
        std::uint32_t slice;
        std::uint32_t slice_of_channel;
    };
    /// Returns the number of slices by which the blocks of a round are rotated.
    [[nodiscard]] std::uint64_t rotation(std::uint64_t round) const;
    /// Caches the last block's location: an access passes crossbar, L2 and DRAM one after the
    /// other.
    [[nodiscard]] BlockLocation locate(Address address) const {
        const std::uint64_t block = address >> interleave_bits_;
        if (block != last_block_) {
            last_block_ = block;
            last_location_ = location_of(block);
        }
        return last_location_;
    }
    [[nodiscard]] BlockLocation location_of(std::uint64_t block) const;
    [[nodiscard]] Address join(std::uint64_t block, Address address) const {
        return block << interleave_bits_ | (address & (interleave_bytes() - 1));
    }

    std::uint32_t slices_, channels_, slices_per_channel_;
    std::uint32_t interleave_bits_;
    XorFold fold_;  ///< folds to the bits that hold a slice
    Divisor by_slices_, by_channels_;
    IndexHash hash_;
    mutable std::uint64_t last_block_ = ~std::uint64_t{0};
    mutable BlockLocation last_location_{};
};

}  // namespace tessera
