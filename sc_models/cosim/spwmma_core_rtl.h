// Wrapper of the sparse tensor core in RTL (rtl/spwmma_core).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/common/types.h"
#include "sc_models/cosim/rtl_build.h"
#include "sc_models/tensor_core/spwmma_core.h"

namespace tessera {

class WaveRecorder;

/// RTL counterpart of SpwmmaCore: same pins, same clock cycles.
class SpwmmaCoreRtl {
public:
    static constexpr const char* kName = "spwmma_core";

    /// Parameters of the RTL, by default those of the machine.
    struct Parameters {
        std::uint32_t tag_bits = SpwmmaCorePins::kTagBits;

        [[nodiscard]] std::uint32_t tags() const { return 1U << tag_bits; }
    };
    using Inputs = SpwmmaCorePins::Inputs;
    using Outputs = SpwmmaCorePins::Outputs;
    using Block = PinBlock<Inputs, Outputs>;
    using Build = RtlBuild<SpwmmaCoreRtl>;
    /// Returns the RTL with the parameters of the machine.
    [[nodiscard]] static const Build& default_build();

    /// `seed` chooses the registers' values before the reset.
    explicit SpwmmaCoreRtl(std::uint32_t seed, const Build& build = default_build());
    ~SpwmmaCoreRtl();
    /// Adds all signals to the waveform, under `scope`. The next clock cycle is cycle 0 of the
    /// dump.
    void trace(WaveRecorder& wave, const std::string& scope);
    void reset();
    /// Places the next clock cycle at core cycle `at` or later in the dump.
    void not_before(Cycle at);
    /// Number of clock cycles, resets included.
    [[nodiscard]] std::uint64_t clock_cycles() const;
    /// Runs one clock cycle: outputs before the edge, then the edge. Data outputs are updated only
    /// with their valid; the reference is valid until the next call.
    SpwmmaCorePins::Outputs& step(const SpwmmaCorePins::Inputs& in);

private:
    std::unique_ptr<Block> block_;
};

}  // namespace tessera
