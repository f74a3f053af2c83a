// Does a unit of opportunistic computing send the right messages in the right cycles, and keep
// count of what it has assigned?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sc_models/opportunistic/opportunistic_unit.h"
#include "tests/unit/opportunistic_surroundings.h"

namespace tessera {
namespace {

using test::Host;
using test::Link;
using test::Member;
using ::testing::IsEmpty;

constexpr SmId kHome(0), kSelf(1), kOther(2);

OpportunisticConfig by_messages() {
    OpportunisticConfig config;
    config.scheme = OpportunisticScheme::kInter;
    config.at_cost = AssignTableCost::kMessages;
    return config;
}

/// SM 1 in a cluster of three, with operands of two operations missing.
class Unit {
public:
    explicit Unit(const OpportunisticConfig& its)
        : config(its),
          cluster(sc_core::sc_gen_unique_name("cluster"), config, kHome,
                  statistics.child("cluster")),
          unit(sc_core::sc_gen_unique_name("unit"), config, {kSelf, 2},
               {host, cache, ledger, &cluster, &link, nullptr, nullptr}, statistics.child("unit"),
               {}) {
        cluster.join(kHome, home_);
        cluster.join(kOther, other_);
        for (const Address sector : {0x1000, 0x2000, 0x8000, 0x9000}) cache.ready[sector] = kNever;
        unit.start_kernel(0);
    }
    [[nodiscard]] VectorOperation operation(std::uint32_t number) const {
        VectorOperation operation;
        operation.input = 0x1000 * (number + 1);
        operation.weights = 0x8000 + 0x1000 * number;
        operation.output = 0x100 * (number + 1);
        operation.length = 3;
        operation.window_row = 4 + number;
        operation.windows_below = 6 + number;
        operation.row_step = 2;
        operation.weight_row_bytes = 48;
        operation.layout = &layout_;
        return operation;
    }
    void receive(const MeshMessage& message, Cycle at) {
        cluster.member(kSelf).on_message(message, at);
    }
    /// The message by which another SM assigns `operation(1)` to this one.
    MeshMessage assignment(SmId source, std::uint64_t id) {
        cluster.remember(operation(1));
        MeshMessage message;
        message.kind = MeshMessageKind::kAssign;
        message.source = source;
        message.id = id;
        message.input = operation(1).input;
        message.weight = operation(1).weights;
        message.output = operation(1).output;
        message.geometry = layout_.id();
        message.lanes = layout_.lanes();
        message.count = 3;
        return message;
    }
    /// Sends a lookup of operation 0 at cycle `at`; the reply names SM 2, which has reserved a
    /// slot.
    void assign(Cycle at, Cycle answered) {
        EXPECT_TRUE(unit.decode(WarpId(0), operation(0), at).pending);
        ASSERT_FALSE(link.sent.empty());
        MeshMessage answer;
        answer.kind = MeshMessageKind::kLookupReply;
        answer.id = link.sent.back().message.id;
        answer.holder = kOther;
        if (config.credits && cluster.reserve(kOther)) answer.credits = 1;
        receive(answer, answered);
    }
    void expect_sent(std::size_t index, MeshMessageKind kind, SmId to, Cycle at) const {
        ASSERT_LT(index, link.sent.size());
        EXPECT_EQ(link.sent[index].message.kind, kind);
        EXPECT_EQ(link.sent[index].message.destination, to);
        EXPECT_EQ(link.sent[index].at, at);
    }
    [[nodiscard]] std::uint64_t sum(const std::string& name) const {
        return statistics.sum("unit." + name);
    }

