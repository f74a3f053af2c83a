// Interface and registry of co-simulation benches: each drives an RTL block and its model with the
// same inputs and compares their outputs.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/cosim/fault.h"
#include "sc_models/cosim/rtl_reset.h"
#include "sc_models/cosim/scoreboard.h"
#include "testbenches/cosim/coverage_plan.h"

namespace tessera {

struct BenchOptions {
    std::uint64_t count = 1'000'000;  ///< operations, as the block defines them
    std::uint32_t seed = 1;
    std::uint32_t reset_every = 0;  ///< mean cycles between resets, in directed cases as well; 0:
                                    ///< as the block's bench has it
    bool second_set = false;  ///< RTL with the second set of parameters, in place of the machine's
    FaultPlan fault;
    StuckPin stuck;  ///< of benches with a coverage plan: an error that its stimuli must find
    /// Likewise: situation of the plan in which the RTL sees other inputs than the model.
    std::string wrong;
    WaveRecorder* wave = nullptr;  ///< receives the block's dump (scope "rtl") and the model's
                                   ///< signals
};

/// Signals of the model in the waveform, in scope "model". One with a pin's name has that pin's
/// value in every cycle, in resets as well.
class ModelSignals {
public:
    struct Declaration {
        std::string_view name;
        std::uint32_t width_bits;
    };
    /// Without a recorder, draw() does nothing.
    ModelSignals(WaveRecorder* wave, std::initializer_list<Declaration> signals) : wave_(wave) {
        if (wave_ == nullptr) return;
        for (const Declaration& signal : signals) {
            signals_.push_back(wave_->add("model", signal.name, signal.width_bits));
        }
    }
    /// Sets the values in clock cycle `at`, in the order of the declarations.
    template <class... Values>
    void draw(Cycle at, Values... values) {
        if (wave_ == nullptr) return;
        auto signal = signals_.begin();
        (wave_->set(*signal++, at, static_cast<std::uint64_t>(values)), ...);
    }

private:
    WaveRecorder* wave_;
    std::vector<WaveRecorder::Signal> signals_;
};

/// Drives directed cases first, then legal-random operations with random stalls on both sides.
class CosimBench {
public:
    virtual ~CosimBench() = default;
    /// Runs one clock cycle: chooses inputs, evaluates both sides, compares all outputs, applies
    /// the edge. `step` counts the calls; a reset takes further clock cycles. Returns false once
    /// `count` operations are finished and nothing is in flight.
    virtual bool cycle(Cycle step, Scoreboard& scoreboard) = 0;
    /// Clock cycles so far, those in reset included. Waveform, report and faults count them.
    [[nodiscard]] Cycle clock_cycles() const { return clock_cycles_; }
    [[nodiscard]] virtual std::uint64_t operations() const = 0;
    /// The inputs of this cycle, for the divergence report.
    [[nodiscard]] virtual std::string describe_inputs() const = 0;
    /// Appends lines on coverage to the summary.
    virtual void summarise(std::vector<std::string>& lines) const { static_cast<void>(lines); }
    /// Situations and pins that the bench must reach; null: it has no plan.
    [[nodiscard]] virtual const CoveragePlan* coverage() const { return nullptr; }

protected:
    /// Ends a clock cycle.
    void count_cycle() { ++clock_cycles_; }
    /// Draws the cycles of a reset, in each of which the model's signals have these values.
    template <class... Values>
    void draw_reset(ModelSignals& signals, Values... values) {
        for (Cycle n = 0; n < kRtlResetCycles; ++n) signals.draw(clock_cycles_++, values...);
    }

private:
    Cycle clock_cycles_ = 0;
};

/// A block that can be co-simulated.
struct CosimBlock {
    std::string_view name;
    std::string_view description;
    std::string_view operation;  ///< what `count` counts
    /// Names of the wrapper's output words in order, "NAME:N" for N of them; fault plans count
    /// their bits.
    std::string_view outputs;
    std::unique_ptr<CosimBench> (*make)(const BenchOptions& options);
};

/// All blocks, in the order of their names; empty in a build without RTL.
[[nodiscard]] const std::vector<CosimBlock>& cosim_blocks();
/// Adds a block. Must be called before main().
void register_cosim_block(const CosimBlock& block);

/// Registers a block. Its bench has one of these at namespace scope.
template <class Bench>
class RegisteredBench {
public:
    RegisteredBench(std::string_view name, std::string_view description, std::string_view operation,
                    std::string_view outputs) {
        register_cosim_block({name, description, operation, outputs,
                              [](const BenchOptions& options) -> std::unique_ptr<CosimBench> {
                                  return std::make_unique<Bench>(options);
                              }});
    }
};

}  // namespace tessera
