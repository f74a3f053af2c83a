// Steps of dense fragments whose copies go through registers.
#pragma once

#include <cstdint>

#include "sc_models/workload/staged/staged_steps.h"

namespace tessera {

/// Steps of 16x16x16 fragments. A step's loads for the next step are spread over its products; the
/// stores of what they bring follow, and a barrier.
class FragmentSteps : public StagedSteps {
public:
    FragmentSteps(const StagedWarp& at, StagedInstructions& out) : StagedSteps(at, out) {}

    void begin() override;
    void run(std::uint32_t step) override;
    void compute(std::uint32_t buffer) override { multiply(buffer, product_.depth_tiles); }

private:
    void multiply(std::uint32_t step, std::uint32_t depth);
    void load_fragment(FragmentRole role, std::uint32_t slot,
                       const StagedOperand::Fragment& fragment, std::uint8_t dst);
};

}  // namespace tessera
