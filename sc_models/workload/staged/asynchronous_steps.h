// Steps whose copies are asynchronous.
#pragma once

#include <cstdint>

#include "sc_models/workload/staged/staged_steps.h"

namespace tessera {

/// Steps with asynchronous copies: stages, groups of copies, and fragments loaded ahead. B may be
/// compressed.
class AsynchronousSteps : public StagedSteps {
public:
    AsynchronousSteps(const StagedWarp& at, StagedInstructions& out) : StagedSteps(at, out) {}

    void begin() override;
    void run(std::uint32_t step) override;
    void compute(std::uint32_t buffer) override { multiply(buffer, product_.depth_tiles, true); }

private:
    void copy_step(std::uint32_t step);
    void commit_copies();
    void await_copies();
    void multiply(std::uint32_t step, std::uint32_t depth, bool more);
    void load_matrices(std::uint32_t step, std::uint32_t tile);
    void load_metadata(std::uint32_t step, std::uint32_t tile);
    void multiply_matrices(std::uint32_t tile);
    void multiply_compressed(std::uint32_t tile);
};

}  // namespace tessera
