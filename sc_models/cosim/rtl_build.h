// Interface of a Verilated block, and its builds with different parameters.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/common/types.h"

namespace tessera {

class WaveRecorder;

/// A Verilated block behind its wrapper, which does not see the Verilated class. `Inputs` and
/// `Outputs` are the wrapper's pins.
template <class Inputs, class Outputs>
class PinBlock {
public:
    PinBlock() = default;
    virtual ~PinBlock() = default;
    PinBlock(const PinBlock&) = delete;
    PinBlock& operator=(const PinBlock&) = delete;

    virtual void reset() = 0;
    /// Runs one clock cycle: outputs before the edge, then the edge. The reference is valid until
    /// the next call.
    virtual Outputs& step(const Inputs& in) = 0;
    /// Dumps all signals under `scope`. The next clock cycle is cycle 0 of the dump.
    virtual void trace(WaveRecorder& wave, const std::string& scope) = 0;
    /// Places the next clock cycle at core cycle `at` or later in the dump.
    virtual void not_before(Cycle at) = 0;
    /// Number of clock cycles, resets included.
    [[nodiscard]] virtual std::uint64_t clock_cycles() const = 0;
};

/// RTL that was Verilated with one set of parameters. `Rtl` is the wrapper, with `Parameters` and
/// `Block`, its PinBlock.
template <class Rtl>
struct RtlBuild {
    typename Rtl::Parameters parameters;
    std::unique_ptr<typename Rtl::Block> (*create)(std::uint32_t seed,
                                                   const typename Rtl::Parameters& parameters);

    /// Makes a block; `seed` chooses its registers' values before the reset.
    [[nodiscard]] std::unique_ptr<typename Rtl::Block> make(std::uint32_t seed) const {
        return create(seed, parameters);
    }
};

}  // namespace tessera
