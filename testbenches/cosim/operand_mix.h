// Operands for benches of floating-point blocks: corner cases and random mixes that reach them.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <utility>

#include "sc_models/tensor_core/half.h"

namespace tessera {

inline constexpr std::array<HalfBits, 24> kSpecialHalves = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x0002, 0x01ff, 0x0200, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x0401,
    0x3bff, 0x3c00, 0xbc00, 0x3c01, 0x7800, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xffff};

/// Zeros, subnormals, ties of the addition, numbers next to overflow, infinities, NaNs; both signs.
inline constexpr std::array<std::uint32_t, 40> kSpecialFloats = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x00000002, 0x80000003, 0x003fffff, 0x80400000,
    0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00800001, 0x80ffffff, 0x01000000, 0x0b800000,
    0x8c000000, 0x0c7fffff, 0x33800000, 0xb3800000, 0x33800001, 0x34000000, 0xb3ffffff, 0x3f7fffff,
    0x3f800000, 0xbf800000, 0x3f800001, 0xbf800001, 0x4b7fffff, 0xcb800000, 0x4b800001, 0x72ffffff,
    0x73000000, 0xf3000001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0xffffffff};

/// Draws operands from a mix that changes from time to time.
class OperandMix {
public:
    explicit OperandMix(std::uint32_t seed) : random_(seed) {}

    /// A number in [0, n).
    std::uint32_t below(std::uint32_t n) {
        return static_cast<std::uint32_t>(((random_() >> 32U) * n) >> 32U);
    }
    std::uint64_t bits() { return random_(); }
    /// The next operands come from a mix of their own.
    void change() { mix_ = static_cast<Mix>(below(kMixes)); }

    HalfBits half() {
        const std::uint64_t draw = random_();
        const auto any = static_cast<HalfBits>(draw);
        const auto choice = static_cast<std::uint32_t>(draw >> 32U);
        switch (mix_) {
            case Mix::kSpecial:
                if (choice % 8 == 0) return kSpecialHalves[(choice >> 3U) % kSpecialHalves.size()];
                if (choice % 8 == 1) return static_cast<HalfBits>(lone_bits(choice, 10, 5));
                return any;
            case Mix::kSubnormal:
                return static_cast<HalfBits>(any & 0x87ffU);
            case Mix::kNearOne:
                return static_cast<HalfBits>((any & 0x83ffU) | ((choice % 4 + 13) << 10U));
            default:
                return finite(any);
        }
    }

    /// A summand that meets the products of two such halves.
    std::uint32_t summand() {
        const std::uint64_t draw = random_();
        const auto any = static_cast<std::uint32_t>(draw);
        const auto choice = static_cast<std::uint32_t>(draw >> 32U);
        switch (mix_) {
            case Mix::kSpecial:
                if (choice % 8 == 0) return kSpecialFloats[(choice >> 3U) % kSpecialFloats.size()];
                if (choice % 8 == 1) return lone_bits(choice, 23, 8);
                return any;
            case Mix::kSubnormal:
                return any & 0x83ffffffU;
            case Mix::kNearOne:
                return (any & 0x807fffffU) | ((choice % 40 + 107) << 23U);
            default:
                return any;
        }
    }

    /// Two summands that meet: exponents close to each other, subnormals, cancellation, or any.
    std::pair<std::uint32_t, std::uint32_t> summands() {
        const std::uint64_t draw = random_();
        const auto x = static_cast<std::uint32_t>(draw);
        const auto y = static_cast<std::uint32_t>(draw >> 32U);
        const std::uint32_t choice = below(1U << 16U);
        const std::uint32_t exponent = ((x >> 23U) + (choice >> 3U) % 64 - 32) & 0xffU;
        switch (choice % 8) {
            case 0: {
                const std::uint32_t lone = lone_bits(y, 23, 8);
                return (choice & 8U) != 0 ? std::pair{x, lone} : std::pair{lone, x};
            }
            case 1:  // what falls out of the alignment is one bit
                return {x, (y & 0x80000000U) | (exponent << 23U) | 1U << y % 23};
            case 2:
            case 3:
                return {x, (y & 0x807fffffU) | (exponent << 23U)};
            case 4:
                return {x & 0x83ffffffU, y & 0x83ffffffU};
            case 5:
                return {x, x ^ 0x80000000U ^ (1U << ((choice >> 3U) % 31))};
            default:
                return {x, y};
        }
    }

private:
    enum class Mix : std::uint32_t { kAny, kNearOne, kSubnormal, kSpecial };
    static constexpr std::uint32_t kMixes = 4;

    static HalfBits finite(HalfBits bits) {
        return static_cast<HalfBits>((bits & 0x7c00U) == 0x7c00U ? bits & 0xbfffU : bits);
    }

    /// A number whose exponent is all zeros or ones but for at most one bit, and whose fraction has
    /// at most one bit: what a comparison with zero or infinity has to look at.
    static std::uint32_t lone_bits(std::uint32_t choice, std::uint32_t fraction_bits,
                                   std::uint32_t exponent_bits) {
        const std::uint32_t ones = (1U << exponent_bits) - 1;
        const std::uint32_t exponent = (1U << (choice >> 4U) % (exponent_bits + 1)) & ones;
        const std::uint32_t fraction =
            (1U << (choice >> 8U) % (fraction_bits + 1)) & ((1U << fraction_bits) - 1);
        return (choice >> 31U) << (fraction_bits + exponent_bits) |
               (choice >> 3U & 1U ? exponent : ones ^ exponent) << fraction_bits | fraction;
    }

    std::mt19937_64 random_;
    Mix mix_ = Mix::kAny;
};

/// Selects the quiet phases of a bench, which have no stalls. The first phases are not quiet; in a
/// long run most are, since stalls have been tested by then and operations matter more.
class QuietPhase {
public:
    explicit QuietPhase(std::uint64_t busy_phases = 2048) : busy_phases_(busy_phases) {}
    /// Returns whether the next phase is quiet. `random(n)` draws from [0, n).
    template <class Random>
    [[nodiscard]] bool next(Random random) {
        return ++phases_ > busy_phases_ && random(8) != 0;
    }

private:
    std::uint64_t busy_phases_;
    std::uint64_t phases_ = 0;
};

/// Random stalls of one side of a handshake; their rate is drawn for every phase of a bench.
class RandomStalls {
public:
    void change(OperandMix& random, bool quiet) {
        static constexpr std::array<std::uint32_t, 6> kLevels = {1, 4, 8, 12, 16, 16};
        of_16_ = quiet ? kNoDraw : kLevels[random.below(kLevels.size())];
    }
    [[nodiscard]] bool there(OperandMix& random) const {
        return of_16_ == kNoDraw || random.below(16) < of_16_;
    }

private:
    static constexpr std::uint32_t kNoDraw = 17;  ///< always there
    std::uint32_t of_16_ = 16;
};

}  // namespace tessera
