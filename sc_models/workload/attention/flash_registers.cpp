#include "sc_models/workload/attention/flash_registers.h"

#include <cmath>
#include <limits>

#include "sc_models/workload/operators/tensor_math.h"
#include "sc_models/workload/register_values.h"

namespace tessera {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
constexpr double kLn2 = 0.693147180559945309417;
constexpr float kLog2E = 1.44269504088896340736F;
constexpr std::uint32_t kLanesOfQuad = 4;

}  // namespace

FlashRegisters FlashRegisters::of_warp(const FlashTile& tile, std::uint32_t head_size,
                                       bool masked) {
    FlashRegisters registers(tile.rows / (kFlashWarps * kFragmentRows), tile, head_size);
    registers.queries_ = registers.scores_ + registers.score_registers();
    registers.ring_ = registers.queries_ + 2 * registers.strips * kHalvesOfTile;
    registers.maxima_ = registers.ring_ + kRing * kHalvesOfTile;
    registers.masked = masked;
    return registers;
}

FlashRegisters FlashRegisters::of_warpgroup(const FlashTile& tile, std::uint32_t head_size) {
    FlashRegisters registers(1, tile, head_size);
    registers.by_columns = true;
    registers.weights_ = registers.scores_ + registers.score_registers();
    registers.maxima_ = registers.weights_ + registers.score_tiles * kHalvesOfTile;
    return registers;
}

namespace flash {

float exp2_of(float x) {
    if (x == kMinusInfinity) return 0;
    return static_cast<float>(exp_of(double{x} * kLn2));
}

float weight_of(float score, float max, float scale2) {
    const float shift = max == kMinusInfinity ? 0 : max * scale2;
    return exp2_of(static_cast<float>(double{score} * double{scale2} - double{shift}));
}

float factor_of(float before, float max, float scale2) {
    return exp2_of((before - (max == kMinusInfinity ? 0 : max)) * scale2);
}

float scale2_of(float scale) {
    return scale * kLog2E;
}

float masked_score(float score, float mask, float scale) {
    return static_cast<float>(double{mask} * double{1 / scale} + double{score});
}

float row_sum(const float sums[4]) {
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

float log_of_sum(float max, float sum, float scale) {
    if (!(sum > 0)) return kMinusInfinity;
    return max * scale + static_cast<float>(log_of(sum));
}

}  // namespace flash

void FlashFunction::apply(const WarpInstruction& instruction, std::byte* registers) const {
    constexpr std::uint32_t kByte = 0xff;
    const FunctionCall& call = instruction.call();
    const auto what = static_cast<What>(call.variant & kByte);
    const Place at{call.variant >> 8U & kByte, call.variant >> 16U,
                   static_cast<std::uint32_t>(call.position >> 32U),
                   static_cast<std::uint32_t>(call.position)};
    for (std::uint32_t r = 0; r < kFragmentRows; ++r) {
        apply_to_row(what, at, r, registers);
        for (std::uint32_t c = 0; c < kFragmentRows; ++c) {
            apply_to_element(what, at, r, c, registers);
        }
    }
}

void FlashFunction::apply_to_row(What what, const Place& at, std::uint32_t r,
                                 std::byte* registers) const {
    const std::uint32_t row = at.strip * kFragmentRows + r;
    const std::uint8_t sums = registers_.weight_sums(at.strip);
    const float max = single(registers, registers_.maxima(), row);
    const float factor = single(registers, registers_.factors(), row);
    float of_lanes[kLanesOfQuad];
    for (std::uint32_t q = 0; q < kLanesOfQuad; ++q) {
        of_lanes[q] = single(registers, sums, r * kLanesOfQuad + q);
    }
    const auto set_sum = [&](std::uint32_t q, float value) {
        set_single(registers, sums, r * kLanesOfQuad + q, value);
    };
    switch (what) {
        case kBegin:
            set_single(registers, registers_.maxima(), row, kMinusInfinity);
            for (std::uint32_t q = 0; q < kLanesOfQuad; ++q) set_sum(q, 0);
            return;
        case kKeepMaxima:
            set_single(registers, registers_.factors(), row, max);
            return;
        case kFactor:
            set_single(registers, registers_.factors(), row,
                       flash::factor_of(factor, max, flash::scale2_of(problem_.scale)));
            return;
        case kScaleSums:
            for (std::uint32_t q = 0; q < kLanesOfQuad; ++q) set_sum(q, of_lanes[q] * factor);
            return;
        case kInvert: {
            const float sum = flash::row_sum(of_lanes);
            set_single(registers, registers_.factors(), row, sum > 0 ? 1 / sum : 1);
            set_single(registers, registers_.maxima(), row,
                       flash::log_of_sum(max, sum, problem_.scale));
            return;
        }
        default:
            return;
    }
}

void FlashFunction::apply_to_element(What what, const Place& at, std::uint32_t r, std::uint32_t c,
                                     std::byte* registers) const {
    const std::uint32_t row = at.strip * kFragmentRows + r;
    const std::uint32_t element = registers_.element(r, c);
    const bool of_output = what == kScaleOutput || what == kRound;
    if (of_output ? at.tile >= registers_.output_tiles : at.tile >= registers_.score_tiles) return;
    const std::uint8_t tile =
        of_output ? registers_.output(at.strip, at.tile) : registers_.score(at.strip, at.tile);
    const float value = single(registers, tile, element);
    switch (what) {
        case kAddMask:
            set_single(registers, tile, element,
                       flash::masked_score(value,
                                           half_at(registers, registers_.mask_of_tile(at.tile), c,
                                                   problem_.format()),
                                           problem_.scale));
            return;
        case kMask:
            if (at.key + c >= problem_.keys_of_row(at.row + r)) {
                set_single(registers, tile, element, kMinusInfinity);
            }
            return;
        case kMax: {
            const float max = single(registers, registers_.maxima(), row);
            if (value > max) set_single(registers, registers_.maxima(), row, value);
            return;
        }
        case kScaleOutput:
            set_single(registers, tile, element,
                       value * single(registers, registers_.factors(), row));
            return;
        case kWeights:
            set_single(registers, tile, element,
                       flash::weight_of(value, single(registers, registers_.maxima(), row),
                                        flash::scale2_of(problem_.scale)));
            return;
        case kAddWeights: {
            const std::uint8_t sums = registers_.weight_sums(at.strip);
            const std::uint32_t sum = r * kLanesOfQuad + flash::lane_of_column(c);
            set_single(registers, sums, sum, single(registers, sums, sum) + value);
            return;
        }
        case kPack:
            set_half(registers, registers_.weight(at.strip, at.tile), element, value,
                     problem_.format());
            return;
        case kRound:
            set_half(registers, registers_.result(at.strip),
                     r * registers_.output_tiles * kFragmentRows + at.tile * kFragmentRows + c,
                     value, problem_.format());
            return;
        default:
            return;
    }
}

}  // namespace tessera