    OpportunisticConfig config;
    StatGroup statistics{"test"};
    Host host;
    Link link;
    test::Cache cache;
    OutputLedger ledger;
    AssignCluster cluster;

private:
    Member home_, other_;
    LaneLayout layout_{0, 1, {}};

public:
    OpportunisticUnit unit;
};

/// Whichever answer comes first, the pair that is then entered is that of the operation the answer
/// is about.
TEST(OpportunisticUnit, EntersThePairThatWasAskedFor) {
    Unit one(by_messages());
    for (const std::uint32_t warp : {0U, 1U}) {
        EXPECT_TRUE(one.unit.decode(WarpId(warp), one.operation(warp), 10).pending);
        one.expect_sent(warp, MeshMessageKind::kLookup, kHome, 10);
    }
    ASSERT_EQ(one.link.sent.size(), 2U);
    for (const std::size_t asked : {0U, 1U}) {
        const MeshMessage question = one.link.sent[asked].message;
        MeshMessage answer;  // no SM has the pair
        answer.kind = MeshMessageKind::kLookupReply;
        answer.id = question.id;
        one.receive(answer, 50);
        ASSERT_EQ(one.link.sent.size(), 3 + asked);
        one.expect_sent(2 + asked, MeshMessageKind::kInsert, kHome, 50);
        EXPECT_EQ(one.link.sent.back().message.input, question.input);
        EXPECT_EQ(one.link.sent.back().message.weight, question.weight);
        ASSERT_EQ(one.host.decided.size(), 1 + asked);
        EXPECT_EQ(one.host.decided.back().warp, asked);
        EXPECT_EQ(one.host.decided.back().outcome, VectorOutcome::kNormal);
    }
    EXPECT_EQ(one.sum("assignments.missing"), 2U);
    EXPECT_EQ(one.sum("assignments.absent"), 2U);
    EXPECT_EQ(one.sum("assignments.lookup_wait_cycles"), 2U * 40U);
    EXPECT_EQ(one.sum("operations_normal"), 2U);
}

/// An operation with two pairs of blocks, by the SMs that the answers name.
TEST(OpportunisticUnit, CountsWhyAnOperationIsNotAssigned) {
    struct Case {
        const char* reason;
        std::vector<SmId> answers;
        bool room;
    };
    const std::vector<Case> cases = {
        {"absent", {SmId{}, SmId{}}, false}, {"absent", {kOther, SmId{}}, true},
        {"apart", {kSelf, kOther}, true},    {"apart", {kOther, kHome}, true},
        {"own", {kSelf, kSelf}, false},      {"no_room", {kOther, kOther}, false},
        {"sent", {kOther, kOther}, true},
    };
    for (const Case& one : cases) {
        OpportunisticConfig config = by_messages();
        config.at_key = AssignKey::kAll;
        Unit asking(config);
        VectorOperation operation = asking.operation(0);
        operation.input += 120;  // a row over two lines
        for (const Address sector : {0x1060, 0x1080}) asking.cache.ready[sector] = kNever;
        EXPECT_TRUE(asking.unit.decode(WarpId(0), operation, 10).pending);
        ASSERT_EQ(asking.link.sent.size(), one.answers.size());
        for (const SmId holder : one.answers) {
            MeshMessage answer;
            answer.kind = MeshMessageKind::kLookupReply;
            answer.id = asking.link.sent.front().message.id;
            answer.holder = holder;
            answer.credits = one.room && holder != kSelf && holder.valid() ? 1 : 0;
            asking.receive(answer, 30);
        }
        for (const char* reason : {"absent", "apart", "own", "no_room", "sent"}) {
            EXPECT_EQ(asking.sum(std::string("assignments.") + reason),
                      std::string(reason) == one.reason ? 1U : 0U)
                << one.reason << ", counted as " << reason;
        }
        EXPECT_EQ(asking.sum("assignments.missing"), 1U);
    }
}

TEST(OpportunisticUnit, AnAssignmentHasAllThatTheOtherNeeds) {
    Unit one(by_messages());
    one.assign(10, 30);
    one.expect_sent(1, MeshMessageKind::kAssign, kOther, 30);
    ASSERT_EQ(one.link.sent.size(), 2U);
    const MeshMessage& sent = one.link.sent[1].message;
    const VectorOperation asked = one.operation(0);
    EXPECT_EQ(sent.input, asked.input);
    EXPECT_EQ(sent.weight, asked.weights);
    EXPECT_EQ(sent.output, asked.output);
    EXPECT_EQ(sent.geometry, asked.layout->id());
    EXPECT_EQ(sent.lanes, asked.layout->lanes());
    EXPECT_EQ(sent.count, asked.length);
    EXPECT_EQ(sent.window_row, asked.window_row);
    EXPECT_EQ(sent.windows_below, asked.windows_below);
    EXPECT_EQ(sent.flits, 2U);
    EXPECT_EQ(sent.network, MeshNetwork::kRequest);
    ASSERT_EQ(one.host.decided.size(), 1U);
    EXPECT_EQ(one.host.decided[0].outcome, VectorOutcome::kAssigned);
    EXPECT_EQ(one.sum("assignments.lookup_wait_cycles"), 20U);
    EXPECT_EQ(one.sum("operations_assigned"), 1U);
    EXPECT_EQ(one.unit.outstanding(), 1U);
    std::vector<std::string> found;
    one.unit.check(found);
    EXPECT_THAT(found, testing::SizeIs(1)) << "it is not over";
    // It is with the acknowledgement, which also notifies the home that nothing is left.
    MeshMessage done;
    done.kind = MeshMessageKind::kAcknowledge;
    done.id = sent.id;
    one.receive(done, 90);
    EXPECT_EQ(one.unit.outstanding(), 0U);
    EXPECT_EQ(one.sum("assignments.acknowledged"), 1U);
    EXPECT_EQ(one.host.active_until, 90U);
    one.expect_sent(2, MeshMessageKind::kDrain, kHome, 91);
    EXPECT_EQ(one.link.sent.back().message.count, 0U);
    found.clear();
    one.unit.check(found);
    EXPECT_THAT(found, IsEmpty());
}

TEST(OpportunisticUnit, WorkOfAnotherIsAcknowledgedInTheCycleAfter) {
    Unit one(by_messages());
    one.receive(one.assignment(kOther, 77), 20);
    EXPECT_EQ(one.host.wakes, 1U);
    EXPECT_EQ(one.unit.assistant_needed(5), 20U);
    EXPECT_FALSE(one.unit.start_assistant(19));
    EXPECT_TRUE(one.unit.start_assistant(25));
    one.unit.finish_assistant(40);
    ASSERT_EQ(one.link.sent.size(), 2U);
    one.expect_sent(0, MeshMessageKind::kCredit, kHome, 41);
    EXPECT_EQ(one.link.sent[0].message.holder, kSelf);
    EXPECT_EQ(one.link.sent[0].message.credits, 1U);
    one.expect_sent(1, MeshMessageKind::kAcknowledge, kOther, 41);
    EXPECT_EQ(one.link.sent[1].message.id, 77U);
    EXPECT_EQ(one.link.sent[1].message.network, MeshNetwork::kReply);
    EXPECT_EQ(one.sum("assignments.received"), 1U);
    EXPECT_EQ(one.sum("assignments.executed"), 1U);
    EXPECT_EQ(one.sum("assistant_operations"), 1U);
    EXPECT_EQ(one.unit.assistant_needed(50), kNever);
}

/// Without credits a full queue refuses, and the assigning SM computes the operation itself.
TEST(OpportunisticUnit, RefusedWorkIsItsSendersOwn) {
    OpportunisticConfig config = by_messages();
    config.credits = false;
    config.assign_queue_entries = 1;
    Unit one(config);
    one.receive(one.assignment(kOther, 1), 20);
    EXPECT_THAT(one.link.sent, IsEmpty());
    one.receive(one.assignment(kHome, 2), 30);
    one.expect_sent(0, MeshMessageKind::kRefuse, kHome, 31);
    EXPECT_EQ(one.link.sent[0].message.id, 2U);
    EXPECT_EQ(one.link.sent[0].message.output, one.operation(1).output);
    EXPECT_EQ(one.link.sent[0].message.network, MeshNetwork::kReply);

    Unit sender(config);
    sender.assign(10, 30);
    sender.expect_sent(1, MeshMessageKind::kAssign, kOther, 30);
    MeshMessage back = sender.link.sent[1].message;
    back.kind = MeshMessageKind::kRefuse;
    back.source = kOther;
    sender.receive(back, 50);
    EXPECT_EQ(sender.unit.outstanding(), 1U) << "it is still not over";
    EXPECT_EQ(sender.unit.assistant_needed(0), 50U);
    EXPECT_TRUE(sender.unit.start_assistant(60));
    sender.unit.finish_assistant(80);
    EXPECT_EQ(sender.unit.outstanding(), 0U);
    EXPECT_EQ(sender.sum("assignments.refused"), 1U);
    EXPECT_EQ(sender.sum("assignments.executed"), 0U);
    sender.expect_sent(2, MeshMessageKind::kDrain, kHome, 82);
    ASSERT_EQ(sender.link.sent.size(), 3U);
}

TEST(OpportunisticUnit, TheHomeAnswersInTheCycleAfter) {
    Unit one(by_messages());
    one.cluster.table().insert_if_absent({5, 6}, kOther);
    MeshMessage question;
    question.kind = MeshMessageKind::kLookup;
    question.id = 9;
    question.input = 5;
    question.weight = 6;
    question.source = kHome;
    one.receive(question, 100);
    one.expect_sent(0, MeshMessageKind::kLookupReply, kHome, 101);
    EXPECT_EQ(one.link.sent[0].message.id, 9U);
    EXPECT_EQ(one.link.sent[0].message.holder, kOther);
    EXPECT_EQ(one.link.sent[0].message.credits, 1U) << "room is kept";
    EXPECT_EQ(one.link.sent[0].message.network, MeshNetwork::kReply);
    question.source = kOther;
    one.receive(question, 110);
    EXPECT_EQ(one.link.sent[1].message.holder, kOther);
    EXPECT_EQ(one.link.sent[1].message.credits, 0U) << "who has it itself needs no room";
    question.input = 7;
    one.receive(question, 120);
    EXPECT_FALSE(one.link.sent[2].message.holder.valid());
    EXPECT_EQ(one.link.sent[2].message.credits, 0U);
}

/// A prediction whose operand is missing is looked at again when the operand is asked for, or
/// comes.
TEST(OpportunisticUnit, TheAssistantLooksAgainWhenASectorIsAskedFor) {
    OpportunisticConfig config;
    config.scheme = OpportunisticScheme::kIntra;
    Unit one(config);
    one.unit.begin_work();
    EXPECT_FALSE(one.unit.decode(WarpId(0), one.operation(0), 10).pending);
    ASSERT_GT(one.sum("precompute_table.inserted"), 0U);
    EXPECT_EQ(one.unit.assistant_needed(10), 10U);
    EXPECT_FALSE(one.unit.start_assistant(10));
    EXPECT_EQ(one.unit.assistant_needed(11), kNever) << "nothing to do before something happens";
    one.cache.watcher->on_sector_missed(0x1000);
    EXPECT_EQ(one.unit.assistant_needed(20), 20U);
    EXPECT_FALSE(one.unit.start_assistant(20));
    EXPECT_EQ(one.unit.assistant_needed(21), kNever);
    one.cache.watcher->on_sector_filled();
    EXPECT_EQ(one.host.wakes, 1U);
    one.cache.ready.clear();
    EXPECT_TRUE(one.unit.start_assistant(30));
}

/// Each lane of each later window has an entry, by the addresses of the lane's own vectors.
TEST(OpportunisticUnit, EntersEveryLaneIfEntriesAreScalar) {
    for (const std::uint32_t lanes : {1U, 3U, LaneLayout::kMaxLanes}) {
        OpportunisticConfig config;
        config.scheme = OpportunisticScheme::kIntra;
        config.pt_granularity = PrecomputeGranularity::kScalar;
        Unit one(config);
        LaneLayout layout(1, lanes, {});
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            layout.set_offset(LaneLayout::Operand::kInput, lane,
                              static_cast<std::int32_t>(0x200 + 4 * lane));
        }
        VectorOperation operation = one.operation(0);
        operation.layout = &layout;
        operation.windows_below = 2;
        EXPECT_FALSE(one.unit.decode(WarpId(0), operation, 10).pending);
        EXPECT_EQ(one.sum("precompute_table.inserted"), 2 * lanes);
    }
}

TEST(OpportunisticUnit, NewsOfALostLineGoesToTheHome) {
    Unit one(by_messages());
    ASSERT_NE(one.cache.watcher, nullptr);
    one.host.now = 200;
    one.cache.watcher->on_line_lost(0x1080);
    one.expect_sent(0, MeshMessageKind::kInvalidate, kHome, 201);
    EXPECT_EQ(one.link.sent[0].message.input, 0x1080U / 128);
}

}  // namespace
}  // namespace tessera
