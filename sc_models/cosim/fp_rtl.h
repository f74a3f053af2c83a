// Wrapper of the floating-point units in RTL, many side by side (rtl/fp).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/tensor_core/half.h"

namespace tessera {

class WaveRecorder;

inline constexpr std::uint32_t kFpMulLanes = 64;
inline constexpr std::uint32_t kFpAddLanes = 16;
inline constexpr std::uint32_t kFpStagedLanes = 4;

/// Operands of all lanes in one clock cycle: FP16 for multipliers, FP32 (as bits) for adders.
struct FpInputs {
    std::array<HalfBits, kFpMulLanes> a{}, b{};
    std::array<std::uint32_t, kFpAddLanes> x{}, y{};
};

/// Results of all lanes in one clock cycle, FP32 as bits.
struct FpOutputs {
    std::array<std::uint32_t, kFpMulLanes> product{};    ///< from the operands one cycle before
    std::array<std::uint32_t, kFpAddLanes> sum{};        ///< from the operands one cycle before
    std::array<std::uint32_t, kFpStagedLanes> staged{};  ///< from two cycles before, first lanes
};

/// fp16_mul, fp32_add and fp32_add's halves as a two-stage pipeline, behind input registers.
class FpRtl {
public:
    explicit FpRtl(std::uint32_t seed);
    ~FpRtl();
    void trace(WaveRecorder& wave, const std::string& scope);
    void reset();
    /// Runs one clock cycle: outputs before the edge, then the edge.
    FpOutputs step(const FpInputs& in);

private:
    struct Model;
    std::unique_ptr<Model> model_;
};

}  // namespace tessera
