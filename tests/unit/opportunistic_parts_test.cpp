// Do the parts of opportunistic computing that need no machine keep their rules?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "sc_models/isa/kernel.h"
#include "sc_models/opportunistic/assign_cluster.h"
#include "sc_models/opportunistic/assistant_work.h"
#include "sc_models/opportunistic/opportunistic_unit.h"
#include "sc_models/opportunistic/output_ledger.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Has every sector, but for those that it is told are elsewhere.
class Cache : public BlockPresence {
public:
    std::map<Address, Cycle> ready;  ///< by sector
    [[nodiscard]] Cycle sector_ready(Address address) const override {
        const auto found = ready.find(address / 32 * 32);
        return found == ready.end() ? 0 : found->second;
    }
    void watch(BlockWatcher* /*watcher*/) override {}
};

/// Scalar entries that are ready share an operation if they are of the same length.
TEST(AssistantWork, GathersEntriesOfOneLength) {
    OpportunisticConfig config;
    config.pt_granularity = PrecomputeGranularity::kScalar;
    Cache cache;
    cache.ready[0x4000] = kNever;
    AssistantWork work(config, cache);
    PrecomputeTable table(8, 1);
    const LaneLayout one(0, 1, {});
    struct Entry {
        Address input, weights;
        std::uint32_t length;
    };
    // The third is shorter, and the fourth has an operand missing.
    for (const Entry e : {Entry{0x1000, 0x100, 5}, Entry{0x2000, 0x180, 5}, Entry{0x3000, 0x200, 3},
                          Entry{0x4000, 0x280, 5}, Entry{0x5000, 0x300, 5}}) {
        VectorOperation operation;
        operation.input = e.input;
        operation.weights = e.weights;
        operation.length = e.length;
        operation.layout = &one;
        table.insert_if_absent({e.input, e.weights, 0}, operation);
    }
    work.look_again();
    const auto choose = [&](AssistantJob& job) {
        std::vector<Address> inputs;
        if (!work.choose(table, true, 10, job)) return inputs;
        for (std::uint32_t lane = 0; lane < job.operation.layout->lanes(); ++lane) {
            inputs.push_back(job.operation.input + static_cast<Address>(job.gathered->offset(
                                                       LaneLayout::Operand::kInput, lane)));
        }
        EXPECT_EQ(job.targets.size(), inputs.size());
        return inputs;
    };
    AssistantJob job;
    EXPECT_THAT(choose(job), ElementsAre(0x1000, 0x2000, 0x5000));
    EXPECT_EQ(job.operation.length, 5U);
    EXPECT_EQ(job.gathered->offset(LaneLayout::Operand::kWeights, 2), 0x200);
    EXPECT_THAT(choose(job), ElementsAre(0x3000));
    EXPECT_EQ(job.operation.length, 3U);
    EXPECT_THAT(choose(job), IsEmpty());
}

std::vector<std::string> violations(const OutputLedger& ledger) {
    std::vector<std::string> found;
    ledger.check(found);
    return found;
}

TEST(OutputLedger, NamesTheFirstOutputThatIsWrong) {
    KernelInfo info;
    info.name = "kernel";
    info.outputs = 0x1000;
    info.output_bytes = 24;
    info.output_count = 4;
    info.operations_per_output = 2;
    OutputLedger ledger;
    ledger.start_kernel(info);
    const LaneLayout one(0, 1, {});
    const auto add = [&](std::uint32_t output, std::uint32_t operations) {
        ledger.add(info.outputs + Address{4} * output, one, operations);
    };
    add(0, 2);
    EXPECT_THAT(violations(ledger),
                ElementsAre("kernel: 1 of 4 outputs received their vector operations"));
    add(2, 1);
    add(3, 3);
    add(5, 7);
    EXPECT_THAT(violations(ledger),
                ElementsAre("kernel: 3 outputs did not receive each of their 2 vector operations "
                            "once, the first is number 2 with 1"));
    ledger.start_kernel(info);
    for (const std::uint32_t output : {0U, 1U, 3U, 5U}) add(output, 2);
    EXPECT_THAT(violations(ledger), IsEmpty());
}

