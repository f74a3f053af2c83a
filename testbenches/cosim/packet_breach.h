// Convolution packets that break one rule, or only just keep it, for the ID generator's bench.
#pragma once

#include <cstdint>

#include "sc_models/isa/convolution_packet.h"

namespace tessera {

/// One way or more for each rule of ConvolutionPacket::check.
enum class Breach : std::uint8_t {
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
inline constexpr std::uint32_t kBreaches = 27;

/// Changes fields of a valid packet; `draw` chooses the amount, if there is a choice. The model
/// decides whether the result is valid: with small fields some rules cannot be broken.
void breach(ConvolutionPacket& packet, Breach how, std::uint32_t draw);

}  // namespace tessera
