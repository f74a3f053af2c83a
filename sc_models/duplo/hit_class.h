// Classes of detection hits and their names in reports.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tessera {

/// Source of a hit.
enum class HitClass : std::uint8_t {
    kOctetCopy,  ///< other octet copy of the same load
    kSameAddressSameWarp,
    kSameAddressOtherWarp,
    kLoweringDuplicateSameWarp,  ///< another address, same value
    kLoweringDuplicateOtherWarp,
    kZero,
};
inline constexpr std::size_t kHitClasses = 6;

/// Names of a hit class in statistics, tables and reports.
struct HitClassText {
    std::string_view metric;   ///< key figure of a run, column of a sweep
    std::string_view help;     ///< description of the statistic
    std::string_view label;    ///< label in reports
    std::string_view heading;  ///< heading of a narrow column

    /// Name of the statistic: the metric without "_percent".
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
