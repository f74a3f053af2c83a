// 2:4 operand of a staged product: compressed lines and their metadata.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sc_models/workload/staged/staged_operand.h"

namespace tessera {

/// Lines of a 2:4 operand (tensor_core/structured_sparsity.h). The kept halves, 16 for each 32 k of
/// a line, are an operand of half the k with a layout of their own. Metadata is a word for each
/// line and 32 k: the words of all lines for the first 32 k, then those for the next (CUTLASS 2:
/// ColumnMajorInterleaved<2> of 16-bit metadata, there with lines reordered for its register
/// layout). In shared memory the metadata of a CTA's lines follows the kept halves of all its
/// lines, 32 k a row. Steps are multiples of 32 k.
class CompressedLines : public StagedOperand {
public:
    struct Metadata {
        Address base = 0;
        std::uint64_t lines = 0;
        std::uint32_t cta_lines = 0;
        std::uint32_t k_tiles = 0;  ///< 16 k each, an even number

        /// Bytes between the words of 32 k and those of the next. Lines are allocated up to whole
        /// line tiles.
        [[nodiscard]] std::uint32_t pitch_bytes() const {
            return static_cast<std::uint32_t>(round_up(lines, std::uint64_t{kLineTile})) *
                   kWordBytes;
        }
        [[nodiscard]] std::uint64_t bytes() const {
            return std::uint64_t{pitch_bytes()} * (k_tiles / kTilesOfWord);
        }
    };
    /// Bytes of the metadata of a line's 32 k.
    static constexpr std::uint32_t kWordBytes = 4;
    /// Depth tiles of a product that one word, and one depth tile of kept halves, stands for.
    static constexpr std::uint32_t kTilesOfWord = 2;

    /// `kept`: the kept halves, as an operand of half the k.
    CompressedLines(std::unique_ptr<StagedOperand> kept, const Metadata& metadata)
        : kept_(std::move(kept)), metadata_(metadata) {}

    [[nodiscard]] Needs needs(std::uint32_t depth_tiles) const override;
    /// Throws std::logic_error: only whole CTAs are copied.
    void copies(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                std::uint32_t slot, std::vector<StagedCopy>& out) const override;
    void copies_of_cta(const TileRange& tiles, std::uint32_t first, std::uint32_t depth_tiles,
                       std::uint32_t slot, std::uint32_t slot_bytes,
                       std::vector<StagedCopy>& out) const override;
    /// Position of the kept halves of 16 lines and of the 32 k from depth tile `tile` on.
    [[nodiscard]] Fragment fragment(std::uint32_t line, std::uint32_t tile,
                                    std::uint32_t depth_tiles) const override;
    /// Offset in a CTA's slots of the metadata of line `line` and the 32 k from depth tile `tile`
    /// on; that of the next lines follows.
    [[nodiscard]] std::uint32_t metadata_offset(std::uint32_t line, std::uint32_t tile,
                                                std::uint32_t depth_tiles) const;

private:
    [[nodiscard]] std::uint32_t row_bytes() const { return metadata_.cta_lines * kWordBytes; }
    /// Bytes of the kept halves of a CTA's lines in shared memory.
    [[nodiscard]] std::uint32_t kept_bytes(std::uint32_t depth_tiles) const;

    std::unique_ptr<StagedOperand> kept_;
    Metadata metadata_;
};

}  // namespace tessera
