// Wrapper of a four-element outer-product unit with its adders in RTL (rtl/feop).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/tensor_core/feop.h"

namespace tessera {

class WaveRecorder;

/// Inputs of the FEOP unit in one clock cycle; FP32 as bits.
struct FeopOperands {
    std::uint32_t a = 0;  ///< FP16
    std::array<HalfBits, kFeopLanes> b{};
    std::array<std::uint32_t, kFeopLanes> c{};
};

/// Outputs of the FEOP unit.
struct FeopResults {
    std::array<std::uint32_t, kFeopLanes> d{};
};

/// feop.sv with Accumulate = 1: three stages, each with its own enable.
class FeopRtl {
public:
    static constexpr std::uint32_t kStages = 3;

    explicit FeopRtl(std::uint32_t seed);
    ~FeopRtl();
    void trace(WaveRecorder& wave, const std::string& scope);
    void reset();
    /// Runs one clock cycle: outputs before the edge, then the edge moves the stages whose bit of
    /// `enable` is set.
    FeopResults step(std::uint32_t enable, const FeopOperands& in);

private:
    struct Model;
    std::unique_ptr<Model> model_;
};

}  // namespace tessera
