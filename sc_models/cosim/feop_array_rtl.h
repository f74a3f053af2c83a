// Wrapper of the pair of outer-product tensor cores in RTL (rtl/feop).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/common/types.h"
#include "sc_models/tensor_core/feop_array.h"

namespace tessera {

class WaveRecorder;

/// RTL counterpart of FeopArray: same pins, same clock cycles.
class FeopArrayRtl {
public:
    /// `seed` chooses the registers' values before the reset.
    explicit FeopArrayRtl(std::uint32_t seed);
    ~FeopArrayRtl();
    /// Adds all signals to the waveform, under `scope`. The next
    /// clock cycle is cycle 0 of the dump.
    void trace(WaveRecorder& wave, const std::string& scope);
    void reset();
    /// Places the next clock cycle at core cycle `at` or later in the dump.
    void not_before(Cycle at);
    /// Number of clock cycles, resets included.
    [[nodiscard]] std::uint64_t clock_cycles() const;
    /// Runs one clock cycle: outputs before the edge, then the edge.
    FeopArrayOutputs step(const FeopArrayInputs& in);

private:
    struct Model;
    std::unique_ptr<Model> model_;
};

}  // namespace tessera
