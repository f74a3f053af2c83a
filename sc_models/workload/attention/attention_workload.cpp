#include "sc_models/workload/attention/attention_workload.h"

#include "sc_models/workload/attention/flash_attention.h"
#include "sc_models/workload/attention/rotary_embedding.h"

namespace tessera {

std::unique_ptr<Workload> make_attention_workload(const WorkloadConfig& config, std::uint64_t seed,
                                                  bool values, const TargetMachine& machine) {
    if (config.attention.operation == AttentionOperation::kRotary) {
        return std::make_unique<RotaryEmbedding>(config, seed, values, machine.granularity);
    }
    return std::make_unique<FlashAttention>(config, seed, values, machine);
}

}  // namespace tessera
