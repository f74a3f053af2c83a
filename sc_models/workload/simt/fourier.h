// Fourier transforms of 16 numbers, as a thread computes them in registers.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tessera::fourier {

inline constexpr std::size_t kLength = 16, kBins = kLength / 2 + 1;

/// A number that counts the instructions that make it: additions, products and fused
/// multiply-adds, but none with a number that is known to be zero.
class Counted {
public:
    Counted() = default;
    explicit Counted(std::uint32_t& count) : count_(&count) {}

    friend Counted operator+(Counted a, Counted b) { return sum(a, b); }
    friend Counted operator-(Counted a, Counted b) { return sum(a, b); }
    friend Counted operator-(Counted a) { return a; }
    friend Counted operator*(Counted a, float /*constant*/) { return a.counted(); }
    /// a constant + b
    friend Counted fused(Counted a, float /*constant*/, Counted b) {
        return a.count_ == nullptr ? b : a.counted();
    }

private:
    static Counted sum(Counted a, Counted b) {
        if (a.count_ == nullptr || b.count_ == nullptr) return a.count_ == nullptr ? b : a;
        return a.counted();
    }
    Counted counted() const {
        if (count_ != nullptr) ++*count_;
        return *this;
    }

    std::uint32_t* count_ = nullptr;  ///< null: zero
};

inline float fused(float a, float constant, float b) {
    return std::fma(a, constant, b);
}

template <class Number>
struct Complex {
    Number re{}, im{};

    friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
    friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
};

template <class Number>
Complex<Number> conjugate(Complex<Number> z) {
    return {z.re, -z.im};
}

/// Sines and cosines of sixteenths of a turn.
struct Sines {
    std::array<float, kLength> sine{}, cosine{};

    Sines() {
        constexpr double kTurn = 6.28318530717958647692;
        for (std::size_t i = 0; i < kLength; ++i) {
            const double angle = kTurn * static_cast<double>(i) / kLength;
            sine[i] = static_cast<float>(std::sin(angle));
            cosine[i] = static_cast<float>(std::cos(angle));
        }
    }
};

/// z times exp(-2 pi i turns / 16): two products and two fused multiply-adds, or none for quarters
/// of a turn.
template <class Number>
Complex<Number> turned(Complex<Number> z, std::size_t turns) {
    static const Sines kSines;
    turns %= kLength;
    if (turns == 0) return z;
    if (turns == kLength / 4) return {z.im, -z.re};
    if (turns == kLength / 2) return {-z.re, -z.im};
    if (turns == 3 * kLength / 4) return {-z.im, z.re};
    const float c = kSines.cosine[turns], s = kSines.sine[turns];
    return {fused(z.re, c, z.im * s), fused(z.im, c, -(z.re * s))};
}

enum class Direction { kForward, kInverse };

/// Transform in place by halves (Cooley and Tukey), not normalised.
template <class Number, std::size_t kSize>
void transform(std::array<Complex<Number>, kSize>& x, Direction direction) {
    for (std::size_t i = 1, j = 0; i < kSize; ++i) {
        std::size_t bit = kSize / 2;
        for (; (j & bit) != 0; bit /= 2) j ^= bit;
        j |= bit;
        if (i < j) std::swap(x[i], x[j]);
    }
    for (std::size_t size = 2; size <= kSize; size *= 2) {
        for (std::size_t first = 0; first < kSize; first += size) {
            for (std::size_t k = 0; k < size / 2; ++k) {
                const std::size_t turns = k * kLength / size;
                const bool forward = direction == Direction::kForward;
                const Complex<Number> even = x[first + k];
                const Complex<Number> odd =
                    turned(x[first + k + size / 2], forward ? turns : kLength - turns);
                x[first + k] = even + odd;
                x[first + k + size / 2] = even - odd;
            }
        }
    }
}

/// Twice the nine bins of 16 real numbers, through the transform of eight complex ones; real and
/// imaginary part of each.
template <class Number>
void of_reals(const std::array<Number, kLength>& x, std::array<Number, 2 * kBins>& bins) {
    constexpr std::size_t kHalf = kLength / 2;
    std::array<Complex<Number>, kHalf> z;
    for (std::size_t i = 0; i < kHalf; ++i) z[i] = {x[2 * i], x[2 * i + 1]};
    transform(z, Direction::kForward);
    const Number sum = z[0].re + z[0].im, difference = z[0].re - z[0].im;
    bins = {};
    bins[0] = sum + sum;
    bins[2 * kHalf] = difference + difference;
    for (std::size_t k = 1; k < kHalf; ++k) {
        const Complex<Number> other = conjugate(z[kHalf - k]);
        const Complex<Number> bin = (z[k] + other) + turned(z[k] - other, k + kLength / 4);
        bins[2 * k] = bin.re;
        bins[2 * k + 1] = bin.im;
    }
}

/// 16 times the real numbers of these bins. The imaginary parts of the first and the last bin are
/// not read.
template <class Number>
void to_reals(const std::array<Number, 2 * kBins>& bins, std::array<Number, kLength>& x) {
    constexpr std::size_t kHalf = kLength / 2;
    std::array<Complex<Number>, kHalf> z;
    z[0] = {bins[0] + bins[2 * kHalf], bins[0] - bins[2 * kHalf]};
    for (std::size_t k = 1; k < kHalf; ++k) {
        const Complex<Number> bin{bins[2 * k], bins[2 * k + 1]};
        const Complex<Number> other =
            conjugate(Complex<Number>{bins[2 * (kHalf - k)], bins[2 * (kHalf - k) + 1]});
        z[k] = (bin + other) + turned(bin - other, 3 * kLength / 4 - k);
    }
    transform(z, Direction::kInverse);
    for (std::size_t i = 0; i < kHalf; ++i) {
        x[2 * i] = z[i].re;
        x[2 * i + 1] = z[i].im;
    }
}

}  // namespace tessera::fourier
