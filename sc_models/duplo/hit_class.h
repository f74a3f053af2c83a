// What becomes of the units that Duplo's detection unit looks up, and how reports name it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tessera {

/// Where a hit comes from.
enum class HitClass : std::uint8_t {
    kOctetCopy,  ///< the other octet copy of the very same load
    kSameAddressSameWarp,
    kSameAddressOtherWarp,
    kLoweringDuplicateSameWarp,  ///< another address, same datum
    kLoweringDuplicateOtherWarp,
    kZero,
};
inline constexpr std::size_t kHitClasses = 6;

/// What statistics, tables and people call a class of hits.
struct HitClassText {
    std::string_view metric;   ///< key figure of a run, column of a sweep
    std::string_view help;     ///< of the statistic
    std::string_view label;    ///< for people
    std::string_view heading;  ///< of a narrow column

    /// The statistic: the metric without "_percent".
    [[nodiscard]] constexpr std::string_view statistic() const {
        constexpr std::string_view kUnit = "_percent";
        return metric.substr(0, metric.size() - kUnit.size());
    }
};
inline constexpr std::array<HitClassText, kHitClasses> kHitClassText = {{
    {"hits_octet_copy_percent", "hits on the other octet copy of the same load",
     "octet copy of the same load", "octet copy"},
    {"hits_same_address_same_warp_percent", "hits on the same address, loaded by the same warp",
     "same address, same warp", "addr, warp"},
    {"hits_same_address_other_warp_percent", "hits on the same address, loaded by another warp",
     "same address, other warp", "addr, other"},
    {"hits_lowering_same_warp_percent", "hits on a lowering duplicate loaded by the same warp",
     "lowering duplicate, same warp", "lower, warp"},
    {"hits_lowering_other_warp_percent", "hits on a lowering duplicate loaded by another warp",
     "lowering duplicate, other warp", "lower, other"},
    {"hits_zero_percent", "units known to be zero, neither looked up nor loaded",
     "known to be zero", "zero"},
}};

}  // namespace tessera
