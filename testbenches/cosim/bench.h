// Interface and registry of co-simulation benches: each drives an RTL block and its model with the
// same inputs and compares their outputs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/cosim/fault.h"
#include "sc_models/cosim/scoreboard.h"

namespace tessera {

struct BenchOptions {
    std::uint64_t count = 1'000'000;  ///< operations, as the block defines them
    std::uint32_t seed = 1;
    FaultPlan fault;
    WaveRecorder* wave = nullptr;  ///< receives the block's dump (scope "rtl") and the model's
                                   ///< signals
};

/// Drives directed cases first, then legal-random operations with random stalls on both sides.
class CosimBench {
public:
    virtual ~CosimBench() = default;
    /// Runs one clock cycle: chooses inputs, evaluates both sides, compares all outputs, applies
    /// the edge. Returns false once `count` operations are finished and nothing is in flight.
    virtual bool cycle(Cycle now, Scoreboard& scoreboard) = 0;
    [[nodiscard]] virtual std::uint64_t operations() const = 0;
    /// The inputs of this cycle, for the divergence report.
    [[nodiscard]] virtual std::string describe_inputs() const = 0;
    /// Appends lines on coverage to the summary.
    virtual void summarise(std::vector<std::string>& lines) const { static_cast<void>(lines); }
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
