#include "sc_models/opportunistic/opportunistic_mechanism.h"

#include "sc_models/opportunistic/opportunistic_energy.h"
#include "sc_models/opportunistic/opportunistic_figures.h"
#include "sc_models/opportunistic/opportunistic_rules.h"

namespace tessera {
namespace {

constexpr KeyCondition kVectorOperations = {
    "workload.kind direct_convolution",
    [](const Config& c) { return has_vector_operations(c.workload.kind); }};
constexpr KeyCondition kAssists = {
    "another opportunistic.scheme than none and workload.kind direct_convolution",
    [](const Config& c) { return c.opportunistic.scheme != OpportunisticScheme::kNone; }};
constexpr KeyCondition kPrecomputes = {
    "opportunistic.scheme intra or both, or inter with opportunistic.assign_predicts",
    [](const Config& c) { return c.opportunistic.precomputes(); }};
constexpr KeyCondition kPeriodic = {
    "opportunistic.pt_policy periodic",
    [](const Config& c) { return c.opportunistic.pt_policy == PrecomputePolicy::kPeriodic; }};
constexpr KeyCondition kAssigns = {"opportunistic.scheme inter or both",
                                   [](const Config& c) { return c.opportunistic.inter(); }};
constexpr KeyCondition kClusters = {
    "workload.kind direct_convolution and opportunistic.scheme inter or both, or characterise",
    [](const Config& c) {
        return kVectorOperations.holds(c) &&
               (c.opportunistic.inter() || c.opportunistic.characterise);
    }};

class OpportunisticMechanism : public Mechanism {
public:
    [[nodiscard]] const MechanismKinds& kinds() const override {
        static constexpr MechanismKinds kKinds = {
            "opportunistic", {"direct_convolution"}, "direct_convolution", "direct_convolution"};
        return kKinds;
    }

    [[nodiscard]] std::vector<KeyCondition> conditions_of(std::string_view key) const override {
        constexpr std::string_view kSection = "opportunistic.";
        if (!has_prefix(key, kSection)) return {};
        const std::string_view name = key.substr(kSection.size());
        if (name == "scheme" || name == "characterise") return {kVectorOperations};
        if (name == "cluster_sms") return {kClusters};
        if (has_prefix(name, "pt_period_")) return {kPrecomputes, kPeriodic};
        if (has_prefix(name, "pt_")) return {kPrecomputes};
        if (has_prefix(name, "at_") || has_prefix(name, "assign_") || name == "credits") {
            return {kAssigns};
        }
        return {kAssists};
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
