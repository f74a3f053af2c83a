// The pair of outer-product tensor cores in RTL (rtl/feop).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/common/types.h"
#include "sc_models/tensor_core/feop_array.h"

namespace tessera {

class WaveRecorder;

/// FeopArray's twin: same pins, same clock cycles.
class FeopArrayRtl {
public:
    /// `seed`: registers' values before the reset.
    explicit FeopArrayRtl(std::uint32_t seed);
    ~FeopArrayRtl();
    /// Puts all signals into the waveform, under `scope`; before the first step.
    void trace(WaveRecorder& wave, const std::string& scope);
    void reset();
    /// The next clock cycle is not before core cycle `at` in the dump.
    void not_before(Cycle at);
    /// Clock cycles so far, resets included.
    [[nodiscard]] std::uint64_t clock_cycles() const;
    /// One clock cycle: outputs before the edge, then the edge.
    FeopArrayOutputs step(const FeopArrayInputs& in);

private:
    struct Model;
    std::unique_ptr<Model> model_;
};

}  // namespace tessera
