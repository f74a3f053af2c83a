#include "sc_models/opportunistic/opportunistic_rules.h"

#include "sc_models/config/config_rules.h"

namespace tessera {
namespace {

constexpr std::uint32_t kMostRtlEntries = 512;  ///< of rtl/precompute_table, 2^EntryBits
constexpr std::uint32_t kMostRtlPairs = 1024;   ///< of rtl/assign_table, 2^EntryBits
constexpr std::uint32_t kMostRtlSms = 8;        ///< of a cluster of rtl/assign_table, 2^SmBits

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
        check_assign_rtl();
        if (!o.inter() && !o.characterise) return;
        require(c_.gpu.sms % o.cluster_sms == 0, {"opportunistic.cluster_sms", "gpu.sms"},
                "opportunistic.cluster_sms (" + number(o.cluster_sms) + ") to divide gpu.sms (" +
                    number(c_.gpu.sms) + ")");
    }

private:
    void check_assign_rtl() const {
        if (!c_.impl.has_rtl(RtlBlock::kAssignTable)) return;
        const OpportunisticConfig& o = c_.opportunistic;
        require(o.inter() && has_vector_operations(c_.workload.kind),
                {"impl.assign_table", "opportunistic.scheme", "workload.kind"},
                "impl.assign_table tlm unless opportunistic.scheme is inter or both: clusters have "
                "no assign table otherwise");
        require(o.at_entries <= kMostRtlPairs, {"impl.assign_table", "opportunistic.at_entries"},
                "opportunistic.at_entries to be at most " + number(kMostRtlPairs) +
                    ", what the RTL has");
        require(o.cluster_sms <= kMostRtlSms, {"impl.assign_table", "opportunistic.cluster_sms"},
                "opportunistic.cluster_sms to be at most " + number(kMostRtlSms) +
                    ", what the RTL has");
    }
};

}  // namespace

void check_opportunistic(const Config& config, const ConfigSource& source) {
    OpportunisticRules(config, source).check();
}

}  // namespace tessera
