// The instructions of an assistant warp.
#pragma once

#include "sc_models/config/opportunistic_config.h"
#include "sc_models/isa/kernel.h"
#include "sc_models/opportunistic/assistant_work.h"

namespace tessera {

/// One operation after the other, each as its job says: a load of the input, a load of the weight
/// and a multiply-add an element, the loads of assist_buffers elements ahead; an assigned one then
/// adds its results to memory; a kExit at the end. There is no loop to count, and addresses come
/// from the unit (opportunistic computing, III-C), so there is no other arithmetic unless
/// configured.
class AssistantProgram : public WarpProgram {
public:
    /// `job` changes between one kExit and the next fill().
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
