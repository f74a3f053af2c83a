// The bitmap unit in RTL (rtl/bitmap_unit).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/common/types.h"
#include "sc_models/tensor_core/bitmap_unit.h"

namespace tessera {

class WaveRecorder;

/// BitmapUnit's twin: same pins, same clock cycles.
class BitmapUnitRtl {
public:
    /// `seed`: registers' values before the reset.
    explicit BitmapUnitRtl(std::uint32_t seed);
    ~BitmapUnitRtl();
    /// Puts all signals into the waveform, under `scope`; before the first step.
    void trace(WaveRecorder& wave, const std::string& scope);
    void reset();
    /// The next clock cycle is not before core cycle `at` in the dump.
    void not_before(Cycle at);
    /// Clock cycles so far, resets included.
    [[nodiscard]] std::uint64_t clock_cycles() const;
    /// One clock cycle: outputs before the edge, then the edge. Data is filled in with its valid
    /// only; the reference is good until the next call.
    BitmapUnit::Outputs& step(const BitmapUnit::Inputs& in);

private:
    struct Model;
    std::unique_ptr<Model> model_;
};

}  // namespace tessera
