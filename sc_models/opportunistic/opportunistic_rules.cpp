#include "sc_models/opportunistic/opportunistic_rules.h"

#include "sc_models/config/config_rules.h"

namespace tessera {
namespace {

constexpr std::uint32_t kMostRtlEntries = 512;  ///< of rtl/precompute_table, 2^EntryBits

class OpportunisticRules : private ConfigRules {
public:
    OpportunisticRules(const Config& config, const ConfigSource& source)
        : ConfigRules(config, source) {}

    void check() const {
        const OpportunisticConfig& o = c_.opportunistic;
        require(o.scheme == OpportunisticScheme::kNone || has_vector_operations(c_.workload.kind),
                {"opportunistic.scheme", "workload.kind"},
                "opportunistic.scheme none unless workload.kind is direct_convolution, whose "
                "vector operations it acts on, or a composition");
        require(!c_.impl.has_rtl(RtlBlock::kPrecomputeTable) ||
                    (o.precomputes() && has_vector_operations(c_.workload.kind)),
                {"impl.precompute_table", "opportunistic.scheme", "workload.kind"},
                "impl.precompute_table tlm unless opportunistic.scheme is intra or both, or inter "
                "with assign_predicts: SMs have no precompute table otherwise");
        require(!c_.impl.has_rtl(RtlBlock::kPrecomputeTable) || o.pt_entries <= kMostRtlEntries,
                {"impl.precompute_table", "opportunistic.pt_entries"},
                "opportunistic.pt_entries to be at most " + number(kMostRtlEntries) +
                    ", what the RTL has");
        if (!o.inter() && !o.characterise) return;
        require(c_.gpu.sms % o.cluster_sms == 0, {"opportunistic.cluster_sms", "gpu.sms"},
                "opportunistic.cluster_sms (" + number(o.cluster_sms) + ") to divide gpu.sms (" +
                    number(c_.gpu.sms) + ")");
    }
};

}  // namespace

void check_opportunistic(const Config& config, const ConfigSource& source) {
    OpportunisticRules(config, source).check();
}

}  // namespace tessera
