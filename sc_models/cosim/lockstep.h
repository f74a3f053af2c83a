// Lockstep scoreboard and helpers, common to all RTL blocks inside the machine.
#pragma once

#include <fmt/format.h>
#include <string>
#include <string_view>

#include "sc_models/common/command_line.h"
#include "sc_models/common/error.h"
#include "sc_models/cosim/devices.h"
#include "sc_models/cosim/rtl_operations.h"
#include "sc_models/cosim/scoreboard.h"

namespace tessera {

/// Seed of a block's initial register values: different for every instance and configured seed.
[[nodiscard]] inline std::uint32_t rtl_seed(const Config& config, const DevicePlace& place) {
    return static_cast<std::uint32_t>(config.seed * 0x9e3779b1U + place.number);
}

/// Scope of a block's own signals in a waveform.
[[nodiscard]] inline std::string rtl_scope(const DevicePlace& place, RtlBlock block) {
    return fmt::format("{}.rtl.{}", place.scope, text_of(block).name);
}

/// The scoreboard of one block instance.
class Lockstep {
public:
    Lockstep(const Config& config, const DevicePlace& place, RtlBlock block)
        : name_(fmt::format("{}.{}", place.scope, text_of(block).name)),
          operations_(rtl_operations(block)),
          seed_(config.seed),
          scoreboard_(command_line()) {}

    Scoreboard& at(Cycle cycle) {
        scoreboard_.begin_cycle(cycle);
        return scoreboard_;
    }
    /// Counts an operation of the RTL, whether compared or not.
    void begin_operation() { ++operations_; }
    /// Ends a comparison. Throws CheckError with the report if model and RTL differed.
    void require_agreement() {
        if (scoreboard_.errors() == 0) return;
        throw CheckError(fmt::format("{}: model and RTL part (seed {})\n{}", name_, seed_,
                                     scoreboard_.first_divergence()));
    }
    /// Throws CheckError for `violation`, an output of the RTL that no correct block can produce.
    [[noreturn]] void fail(std::string_view violation) const {
        throw CheckError(fmt::format("{}: {} (seed {})\n  again    {}\n", name_, violation, seed_,
                                     command_line()));
    }

private:
    const std::string name_;
    std::uint64_t& operations_;
    const std::uint64_t seed_;
    Scoreboard scoreboard_;
};

}  // namespace tessera