class Member : public ClusterMember {
public:
    [[nodiscard]] bool holds(BlockNumber /*block*/) const override { return true; }
    void on_message(const MeshMessage& /*message*/, Cycle /*at*/) override {}
};

TEST(AssignCluster, ShowsWhatItsTableCounts) {
    const OpportunisticConfig config;
    StatGroup statistics("cluster");
    AssignCluster cluster(config, SmId(4), statistics);
    Member members[2];
    cluster.join(SmId(4), members[0]);
    cluster.join(SmId(5), members[1]);
    cluster.table().insert_if_absent({1, 2}, SmId(5));
    EXPECT_EQ(cluster.lookup({1, 2}), SmId(5));
    EXPECT_EQ(cluster.lookup({1, 2}), SmId(5));
    EXPECT_FALSE(cluster.lookup({1, 3}).valid());
    cluster.expect_loss(2, SmId(5));
    cluster.lose(2, SmId(5));
    EXPECT_FALSE(cluster.lookup({1, 2}).valid());
    const std::map<std::string, std::uint64_t> expected = {
        {"lookups", 4}, {"hits", 2}, {"inserted", 1}, {"replaced", 0}, {"invalidated", 1}};
    for (const auto& [name, count] : expected) EXPECT_EQ(statistics.sum(name), count) << name;
    std::vector<std::string> found;
    cluster.check(found);
    EXPECT_THAT(found, IsEmpty());
}

class Host : public VectorUnitHost {
public:
    [[nodiscard]] Cycle present() const override { return 0; }
    void on_vector_decided(WarpId warp, const VectorDecision& /*decision*/) override {
        decided.push_back(warp.value());
    }
    void wake_assistant() override {}
    void on_vector_activity(Cycle /*at*/) override {}
    std::vector<std::uint32_t> decided;
};

/// Keeps what is sent.
class Link : public AssignLink {
public:
    void send(const MeshMessage& message, Cycle /*at*/) override { sent.push_back(message); }
    std::vector<MeshMessage> sent;
};

/// Two warps ask the assign table by messages. Whichever answer comes first, the pair that is then
/// entered is that of the operation the answer is about.
TEST(OpportunisticUnit, EntersThePairThatWasAskedFor) {
    OpportunisticConfig config;
    config.scheme = OpportunisticScheme::kInter;
    config.at_cost = AssignTableCost::kMessages;
    const SmId home(0), self(1);
    StatGroup statistics("test");
    AssignCluster cluster(config, home, statistics.child("cluster"));
    OutputLedger ledger;
    Host host;
    Link link;
    Cache cache;
    for (const Address sector : {0x1000, 0x2000, 0x8000, 0x9000}) cache.ready[sector] = kNever;
    OpportunisticUnit unit(config, {self, 2},
                           {host, cache, ledger, &cluster, &link, nullptr, nullptr},
                           statistics.child("unit"), {});
    unit.start_kernel(0);
    const LaneLayout one(0, 1, {});
    for (std::uint32_t warp = 0; warp < 2; ++warp) {
        VectorOperation operation;
        operation.input = 0x1000 * (warp + 1);
        operation.weights = 0x8000 + 0x1000 * warp;
        operation.length = 3;
        operation.layout = &one;
        EXPECT_TRUE(unit.decode(WarpId(warp), operation, 10).pending);
    }
    ASSERT_EQ(link.sent.size(), 2U);
    for (const std::size_t asked : {0U, 1U}) {
        const MeshMessage question = link.sent[asked];
        EXPECT_EQ(question.kind, MeshMessageKind::kLookup);
        MeshMessage answer;  // nobody has the pair
        answer.kind = MeshMessageKind::kLookupReply;
        answer.id = question.id;
        cluster.member(self).on_message(answer, 50);
        ASSERT_EQ(link.sent.size(), 3 + asked);
        EXPECT_EQ(link.sent.back().kind, MeshMessageKind::kInsert);
        EXPECT_EQ(link.sent.back().input, question.input);
        EXPECT_EQ(link.sent.back().weight, question.weight);
    }
    EXPECT_THAT(host.decided, ElementsAre(0, 1));
}

}  // namespace
}  // namespace tessera
