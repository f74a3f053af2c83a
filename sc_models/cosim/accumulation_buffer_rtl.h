// The accumulation buffer in RTL (rtl/accumulation_buffer).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/common/types.h"
#include "sc_models/tensor_core/accumulation_buffer.h"

namespace tessera {

class WaveRecorder;

/// AccumulationBuffer's twin: same pins, same clock cycles. After a reset the words hold anything.
class AccumulationBufferRtl {
public:
    /// `seed`: registers' values before the reset.
    explicit AccumulationBufferRtl(std::uint32_t seed);
    ~AccumulationBufferRtl();
    /// Puts all signals into the waveform, under `scope`; before the first step.
    void trace(WaveRecorder& wave, const std::string& scope);
    void reset();
    /// The next clock cycle is not before core cycle `at` in the dump.
    void not_before(Cycle at);
    /// Clock cycles so far, resets included.
    [[nodiscard]] std::uint64_t clock_cycles() const;
    /// One clock cycle: outputs before the edge, then the edge. Data is filled in with its valid
    /// only; the reference is good until the next call.
    AccumulationBuffer::Outputs& step(const AccumulationBuffer::Inputs& in);

private:
    struct Model;
    std::unique_ptr<Model> model_;
};

}  // namespace tessera
