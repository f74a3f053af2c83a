// Lockstep scoreboard and helpers, common to all RTL blocks inside the machine.
#pragma once

#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "sc_models/common/command_line.h"
#include "sc_models/common/error.h"
#include "sc_models/cosim/devices.h"
#include "sc_models/cosim/mismatch.h"
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
    /// `compared`: what a comparison of this block covers, for the report.
    Lockstep(const Config& config, const DevicePlace& place, RtlBlock block,
             std::string_view compared = kResultsAndCycles)
        : scope_(place.scope),
          block_(text_of(block).name),
          compared_(compared),
          operations_(rtl_operations(block)),
          seed_(config.seed),
          access_in_service_(place.access),
          scoreboard_(command_line()) {
        rtl_compares_cycles(block) = compared == kResultsAndCycles;
    }

    static constexpr std::string_view kResultsAndCycles =
        "results and cycles: all outputs in every clock cycle";
    static constexpr std::string_view kResults =
        "results: the outputs of each operation, whatever its clock cycles";

    Scoreboard& at(Cycle cycle) {
        cycle_ = cycle;
        scoreboard_.begin_cycle(cycle);
        return scoreboard_;
    }
    /// Counts an operation of the RTL, whether compared or not.
    void begin_operation() { ++operations_; }
    /// Returns the number of the access that the SM's LDST unit serves; 0: none.
    [[nodiscard]] std::uint64_t access_in_service() const {
        return access_in_service_ == nullptr ? 0 : *access_in_service_;
    }
    /// Sets the access that the next comparisons are for, in place of the one in service.
    void compare_for(std::uint64_t access) { access_ = access; }
    /// Whether model and RTL differed.
    [[nodiscard]] bool disagrees() const { return scoreboard_.errors() != 0; }
    /// Ends a comparison. Throws CheckError with the report if model and RTL differed, and leaves
    /// it in found_mismatch(); `pins` (null: none) shows the last clock cycles.
    void require_agreement(const std::shared_ptr<const PinHistory>& pins = nullptr) const {
        if (!disagrees()) return;
        end_run(fmt::format("{}.{}: model and RTL part (seed {})\n  compared {}\n{}", scope_,
                            block_, seed_, compared_, scoreboard_.first_divergence()),
                pins);
    }
    /// Throws CheckError likewise for `violation`, an output of the RTL that no correct block can
    /// produce.
    [[noreturn]] void fail(std::string_view violation) const {
        end_run(fmt::format("{}.{}: {} (seed {})\n  again    {}\n", scope_, block_, violation,
                            seed_, command_line()),
                nullptr);
    }

private:
    [[noreturn]] void end_run(const std::string& report,
                              const std::shared_ptr<const PinHistory>& pins) const {
        Mismatch mismatch{
            report, scope_, block_, cycle_, access_ != 0 ? access_ : access_in_service(), pins};
        found_mismatch() = std::make_unique<const Mismatch>(std::move(mismatch));
        throw CheckError(report);
    }

    const std::string scope_, block_;
    const std::string_view compared_;
    std::uint64_t& operations_;
    const std::uint64_t seed_;
    const std::uint64_t* const access_in_service_;
    std::uint64_t access_ = 0;
    Cycle cycle_ = 0;
    Scoreboard scoreboard_;
};

}  // namespace tessera
