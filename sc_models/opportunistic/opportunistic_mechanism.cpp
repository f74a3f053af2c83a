#include "sc_models/opportunistic/opportunistic_mechanism.h"

#include "sc_models/opportunistic/opportunistic_energy.h"
#include "sc_models/opportunistic/opportunistic_figures.h"
#include "sc_models/opportunistic/opportunistic_rules.h"

namespace tessera {
namespace {

class OpportunisticMechanism : public Mechanism {
public:
    [[nodiscard]] const MechanismKinds& kinds() const override {
        static constexpr MechanismKinds kKinds = {
            "opportunistic", {"direct_convolution"}, "direct_convolution", "direct_convolution"};
        return kKinds;
    }

    [[nodiscard]] std::vector<KeyCondition> key_conditions() const override {
        return {{"opportunistic.pt_period_",
                 "with opportunistic.pt_policy periodic and scheme intra or both"},
                {"opportunistic.pt_", "with opportunistic.scheme intra or both"},
                {"opportunistic.a", "with opportunistic.scheme inter or both"},
                {"opportunistic.c", "with opportunistic.scheme inter or both"},
                {"opportunistic.",
                 "with another opportunistic.scheme than none and workload.kind "
                 "direct_convolution"}};
    }

    void check_workload(const Config& config, const ConfigSource& source) const override {
        check_opportunistic(config, source);
    }

    void reset_idle_keys(Config& config, const SectionIsSet& is_set) const override {
        const OpportunisticConfig& o = config.opportunistic;
        if (o.scheme == OpportunisticScheme::kNone && !o.characterise &&
            o.fault == OpportunisticFault::kNone && !is_set("opportunistic.")) {
            config.opportunistic = OpportunisticConfig{};
        }
    }

    [[nodiscard]] const MechanismFigures* figures() const override {
        return &opportunistic_figures();
    }
    [[nodiscard]] const MechanismEnergy* energy() const override { return &opportunistic_energy(); }
};

}  // namespace

const Mechanism& opportunistic_mechanism() {
    static const OpportunisticMechanism kOpportunistic;
    return kOpportunistic;
}

}  // namespace tessera
