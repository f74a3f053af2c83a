// Wrapper of a four-element dot-product unit in RTL (rtl/fedp).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/tensor_core/fedp.h"

namespace tessera {

class WaveRecorder;

/// Inputs of the FEDP unit in one clock cycle.
struct FedpOperands {
    std::array<HalfBits, 4> a{}, b{};
    std::uint32_t c = 0;
};

/// Outputs of the FEDP unit; FP32 as bits.
struct FedpResults {
    std::uint32_t d = 0;
};

/// fedp.sv: three stages, each with its own enable.
class FedpRtl {
public:
    static constexpr std::uint32_t kStages = 3;

    explicit FedpRtl(std::uint32_t seed);
    ~FedpRtl();
    void trace(WaveRecorder& wave, const std::string& scope);
    void reset();
    /// Runs one clock cycle: outputs before the edge, then the edge moves the stages whose bit of
    /// `enable` is set.
    FedpResults step(std::uint32_t enable, const FedpOperands& in);

private:
    struct Model;
    std::unique_ptr<Model> model_;
};

}  // namespace tessera
