// Kernels whose threads each compute some floats from some others.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/isa/coalescer.h"
#include "sc_models/isa/kernel.h"

namespace tessera {

/// Work of the threads of a LaneMapKernel: in each of a few steps a thread loads `inputs` floats,
/// computes `outputs` floats from them and stores these.
class LaneMap {
public:
    static constexpr std::int64_t kOutside = -1;
    static constexpr std::uint32_t kMostFloats = 32;  ///< of a thread and step, each way

    struct Step {
        std::uint32_t inputs = 0, outputs = 0;  ///< at most kMostFloats
        std::uint32_t integers = 0;             ///< instructions for indices
        std::uint32_t fp32 = 0;  ///< instructions to compute; 0: outputs are the inputs

        /// A step with an integer instruction for each load and store, for address and bounds:
        /// chosen.
        [[nodiscard]] static Step of(std::uint32_t inputs, std::uint32_t outputs,
                                     std::uint32_t fp32) {
            return {inputs, outputs, inputs + outputs, fp32};
        }
    };

    virtual ~LaneMap() = default;
    [[nodiscard]] virtual std::uint64_t threads() const = 0;
    [[nodiscard]] virtual std::uint32_t steps() const { return 1; }
    [[nodiscard]] virtual Step step(std::uint32_t step) const = 0;
    /// Float of the source that is input `i`, or kOutside: the input is +0.
    [[nodiscard]] virtual std::int64_t source(std::uint64_t thread, std::uint32_t step,
                                              std::uint32_t i) const = 0;
    /// Float of the result that is output `i`, or kOutside: it is not stored.
    [[nodiscard]] virtual std::int64_t result(std::uint64_t thread, std::uint32_t step,
                                              std::uint32_t i) const = 0;
    virtual void compute(std::uint32_t /*step*/, const float* /*inputs*/,
                         float* /*outputs*/) const {}
};

/// Parameters of such a kernel; the map must outlive it.
struct LaneMapTask {
    std::string name;
    const LaneMap* map = nullptr;
    Address source = 0, result = 0;
    AccessGranularity granularity;
    bool values = false;
};

/// A lane is a thread of the map, neighbours side by side; a CTA has 256. In each step a warp
/// loads one float a lane for each input, all of them before it computes, and stores one for each
/// output.
class LaneMapKernel : public Kernel {
public:
    explicit LaneMapKernel(LaneMapTask task);

    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;
    [[nodiscard]] const LaneMapTask& task() const { return task_; }
    [[nodiscard]] std::uint32_t outputs() const { return outputs_; }

private:
    LaneMapTask task_;
    std::uint32_t outputs_;  ///< first register of the outputs, behind those of the inputs
    KernelInfo info_;
};

}  // namespace tessera
