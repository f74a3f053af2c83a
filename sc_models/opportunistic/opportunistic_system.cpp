#include "sc_models/opportunistic/opportunistic_system.h"

#include <fmt/format.h>

#include "sc_models/common/conservation.h"

namespace tessera {

OpportunisticSystem::OpportunisticSystem(const OpportunisticPlan& plan, StatGroup& statistics,
                                         const AssignMaker& make_assign)
    : config_(plan) {
    const OpportunisticConfig& o = plan.opportunistic;
    StatGroup& group = statistics.child("opportunistic");
    if (o.characterise) {
        sharing_ = std::make_unique<BlockSharing>(o.cluster_sms, group.child("sharing"));
    }
    if (!o.inter()) return;
    for (std::uint32_t first = 0; first < plan.sms; first += o.cluster_sms) {
        const std::uint32_t cluster = first / o.cluster_sms;
        clusters_.push_back(
            std::make_unique<AssignCluster>(fmt::format("cluster{}", cluster).c_str(), o,
                                            SmId(first), group.instance("assign_table", cluster),
                                            make_assign ? make_assign(SmId(first)) : nullptr));
    }
}

std::unique_ptr<OpportunisticUnit> OpportunisticSystem::make_unit(
    SmId sm, VectorUnitHost& host, BlockPresence& cache, VectorValues::Reader read, MeshPort* port,
    StatGroup& statistics, Observers observers, std::unique_ptr<PrecomputeDevice> precompute) {
    AssignCluster* cluster = nullptr;
    if (!clusters_.empty()) {
        cluster = clusters_[sm.value() / config_.opportunistic.cluster_sms].get();
        if (sm == cluster->home()) {
            cluster->table().record({fmt::format("sm{}", sm.value()), sm.value(), observers.wave,
                                     observers.transactions});
        }
        if (port != nullptr) {
            links_.push_back(std::make_unique<MeshLink>(*port, *cluster));
        } else {
            links_.push_back(std::make_unique<WireLink>(sm, *cluster, config_.noc.latency_cycles));
        }
    }
    if (sharing_) sharing_->join(cache);
    auto unit = std::make_unique<OpportunisticUnit>(
        "opportunistic", config_.opportunistic,
        OpportunisticUnit::UnitPlace{sm, config_.sm.max_warps, config_.l1.line_bytes,
                                     config_.l1.sector_bytes, config_.values},
        OpportunisticUnit::OpportunisticContext{
            host, cache, ledger_, cluster, links_.empty() ? nullptr : links_.back().get(),
            sharing_.get(), std::move(read), std::move(precompute)},
        statistics, observers);
    units_.push_back(unit.get());
    return unit;
}

void OpportunisticSystem::start_kernel(const KernelInfo& info) {
    ledger_.start_kernel(info);
    for (const auto& cluster : clusters_) cluster->start_kernel();
}

void OpportunisticSystem::check(std::vector<std::string>& violations) const {
    ledger_.check(violations);
    for (const auto& cluster : clusters_) cluster->check(violations);
    OpportunisticUnit::Totals all;
    for (const OpportunisticUnit* unit : units_) {
        unit->check(violations);
        const OpportunisticUnit::Totals& one = unit->totals();
        all.sent += one.sent;
        all.received += one.received;
        all.executed += one.executed;
        all.acknowledged += one.acknowledged;
        all.refused += one.refused;
        for (std::size_t kind = 0; kind < kMeshMessageKinds; ++kind) {
            all.messages_sent[kind] += one.messages_sent[kind];
            all.messages_received[kind] += one.messages_received[kind];
        }
    }
    const std::string name = "opportunistic";
    using Kind = MeshMessageKind;
    const auto sent = [&all](Kind kind) {
        return all.messages_sent[static_cast<std::size_t>(kind)];
    };
    for (std::size_t kind = 0; kind < kMeshMessageKinds; ++kind) {
        const std::string what = std::string(kMeshMessageNames[kind]) + " messages sent";
        expect_equal(name, what.c_str(), all.messages_sent[kind], "received",
                     all.messages_received[kind], violations);
    }
    expect_equal(name, "questions to assign tables", sent(Kind::kLookup), "answers",
                 sent(Kind::kLookupReply), violations);
    expect_equal(name, "assignments", sent(Kind::kAssign), "acknowledgements and refusals",
                 sent(Kind::kAcknowledge) + sent(Kind::kRefuse), violations);
    expect_equal(name, "assignments sent", all.sent, "received", all.received, violations);
    expect_equal(name, "assignments sent", all.sent, "executed and refused",
                 all.executed + all.refused, violations);
    expect_equal(name, "assignments executed", all.executed, "acknowledged", all.acknowledged,
                 violations);
}

}  // namespace tessera
