#include "sc_models/opportunistic/opportunistic_rules.h"

#include "sc_models/config/config_rules.h"

namespace tessera {
namespace {

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
