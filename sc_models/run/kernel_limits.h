// What bounds a kernel: the share of their peak that the machine's units gave.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/config/config.h"
#include "sc_models/sm/stall_reason.h"

namespace tessera {

/// A kind of unit and how much of what all of them could do in the kernel's time they did.
struct UnitShare {
    std::string unit;
    double percent = 0;
    std::string peak;  ///< as text with its unit, of the machine as configured
};

/// The number a second that a peak states ("4.915 TFLOP/s"); nothing of one that is none.
[[nodiscard]] std::optional<double> peak_in(const std::string& text);

/// Units by the names that shares have.
inline constexpr const char* kTensorUnit = "tensor cores";
inline constexpr const char* kFp32Unit = "FP32 lanes";
inline constexpr const char* kL2Unit = "L2";
inline constexpr const char* kDramUnit = "DRAM";

/// How busy the units of the machine were during a kernel, and which of them bounds it.
struct KernelLimits {
    std::vector<UnitShare> shares;  ///< arithmetic first, then down the memory hierarchy
    std::string bound;              ///< one sentence
};

/// What the units of the whole machine could do in a cycle.
struct MachinePeaks {
    double tensor_flop = 0;
    double fp32_flop = 0;  ///< of the lanes of vector operations
    double l2_bytes = 0;   ///< read, and as many written
    double dram_bytes = 0;
};
[[nodiscard]] MachinePeaks machine_peaks(const Config& config);

/// Above this share of its peak a unit bounds the kernel; where none is, latency does.
inline constexpr double kBoundPercent = 60;

/// Of a kernel that took `cycles`, from the statistics of its own time.
[[nodiscard]] KernelLimits kernel_limits(const Config& config, const StatGroup& statistics,
                                         const std::array<std::uint64_t, kStallReasons>& slots,
                                         Cycle cycles);

}  // namespace tessera
