// How global addresses are spread over L2 slices and DRAM channels.
#pragma once

#include <cstdint>

#include "sc_models/common/divisor.h"
#include "sc_models/common/types.h"
#include "sc_models/common/xor_fold.h"
#include "sc_models/config/memory_config.h"

namespace tessera {

/// Blocks of `slice_interleave_bytes` go round the slices; with `xor` each round starts at another
/// slice, taken from the folded upper address bits, so that power-of-two strides spread as well.
/// Slices need not be a power of two. Slice s belongs to channel s % channels. Both local addresses
/// are dense and one-to-one: different bytes of one slice (channel) have different slice-local
/// (channel-local) addresses.
class AddressMap {
public:
    /// Throws ConfigError if slices is no multiple of channels, or the interleave no power of two
    /// that is at least a line.
    AddressMap(const L2Config& l2, const DramConfig& dram);

    [[nodiscard]] std::uint32_t slice(Address address) const { return locate(address).slice; }
    /// The same, worked out anew: any thread may ask, while others do.
    [[nodiscard]] std::uint32_t find_slice(Address address) const {
        return location_of(address >> interleave_bits_).slice;
    }
    [[nodiscard]] std::uint32_t channel(Address address) const {
        return static_cast<std::uint32_t>(locate(address).slice % by_channels_);
    }
    /// Address within its slice, as the L2's set index sees it.
    [[nodiscard]] Address slice_local(Address address) const {
        return join(locate(address).round, address);
    }
    /// Address within its channel, as the DRAM's rows and banks see it.
    [[nodiscard]] Address channel_local(Address address) const {
        const BlockLocation block = locate(address);
        return join(block.round * slices_per_channel_ + block.slice_of_channel, address);
    }
    /// The global address of byte `local` of a slice: the inverse of slice_local.
    [[nodiscard]] Address global(std::uint32_t slice, Address local) const;

    [[nodiscard]] std::uint32_t slices() const { return slices_; }
    [[nodiscard]] std::uint32_t channels() const { return channels_; }
    /// Consecutive bytes that share a slice.
    [[nodiscard]] std::uint32_t interleave_bytes() const { return 1U << interleave_bits_; }

private:
    struct BlockLocation {
        std::uint64_t round;  ///< how many blocks of the slice lie before
        std::uint32_t slice;
        std::uint32_t slice_of_channel;
    };
    /// By how many slices the blocks of a round are moved.
    [[nodiscard]] std::uint64_t rotation(std::uint64_t round) const;
    /// Of the block asked for last as a rule: an access goes through crossbar, L2 and DRAM in turn.
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
    XorFold fold_;  ///< by the bits that hold a slice
    Divisor by_slices_, by_channels_;
    IndexHash hash_;
    mutable std::uint64_t last_block_ = ~std::uint64_t{0};
    mutable BlockLocation last_location_{};
};

}  // namespace tessera
