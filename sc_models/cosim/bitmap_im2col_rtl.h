// Wrapper of the bitmap im2col in RTL (rtl/bitmap_im2col).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/common/types.h"
#include "sc_models/tensor_core/bitmap_im2col.h"

namespace tessera {

class WaveRecorder;

/// RTL counterpart of BitmapIm2col: same pins, same clock cycles.
class BitmapIm2colRtl {
public:
    /// `seed` chooses the registers' values before the reset.
    explicit BitmapIm2colRtl(std::uint32_t seed);
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
    struct Model;
    std::unique_ptr<Model> model_;
};

}  // namespace tessera
