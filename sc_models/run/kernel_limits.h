// Limit of a kernel: the shares of peak that the machine's units reach.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/config/config.h"
#include "sc_models/sm/stall_reason.h"

namespace tessera {

/// Utilisation of a kind of unit during a kernel, in percent of its peak.
struct UnitShare {
    std::string unit;
    double percent = 0;
    std::string peak;  ///< text with unit, for the configured machine
};

/// Rate per second stated by a peak ("4.915 TFLOP/s"); empty if the text is none.
[[nodiscard]] std::optional<double> peak_in(const std::string& text);

/// Unit names of UnitShare.
inline constexpr const char* kTensorUnit = "tensor cores";
inline constexpr const char* kFp32Unit = "FP32 lanes";
inline constexpr const char* kL2Unit = "L2";
inline constexpr const char* kDramUnit = "DRAM";

/// Utilisation of the machine's units during a kernel, and the unit that bounds it.
struct KernelLimits {
    std::vector<UnitShare> shares;  ///< arithmetic first, then down the memory hierarchy
    std::string bound;              ///< one sentence
};

/// Returns the name of a limit: the text of KernelLimits::bound or layer_limit() before its colon
/// ("DRAM" of "DRAM: 84.4 % of 898 GB/s").
[[nodiscard]] inline std::string_view limit_name(std::string_view bound_by) {
    return bound_by.substr(0, bound_by.find(':'));
}

/// Peak per cycle of the whole machine's units.
struct MachinePeaks {
    double tensor_flop = 0;
    double fp32_flop = 0;  ///< lanes of vector operations
    double l2_bytes = 0;   ///< read; the same amount may be written
    double dram_bytes = 0;
};
[[nodiscard]] MachinePeaks machine_peaks(const Config& config);

/// A unit above this share of its peak bounds the kernel; if there is none, latency does.
inline constexpr double kBoundPercent = 60;

/// Limits of a kernel that took `cycles`, from the statistics since its start.
[[nodiscard]] KernelLimits kernel_limits(const Config& config, const StatGroup& statistics,
                                         const std::array<std::uint64_t, kStallReasons>& slots,
                                         Cycle cycles);

}  // namespace tessera
