// Wrapper of the pair of outer-product tensor cores in RTL (rtl/feop).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/common/types.h"
#include "sc_models/cosim/rtl_build.h"
#include "sc_models/tensor_core/feop_array.h"

namespace tessera {

class WaveRecorder;

/// RTL counterpart of FeopArray: same pins, same clock cycles.
class FeopArrayRtl {
public:
    static constexpr const char* kName = "feop_array";

    /// Parameters of the RTL, by default those of the machine.
    struct Parameters {
        std::uint32_t meta_width = kFeopMetaWords * 32;  ///< bits that go along, at most so many
    };
    using Inputs = FeopArrayInputs;
    using Outputs = FeopArrayOutputs;
    using Block = PinBlock<Inputs, Outputs>;
    using Build = RtlBuild<FeopArrayRtl>;
    /// Returns the RTL with the parameters of the machine.
    [[nodiscard]] static const Build& default_build();

    /// `seed` chooses the registers' values before the reset.
    explicit FeopArrayRtl(std::uint32_t seed, const Build& build = default_build());
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
    std::unique_ptr<Block> block_;
};

}  // namespace tessera
