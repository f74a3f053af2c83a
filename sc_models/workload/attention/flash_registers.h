// Registers of a warp of the fused attention kernel, and what its operations do to them.
#pragma once

#include <cstdint>

#include "sc_models/isa/warp_instruction.h"
#include "sc_models/workload/attention/flash_problem.h"

namespace tessera {

inline constexpr std::uint32_t kFlashWarps = 4;

/// Registers of a warp. It has `strips` of 16 rows, 64 rows apart. Tiles of sums are 16x16 floats,
/// row by row, or column by column as a product of a warpgroup leaves them. Halves of the weights
/// of a block lie in the first half of its scores, or, of a warpgroup, behind the scores.
struct FlashRegisters {
    static constexpr std::uint32_t kRing = 6;  ///< fragments of keys or values
    std::uint32_t strips = 0, score_tiles = 0, output_tiles = 0;
    bool by_columns = false;
    bool masked = false;  ///< a register for a warp's part of the mask of a block

    /// Returns those of a warp that computes products by itself.
    [[nodiscard]] static FlashRegisters of_warp(const FlashTile& tile, std::uint32_t head_size,
                                                bool masked);
    /// Returns those of a warp of a warpgroup, which has one strip.
    [[nodiscard]] static FlashRegisters of_warpgroup(const FlashTile& tile,
                                                     std::uint32_t head_size);

    [[nodiscard]] std::uint8_t output(std::uint32_t strip, std::uint32_t tile) const {
        return reg((strip * output_tiles + tile) * kRegistersPerFragment);
    }
    [[nodiscard]] std::uint8_t score(std::uint32_t strip, std::uint32_t tile) const {
        return reg(scores_ + (strip * score_tiles + tile) * kRegistersPerFragment);
    }
    /// Fragment of weights, in halves.
    [[nodiscard]] std::uint8_t weight(std::uint32_t strip, std::uint32_t tile) const {
        return reg(weights_ + (strip * score_tiles + tile) * kHalvesOfTile);
    }
    /// Place of a row and column in a tile of scores, weights or output.
    [[nodiscard]] std::uint32_t element(std::uint32_t row, std::uint32_t column) const {
        return by_columns ? column * kFragmentRows + row : row * kFragmentRows + column;
    }
    /// Halves of a strip of the result, in place of scores: row by row.
    [[nodiscard]] std::uint8_t result(std::uint32_t strip) const {
        return reg(scores_ + strip * output_tiles * kHalvesOfTile);
    }
    [[nodiscard]] std::uint8_t query(std::uint32_t set, std::uint32_t strip) const {
        return reg(queries_ + (set * strips + strip) * kHalvesOfTile);
    }
    [[nodiscard]] std::uint8_t ring(std::uint32_t slot) const {
        return reg(ring_ + slot % kRing * kHalvesOfTile);
    }
    [[nodiscard]] std::uint8_t maxima() const { return reg(maxima_); }       ///< by row
    [[nodiscard]] std::uint8_t factors() const { return reg(maxima_ + 1); }  ///< by row
    /// Sums of weights, four of a row: lane q of a quad adds columns 2q and 2q + 1 of each eight.
    [[nodiscard]] std::uint8_t weight_sums(std::uint32_t strip) const {
        return reg(maxima_ + 2 + strip * 2);
    }
    [[nodiscard]] std::uint8_t mask() const { return reg(maxima_ + 2 + strips * 2); }
    /// Mask of the keys of a tile of scores, in halves.
    [[nodiscard]] std::uint8_t mask_of_tile(std::uint32_t tile) const { return ring(tile); }
    [[nodiscard]] std::uint32_t named() const {
        return maxima_ + 2 + strips * 2 + (masked ? 1 : 0);
    }
    [[nodiscard]] std::uint32_t output_registers() const {
        return strips * output_tiles * kRegistersPerFragment;
    }
    [[nodiscard]] std::uint32_t score_registers() const {
        return strips * score_tiles * kRegistersPerFragment;
    }

