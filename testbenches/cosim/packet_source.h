// Convolution packets for the ID generator's bench: Duplo Table I, random layers, broken packets.
#pragma once

#include <cstdint>
#include <random>

#include "sc_models/isa/convolution_packet.h"

namespace tessera {

class PacketSource {
public:
    explicit PacketSource(std::mt19937_64& rng) : rng_(rng) {}

    /// The 22 layers under the three channel rules first, then the ends of the ranges and a packet
    /// for each way to break a rule and each pair of them, then random layers of which half are
    /// spoilt.
    [[nodiscard]] ConvolutionPacket::Bytes next();
    [[nodiscard]] std::uint64_t count() const { return count_; }
    /// A random layer that is not spoilt.
    [[nodiscard]] ConvolutionPacket::Bytes any() { return random_packet().encode(); }
    /// A random layer that breaks a rule, or is not valid.
    [[nodiscard]] ConvolutionPacket::Bytes broken();

private:
    /// How channels become chunks: padded to 16; filter rows padded to 16; not at all.
    enum class Rule : std::uint8_t { kChannels, kFilterRow, kDense };
    enum class Extreme : std::uint8_t {
        kIdRange,
        kIdRangeByOne,
        kImage,
        kRows,
        kPitch,
        kDensePitch,
        kStretched,
        kStretchedUpright
    };
    static constexpr std::uint64_t kExtremes = 8;

    [[nodiscard]] std::uint32_t pick(std::uint32_t low, std::uint32_t high) {
        return low + static_cast<std::uint32_t>(rng_() % (high - low + 1));
    }
    /// 1 to `high`, every power of two as likely as the next.
    [[nodiscard]] std::uint32_t pick_size(std::uint32_t high);
    /// Up to the most that a packet can say, and often that.
    [[nodiscard]] std::uint32_t many_images() {
        return pick(0, 3) == 0 ? ConvolutionPacket::kMostImages
                               : pick(512, ConvolutionPacket::kMostImages);
    }
    void finish(LoweredGeometry& g, Rule rule);
    [[nodiscard]] LoweredGeometry table1_layer(std::size_t layer, Rule rule);
    [[nodiscard]] LoweredGeometry extreme(Extreme which);
    /// A layer as networks have them.
    [[nodiscard]] LoweredGeometry random_layer();
    /// Any values of the packet's fields.
    [[nodiscard]] LoweredGeometry wide_layer();
    /// Its element ids end next to 2^48.
    [[nodiscard]] LoweredGeometry long_layer();
    /// 2^15 channels and more; some have one row of any length.
    [[nodiscard]] LoweredGeometry deep_layer();
    /// More rows than networks have, up to 2^30 an image.
    [[nodiscard]] LoweredGeometry tall_layer();
    /// Small images in much padding, few channels: chunks of many pixels, zero and other.
    [[nodiscard]] LoweredGeometry padded_layer();
    /// The same with long rows and inserted zeros.
    [[nodiscard]] LoweredGeometry stretched_layer();
    /// A packet's filter may be wider than `make` allows: up to its input. False, and nothing is
    /// changed, if a field has no room for what follows.
    [[nodiscard]] bool set_filter_width(ConvolutionPacket& packet, std::uint32_t width);
    void widen_filter(ConvolutionPacket& packet);
    /// The zero rule far out: wide filters, the last of many rows; and filters of half a row and
    /// more.
    [[nodiscard]] ConvolutionPacket far_packet();
    [[nodiscard]] ConvolutionPacket random_packet();
    void spoil(ConvolutionPacket::Bytes& bytes);

    std::mt19937_64& rng_;
    std::uint64_t count_ = 0;
};

}  // namespace tessera
