// Basic types: cycles, addresses and distinct id types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace tessera {

/// Point in time, or duration, in cycles of the surrounding block's clock domain.
using Cycle = std::uint64_t;
/// Unknown point in time; later than every real cycle.
inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

/// Byte address in global memory (or, where stated, in a CTA's shared memory).
using Address = std::uint64_t;

/// Index with explicit conversions and only comparison operators, so that a warp is never mistaken
/// for an SM.
template <class Tag>
class Id {
public:
    using Rep = std::uint32_t;
    constexpr Id() = default;
    constexpr explicit Id(Rep value) : value_(value) {}
    [[nodiscard]] constexpr Rep value() const { return value_; }
    [[nodiscard]] constexpr bool valid() const { return value_ != kInvalid; }
    friend constexpr bool operator==(Id a, Id b) { return a.value_ == b.value_; }
    friend constexpr bool operator!=(Id a, Id b) { return a.value_ != b.value_; }
    friend constexpr bool operator<(Id a, Id b) { return a.value_ < b.value_; }

private:
    static constexpr Rep kInvalid = std::numeric_limits<Rep>::max();
    Rep value_ = kInvalid;
};

using SmId = Id<struct SmTag>;
using SubCoreId = Id<struct SubCoreTag>;  ///< within one SM
using WarpId = Id<struct WarpTag>;        ///< warp slot within one SM
using CtaId = Id<struct CtaTag>;          ///< within one kernel
using PhysRegId = Id<struct PhysRegTag>;  ///< physical rename unit within one SM
using LhbIndex = Id<struct LhbTag>;       ///< entry of one load history buffer

/// `n / d`, rounded up. `d` must not be zero.
template <class T>
[[nodiscard]] constexpr T ceil_div(T n, T d) {
    return (n + d - 1) / d;
}

/// Smallest multiple of `step` that is not below `n`. `step` must not be zero.
template <class T>
[[nodiscard]] constexpr T round_up(T n, T step) {
    return ceil_div(n, step) * step;
}

[[nodiscard]] constexpr bool is_power_of_two(std::uint64_t n) {
    return n != 0 && (n & (n - 1)) == 0;
}

}  // namespace tessera

template <class Tag>
struct std::hash<tessera::Id<Tag>> {
    std::size_t operator()(tessera::Id<Tag> id) const noexcept { return id.value(); }
};