    static constexpr std::uint32_t kHalvesOfTile = kRegistersPerFragment / 2;

private:
    FlashRegisters(std::uint32_t strip_count, const FlashTile& tile, std::uint32_t head_size)
        : strips(strip_count),
          score_tiles(tile.keys / kFragmentRows),
          output_tiles(head_size / kFragmentRows),
          scores_(output_registers()),
          weights_(scores_) {}
    [[nodiscard]] static std::uint8_t reg(std::uint32_t number) {
        return static_cast<std::uint8_t>(number);
    }

    std::uint32_t scores_ = 0, weights_ = 0, queries_ = 0, ring_ = 0, maxima_ = 0;
};

/// Steps of the softmax of a block, in the arithmetic of the kernel.
namespace flash {
/// 2^x, rounded once; 0 for minus infinity.
[[nodiscard]] float exp2_of(float x);
/// Weight of a score: 2^(score scale2 - max scale2), where scale2 = scale log2(e). The argument is
/// rounded once (FFMA) behind the product of the maximum.
[[nodiscard]] float weight_of(float score, float max, float scale2);
/// Factor of sums of earlier blocks: 2^((before - max) scale2).
[[nodiscard]] float factor_of(float before, float max, float scale2);
[[nodiscard]] float scale2_of(float scale);
/// Score before the scale, with mask / scale added: rounded once (FFMA).
[[nodiscard]] float masked_score(float score, float mask, float scale);
/// Sum of the four sums of a row by butterflies.
[[nodiscard]] float row_sum(const float sums[4]);
/// Lane of a quad that adds column `column`.
[[nodiscard]] constexpr std::uint32_t lane_of_column(std::uint32_t column) {
    return column % 8 / 2;
}
/// Natural logarithm of the sum of exp(scale score).
[[nodiscard]] float log_of_sum(float max, float sum, float scale);
}  // namespace flash

/// Function of a kernel's operations on registers, if values are on.
class FlashFunction : public RegisterFunction {
public:
    FlashFunction(const FlashProblem& problem, const FlashRegisters& registers)
        : problem_(problem), registers_(registers) {}

    enum What : std::uint32_t {
        kBegin,        ///< maxima to minus infinity, sums of weights to zero
        kAddMask,      ///< adds the mask of a tile's keys to its scores
        kMask,         ///< scores beyond the keys of a row to minus infinity
        kKeepMaxima,   ///< factors become the maxima
        kMax,          ///< maxima of a tile of scores
        kFactor,       ///< factors of earlier sums, from old and new maxima
        kScaleSums,    ///< sums of weights times the factors
        kScaleOutput,  ///< a tile of the output times the factors
        kWeights,      ///< scores become weights
        kAddWeights,   ///< adds a tile of weights to their sums
        kPack,         ///< rounds a tile of weights to halves
        kInvert,       ///< factors become 1 / sum of weights, maxima the logarithm of the sum
        kRound         ///< rounds a tile of the output to halves of the result
    };
    /// Sets operation, strip, tile and, of kMask, the first row and key of the tile.
    static void encode(FunctionCall& call, What what, std::uint32_t strip, std::uint32_t tile = 0,
                       std::uint64_t row = 0, std::uint64_t key = 0) {
        call.variant = what | strip << 8U | tile << 16U;
        call.position = row << 32U | key;
    }
    void apply(const WarpInstruction& instruction, std::byte* registers) const override;

private:
    struct Place {
        std::uint32_t strip = 0, tile = 0, row = 0, key = 0;
    };
    void apply_to_row(What what, const Place& at, std::uint32_t r, std::byte* registers) const;
    void apply_to_element(What what, const Place& at, std::uint32_t r, std::uint32_t c,
                          std::byte* registers) const;

    const FlashProblem& problem_;
    const FlashRegisters& registers_;
};

}  // namespace tessera
