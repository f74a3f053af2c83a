// Reasons why an issue slot stays empty.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tessera {

/// Classification of the cycles of a sub-core's issue slot. The reason of a stall is that of the
/// warp that could issue first; issued cycles plus all stalls equal the number of cycles.
enum class StallReason : std::uint8_t {
    kIssued,
    kNoWarp,        ///< no resident warp
    kMemory,        ///< operands come from memory
    kTensorResult,  ///< operands come from the tensor cores
    kAluResult,     ///< operands come from the CUDA cores
    kBarrier,       ///< every other warp waits at a barrier
    kLdstBusy,      ///< ready, but the LDST unit is busy
    kTensorBusy,    ///< ready, but the tensor cores are busy
    kAluBusy,       ///< ready, but the CUDA cores are busy
    kLaunch,        ///< the CTA is being launched
    kOperands,      ///< no collector is free: banks of the register file are busy
};
inline constexpr std::size_t kStallReasons = 11;

/// Name and description of a statistic.
struct StallReasonText {
    std::string_view name, description;
};
inline constexpr std::array<StallReasonText, kStallReasons> kStallReasonText = {{
    {"issued", "cycles in which an instruction issued"},
    {"stall_no_warp", "cycles without a resident warp"},
    {"stall_memory", "cycles waiting for loaded data"},
    {"stall_tensor_result", "cycles waiting for a tensor-core result"},
    {"stall_alu_result", "cycles waiting for an ALU result"},
    {"stall_barrier", "cycles waiting at a CTA barrier"},
    {"stall_ldst_busy", "cycles waiting for the LDST unit"},
    {"stall_tensor_busy", "cycles waiting for the tensor cores"},
    {"stall_alu_busy", "cycles waiting for the CUDA cores"},
    {"stall_launch", "cycles waiting for a CTA launch"},
    {"stall_operands", "cycles waiting for the read ports of the register file"},
}};

}  // namespace tessera
