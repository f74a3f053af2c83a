// Base class of clocked blocks of the machine in RTL.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sc_models/common/device.h"
#include "sc_models/cosim/block_report.h"
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
          lockstep_(config, place, block),
          report_(place, text_of(block).name) {
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
        if (report_.wanted()) {
            report_.send_compared(
                now_, [&](Scoreboard& scoreboard) { compare(inputs, got, got, scoreboard); });
        }
        if (model_) {
            const Step& step = remember({now_, inputs, model_->step(inputs), got});
            compare(inputs, step.expected, got, lockstep_.at(now_));
            if (lockstep_.disagrees()) lockstep_.require_agreement(last_pins());
        }
        ++now_;
        return got;
    }
    [[nodiscard]] std::uint64_t rtl_cycles() const override { return rtl_.clock_cycles(); }

private:
    static constexpr std::size_t kRememberedSteps = 200;
    struct Step {
        Cycle cycle = 0;
        Inputs inputs{};
        Outputs expected{}, got{};
    };
    /// Compares all outputs that are valid in a cycle with these inputs.
    virtual void compare(const Inputs& inputs, const Outputs& expected, const Outputs& got,
                         Scoreboard& scoreboard) = 0;

    const Step& remember(const Step& step) {
        if (steps_.size() < kRememberedSteps) {
            steps_.push_back(step);
            return steps_.back();
        }
        Step& oldest = steps_[next_step_];
        next_step_ = (next_step_ + 1) % kRememberedSteps;
        oldest = step;
        return oldest;
    }
    /// Returns the pins of the remembered steps, compared once more.
    [[nodiscard]] std::shared_ptr<const PinHistory> last_pins() {
        struct Collector : PinListener {
            PinHistory history;
            Cycle cycle = 0;
            void pin(std::string_view signal, std::size_t index, std::uint64_t expected,
                     std::uint64_t got) override {
                history.values.push_back(
                    {cycle, fmt::format("{}_{}", signal, index), expected, got});
            }
        } collector;
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            const Step& step = steps_[(next_step_ + i) % steps_.size()];
            Scoreboard scoreboard{std::string()};
            scoreboard.watch(&collector);
            collector.cycle = step.cycle;
            compare(step.inputs, step.expected, step.got, scoreboard);
        }
        return std::make_shared<const PinHistory>(std::move(collector.history));
    }

    std::optional<Model> model_;
    Rtl rtl_;
    FaultInjector fault_;
    Lockstep lockstep_;
    BlockReport report_;
    std::vector<Step> steps_;  ///< the last steps, a ring
    std::size_t next_step_ = 0;
    Cycle now_ = 0;
};

}  // namespace tessera
