// Wrapper of the bitmap unit in RTL (rtl/bitmap_unit).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/common/types.h"
#include "sc_models/cosim/rtl_build.h"
#include "sc_models/tensor_core/bitmap_unit.h"

namespace tessera {

class WaveRecorder;

/// RTL counterpart of BitmapUnit: same pins, same clock cycles.
class BitmapUnitRtl {
public:
    static constexpr const char* kName = "bitmap_unit";

    /// Parameters of the RTL, by default those of the machine. Pins of k sets from `depth` on are
    /// 0.
    struct Parameters {
        std::uint32_t depth = kTileDepth;  ///< k sets of a tile
    };
    using Inputs = BitmapUnit::Inputs;
    using Outputs = BitmapUnit::Outputs;
    using Block = PinBlock<Inputs, Outputs>;
    using Build = RtlBuild<BitmapUnitRtl>;
    /// Returns the RTL with the parameters of the machine.
    [[nodiscard]] static const Build& default_build();

    /// `seed` chooses the registers' values before the reset.
    explicit BitmapUnitRtl(std::uint32_t seed, const Build& build = default_build());
    ~BitmapUnitRtl();
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
    BitmapUnit::Outputs& step(const BitmapUnit::Inputs& in);

private:
    std::unique_ptr<Block> block_;
};

}  // namespace tessera
