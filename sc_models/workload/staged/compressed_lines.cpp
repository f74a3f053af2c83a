#include "sc_models/workload/staged/compressed_lines.h"

#include <algorithm>
#include <stdexcept>

namespace tessera {
namespace {

constexpr std::uint32_t kMostOfCopy = 4 * kWarpRegisterBytes;

}  // namespace

std::uint32_t CompressedLines::kept_bytes(std::uint32_t depth_tiles) const {
    return metadata_.cta_lines / kLineTile * kept_->needs(depth_tiles / kTilesOfWord).slot_bytes;
}

StagedOperand::Needs CompressedLines::needs(std::uint32_t depth_tiles) const {
    Needs most = kept_->needs(depth_tiles / kTilesOfWord);
    const std::uint32_t bytes = kLineTile * kWordBytes * (depth_tiles / kTilesOfWord);
    most.slot_bytes += bytes;
    most.copies += ceil_div(bytes, kMostOfCopy);
    return most;
}

void CompressedLines::copies(std::uint32_t /*line_tile*/, std::uint32_t /*first*/,
                             std::uint32_t /*depth_tiles*/, std::uint32_t /*slot*/,
                             std::vector<StagedCopy>& /*out*/) const {
    throw std::logic_error("CompressedLines: a copy of a line tile");
}

void CompressedLines::copies_of_cta(const TileRange& tiles, std::uint32_t first,
                                    std::uint32_t depth_tiles, std::uint32_t slot,
                                    std::uint32_t /*slot_bytes*/,
                                    std::vector<StagedCopy>& out) const {
    const std::uint32_t kept_depth = depth_tiles / kTilesOfWord;
    kept_->copies_of_cta(tiles, first / kTilesOfWord, kept_depth, slot,
                         kept_->needs(kept_depth).slot_bytes, out);
    const std::uint32_t bytes = (tiles.end - tiles.first) * kLineTile * kWordBytes;
    const std::uint32_t together = std::max(1U, kMostOfCopy / bytes);
    const std::uint32_t rows = std::min(depth_tiles, metadata_.k_tiles - first) / kTilesOfWord;
    const Address begin = metadata_.base + Address{first / kTilesOfWord} * metadata_.pitch_bytes() +
                          Address{tiles.first} * kLineTile * kWordBytes;
    for (std::uint32_t row = 0; row < rows; row += together) {
        const auto count = static_cast<std::uint16_t>(std::min(together, rows - row));
        for (std::uint32_t at = 0; at < bytes; at += kMostOfCopy) {
            const auto some = static_cast<std::uint16_t>(std::min(kMostOfCopy, bytes - at));
            out.push_back({begin + Address{row} * metadata_.pitch_bytes() + at,
                           slot + kept_bytes(depth_tiles) + row * row_bytes() + at, count, some,
                           metadata_.pitch_bytes(), row_bytes()});
        }
    }
}

StagedOperand::Fragment CompressedLines::fragment(std::uint32_t line, std::uint32_t tile,
                                                  std::uint32_t depth_tiles) const {
    return kept_->fragment(line, tile / kTilesOfWord, depth_tiles / kTilesOfWord);
}

std::uint32_t CompressedLines::metadata_offset(std::uint32_t line, std::uint32_t tile,
                                               std::uint32_t depth_tiles) const {
    return kept_bytes(depth_tiles) + tile / kTilesOfWord * row_bytes() + line * kWordBytes;
}

}  // namespace tessera
