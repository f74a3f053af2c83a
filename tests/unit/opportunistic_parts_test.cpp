// Do the parts of opportunistic computing that need no machine keep their rules?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "sc_models/isa/kernel.h"
#include "sc_models/opportunistic/assign_cluster.h"
#include "sc_models/opportunistic/assistant_work.h"
#include "sc_models/opportunistic/operation_blocks.h"
#include "sc_models/opportunistic/output_ledger.h"
#include "tests/unit/opportunistic_surroundings.h"

namespace tessera {
namespace {

using test::Cache;
using test::Member;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Scalar entries that are ready share an operation if they are of the same length.
TEST(AssistantWork, GathersEntriesOfOneLength) {
    OpportunisticConfig config;
    config.pt_granularity = PrecomputeGranularity::kScalar;
    Cache cache;
    cache.ready[0x4000] = kNever;
    AssistantWork work(config, cache);
    PrecomputePort table(8, 1);
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
    work.recheck();
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

/// Whatever is passed over because it was seen: the pieces are those that each lane's vector
/// touches, and an operation is ready when all of them are.
TEST(OperationBlocks, AreThoseOfEveryLane) {
    using Operand = LaneLayout::Operand;
    std::mt19937_64 random(20261127);
    const auto up_to = [&random](std::uint64_t most) { return random() % (most + 1); };
    for (int round = 0; round < 400; ++round) {
        LaneLayout layout(0, 1 + static_cast<std::uint32_t>(up_to(31)), {});
        VectorOperation operation;
        operation.layout = &layout;
        operation.input = 0x10000 + 4 * up_to(500);
        operation.weights = 0x80000 + 4 * up_to(500);
        operation.length = 1 + static_cast<std::uint32_t>(up_to(12));
        // Side by side, apart, in rows, all the same, or anywhere and before lane 0, too.
        const auto stride = static_cast<std::int32_t>(4 * up_to(20));
        const bool anywhere = round % 3 == 0;
        for (std::uint32_t lane = 1; lane < layout.lanes(); ++lane) {
            const auto row = static_cast<std::int32_t>(lane / 7 * up_to(1) * 512);
            const auto offset = anywhere ? static_cast<std::int32_t>(4 * up_to(400)) - 800
                                         : static_cast<std::int32_t>(lane) * stride + row;
            layout.set_offset(Operand::kInput, lane, offset);
            if (round % 5 == 0) layout.set_offset(Operand::kWeights, lane, stride);
        }
        Cache cache;
        Cycle ready = 0;
        for (const Operand operand : {Operand::kInput, Operand::kWeights}) {
            std::set<Address> touched;
            for (std::uint32_t lane = 0; lane < layout.lanes(); ++lane) {
                const Address base =
                    operand == Operand::kInput ? operation.input : operation.weights;
                const Address begin =
                    base + static_cast<Address>(std::int64_t{layout.offset(operand, lane)});
                for (std::uint32_t byte = 0; byte < 4 * operation.length; ++byte) {
                    touched.insert((begin + byte) / 32);
                }
            }
            std::vector<Address> visited;
            for_each_piece(operation, operand, 32, [&](Address piece) {
                visited.push_back(piece);
                return true;
            });
            EXPECT_EQ(std::set<Address>(visited.begin(), visited.end()), touched);
            if (!anywhere && stride <= 32 && operand == Operand::kInput && layout.lanes() <= 7) {
                EXPECT_EQ(visited.size(), touched.size()) << "side by side, once each";
            }
            std::size_t seen = 0;
            for_each_piece(operation, operand, 32, [&](Address /*piece*/) { return ++seen < 2; });
            EXPECT_EQ(seen, std::min<std::size_t>(visited.size(), 2)) << "until it is enough";
            for (const Address piece : touched) {
                if (up_to(30) == 0) cache.ready[piece * 32] = up_to(9) == 0 ? kNever : up_to(100);
                const auto found = cache.ready.find(piece * 32);
                if (found != cache.ready.end()) ready = std::max(ready, found->second);
            }
        }
        EXPECT_EQ(operands_ready(operation, cache), ready) << "round " << round;
    }
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
    add(3, 1);
    EXPECT_THAT(violations(ledger),
                ElementsAre("kernel: 1 outputs did not receive each of their 2 vector operations "
                            "once, the first is number 3 with 3"));
}

TEST(AssignCluster, ShowsWhatItsTableCounts) {
    const OpportunisticConfig config;
    StatGroup statistics("cluster");
    AssignCluster cluster("cluster", config, SmId(4), statistics);
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

}  // namespace
}  // namespace tessera
