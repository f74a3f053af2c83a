// Invalid convolution packets, and valid ones at the limit of a rule, for the ID generator's bench.
#pragma once

#include <cstdint>

#include "sc_models/isa/convolution_packet.h"

namespace tessera {

/// Violations of the rules of ConvolutionPacket::check, at least one for each rule.
enum class PacketViolation : std::uint8_t {
    kValid,
    kBase,
    kNoStride,
    kStrideOfTransposed,
    kNoChannels,
    kImageSize,
    kNoFilterHeight,
    kFilterTooHigh,
    kNoFilterRow,
    kFilterRowTooShort,
    kFilterRowUneven,
    kFilterRowByOne,
    kFilterTooWide,
    kNoUpFactor,
    kUpFactorOfOrdinary,
    kPaddedWidth,
    kPaddedHeight,
    kNoOutputHeight,
    kOutputHeightByOne,
    kNoOutputWidth,
    kOutputWidthByOne,
    kNoRowPitch,
    kRowPitchTooShort,
    kIndexShift,
    kChunksUneven,
    kChunksTooFew,
    kEndOfMemory,
};
inline constexpr std::uint32_t kPacketViolations = 27;

/// Changes fields of a valid packet; `draw` chooses the amount, if there is a choice. The model
/// decides whether the result is valid: with small fields some rules cannot be broken.
void apply_violation(ConvolutionPacket& packet, PacketViolation how, std::uint32_t draw);

}  // namespace tessera
