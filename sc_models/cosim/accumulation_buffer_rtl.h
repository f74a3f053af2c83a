// Wrapper of the accumulation buffer in RTL (rtl/accumulation_buffer).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/common/types.h"
#include "sc_models/tensor_core/accumulation_buffer.h"

namespace tessera {

class WaveRecorder;

/// RTL counterpart of AccumulationBuffer: same pins, same clock cycles. Words are undefined after a
/// reset.
class AccumulationBufferRtl {
public:
    /// `seed` chooses the registers' values before the reset.
    explicit AccumulationBufferRtl(std::uint32_t seed);
    ~AccumulationBufferRtl();
    /// Adds all signals to the waveform, under `scope`. The next
    /// clock cycle is cycle 0 of the dump.
    void trace(WaveRecorder& wave, const std::string& scope);
    void reset();
    /// Places the next clock cycle at core cycle `at` or later in the dump.
    void not_before(Cycle at);
    /// Number of clock cycles, resets included.
    [[nodiscard]] std::uint64_t clock_cycles() const;
    /// Runs one clock cycle: outputs before the edge, then the edge. Data outputs are updated only
    /// with their valid; the reference is valid until the next call.
    AccumulationBuffer::Outputs& step(const AccumulationBuffer::Inputs& in);

private:
    struct Model;
    std::unique_ptr<Model> model_;
};

}  // namespace tessera
