// One four-element outer-product unit with its adders in RTL (rtl/feop).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/tensor_core/feop.h"

namespace tessera {

class WaveRecorder;

/// What goes into the FEOP unit in one clock cycle; FP32 as bits.
struct FeopOperands {
    std::uint32_t a = 0;  ///< a half
    std::array<HalfBits, kFeopLanes> b{};
    std::array<std::uint32_t, kFeopLanes> c{};
};

/// What comes out of it.
struct FeopResults {
    std::array<std::uint32_t, kFeopLanes> d{};
};

/// feop.sv with Accumulate = 1: three stages, moved by three enables.
class FeopRtl {
public:
    static constexpr std::uint32_t kStages = 3;

    explicit FeopRtl(std::uint32_t seed);
    ~FeopRtl();
    void trace(WaveRecorder& wave, const std::string& scope);
    void reset();
    /// One clock cycle: outputs before the edge, then the edge moves the stages whose bit of
    /// `enable` is set.
    FeopResults step(std::uint32_t enable, const FeopOperands& in);

private:
    struct Model;
    std::unique_ptr<Model> model_;
};

}  // namespace tessera
