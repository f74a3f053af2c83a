// Base class of clocked blocks of the machine in RTL.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "sc_models/common/device.h"
#include "sc_models/cosim/fault.h"
#include "sc_models/cosim/lockstep.h"

namespace tessera {

/// A clocked block of the machine in RTL, alone or with its model in lock-step. `Face` is its
/// ClockedDevice, `Rtl` its wrapper, with `reset`, `trace`, `not_before`, `clock_cycles` and
/// `step`; `Model` its model, with `step`.
template <class Face, class Rtl, class Model>
class ClockedRtl : public Face {
public:
    using Inputs = typename Face::Inputs;
    using Outputs = typename Face::Outputs;

    ClockedRtl(const Config& config, const DevicePlace& place, RtlBlock block)
        : rtl_(rtl_seed(config, place)),
          fault_(FaultInjector::fitting<Outputs>(config.impl.fault_of(block))),
          lockstep_(config, place, block) {
        if (config.impl.of(block) == Implementation::kBoth) model_.emplace();
        rtl_.reset();  // before the machine's cycle 0, so not in the dump
        if (place.wave != nullptr) rtl_.trace(*place.wave, rtl_scope(place, block));
    }
    void at(Cycle now) override {
        now_ = now;
        rtl_.not_before(now);
    }
    Outputs step(const Inputs& inputs) override {
        lockstep_.begin_operation();
        Outputs got = rtl_.step(inputs);
        fault_.apply(got, rtl_.clock_cycles());
        if (model_) {
            compare(inputs, model_->step(inputs), got, lockstep_.at(now_));
            lockstep_.require_agreement();
        }
        ++now_;
        return got;
    }
    [[nodiscard]] std::uint64_t rtl_cycles() const override { return rtl_.clock_cycles(); }

protected:
    template <std::size_t kCount>
    static void compare_words(std::string_view signal,
                              const std::array<std::uint32_t, kCount>& expected,
                              const std::array<std::uint32_t, kCount>& got,
                              Scoreboard& scoreboard) {
        for (std::size_t i = 0; i < kCount; ++i) scoreboard.expect(signal, i, expected[i], got[i]);
    }

private:
    /// Compares all outputs that are valid in a cycle with these inputs.
    virtual void compare(const Inputs& inputs, const Outputs& expected, const Outputs& got,
                         Scoreboard& scoreboard) = 0;

    std::optional<Model> model_;
    Rtl rtl_;
    FaultInjector fault_;
    Lockstep lockstep_;
    Cycle now_ = 0;
};

}  // namespace tessera
