// Instruction program of an assistant warp.
#pragma once

#include "sc_models/isa/kernel.h"
#include "sc_models/opportunistic/assistant_work.h"
#include "sc_models/opportunistic/keys/opportunistic_config.h"

namespace tessera {

/// Executes one operation after the other as its job specifies: per element a load of the input, a
/// load of the weight and a multiply-add, with the loads of assist_buffers elements ahead. An
/// assigned operation then adds its results to memory; a kExit ends each. The unit supplies
/// addresses and no loop is counted (opportunistic computing, III-C), so there is no other
/// arithmetic unless configured.
class AssistantProgram : public WarpProgram {
public:
    /// `job` may change between a kExit and the next fill().
    AssistantProgram(const OpportunisticConfig& config, const AssistantJob& job)
        : config_(config), job_(job) {}

    std::size_t fill(WarpInstruction* out, std::size_t capacity) override;
    [[nodiscard]] static std::uint32_t registers(const OpportunisticConfig& config) {
        return 2 + 2 * config.assist_buffers;
    }

private:
    const OpportunisticConfig& config_;
    const AssistantJob& job_;
    std::uint32_t element_ = 0;
    bool begun_ = false;
};

}  // namespace tessera
