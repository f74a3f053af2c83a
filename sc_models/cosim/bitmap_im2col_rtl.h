// Wrapper of the bitmap im2col in RTL (rtl/bitmap_im2col).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/common/types.h"
#include "sc_models/cosim/rtl_build.h"
#include "sc_models/tensor_core/bitmap_im2col.h"

namespace tessera {

class WaveRecorder;

/// RTL counterpart of BitmapIm2col: same pins, same clock cycles.
class BitmapIm2colRtl {
public:
    static constexpr const char* kName = "bitmap_im2col";

    using Parameters = BitmapIm2col::Parameters;
    using Inputs = BitmapIm2col::Inputs;
    using Outputs = BitmapIm2col::Outputs;
    using Block = PinBlock<Inputs, Outputs>;
    using Build = RtlBuild<BitmapIm2colRtl>;
    /// Returns the RTL with the parameters of the machine.
    [[nodiscard]] static const Build& default_build();

    /// `seed` chooses the registers' values before the reset.
    explicit BitmapIm2colRtl(std::uint32_t seed, const Build& build = default_build());
    ~BitmapIm2colRtl();
    BitmapIm2colRtl(const BitmapIm2colRtl&) = delete;
    BitmapIm2colRtl& operator=(const BitmapIm2colRtl&) = delete;

    /// Dumps all signals under `scope`. The next clock cycle is cycle 0 of the dump.
    void trace(WaveRecorder& wave, const std::string& scope);
    void reset();
    /// Places the next clock cycle at core cycle `at` or later in the dump.
    void not_before(Cycle at);
    /// Number of clock cycles, resets included.
    [[nodiscard]] std::uint64_t clock_cycles() const;
    /// Runs one clock cycle: outputs before the edge, then the edge. A column without its valid may
    /// have any value.
    [[nodiscard]] BitmapIm2col::Outputs step(const BitmapIm2col::Inputs& in);

private:
    std::unique_ptr<Block> block_;
};

}  // namespace tessera
