// Tests of the arbitration for the LDST unit.
#include "sc_models/sm/ldst_arbiter.h"

#include <gtest/gtest.h>
#include <initializer_list>
#include <random>
#include <tuple>

namespace tessera {
namespace {

struct TestRequest {
    std::uint32_t client = 0;
    std::uint64_t age = 0;
    bool new_warp = true;
};

LdstArbiter::Inputs inputs(std::initializer_list<TestRequest> requests, std::uint32_t served = 0) {
    LdstArbiter::Inputs in;
    in.served = served;
    for (const TestRequest& request : requests) {
        in.request |= 1U << request.client;
        if (request.new_warp) in.new_warp |= 1U << request.client;
        in.age[request.client] = request.age;
    }
    return in;
}

TEST(LdstArbiter, NothingIsGrantedWithoutARequest) {
    LdstArbiter arbiter;
    EXPECT_EQ(arbiter.step(inputs({})).grant, 0U);
}

TEST(LdstArbiter, TheOldestWarpGoesFirst) {
    LdstArbiter arbiter;
    EXPECT_EQ(arbiter.step(inputs({{0, 7}, {1, 9}, {2, 3}, {3, 4}})).grant, 1U << 2U);
    EXPECT_EQ(arbiter.step(inputs({{0, 7}, {15, std::uint64_t{1} << 40U}})).grant, 1U << 0U);
}

TEST(LdstArbiter, TheWarpServedLastGoesBeforeOlderOnes) {
    LdstArbiter arbiter;
    EXPECT_EQ(arbiter.step(inputs({{1, 9, false}, {2, 3}}, 1U << 1U)).grant, 1U << 1U);
    // It is remembered, and another warp of its sub-core does not profit.
    EXPECT_EQ(arbiter.step(inputs({{1, 9, false}, {2, 3}})).grant, 1U << 1U);
    EXPECT_EQ(arbiter.step(inputs({{1, 9, true}, {2, 3}})).grant, 1U << 2U);
    // Nor does the warp that another sub-core was served last with.
    EXPECT_EQ(arbiter.step(inputs({{1, 9, false}, {2, 3, false}}, 1U << 3U)).grant, 1U << 2U);
}

TEST(LdstArbiter, EqualRequestsAreGrantedInTurn) {
    LdstArbiter arbiter;
    std::uint32_t served = 1U << 2U;
    for (const std::uint32_t next : {3U, 0U, 1U, 2U, 3U}) {
        served = arbiter.step(inputs({{0, 5}, {1, 5}, {2, 5}, {3, 5}}, served)).grant;
        EXPECT_EQ(served, 1U << next);
    }
    // A grant that the sub-core did not use leaves the offset where it is.
    EXPECT_EQ(arbiter.step(inputs({{0, 5}, {1, 5}}, served)).grant, 1U << 0U);
    EXPECT_EQ(arbiter.step(inputs({{0, 5}, {1, 5}})).grant, 1U << 0U);
}

TEST(LdstArbiter, RoundRobinLooksAtNoAge) {
    LdstArbiter arbiter;
    LdstArbiter::Inputs in = inputs({{0, 1, false}, {1, 9}, {3, 2}}, 1U << 0U);
    in.round_robin = 1;
    EXPECT_EQ(arbiter.step(in).grant, 1U << 1U);
}

/// The requests in a list, sorted as the docstring says.
TEST(LdstArbiter, AgreesWithASortedList) {
    std::mt19937 random(1);
    LdstArbiter arbiter;
    std::uint32_t last = 0, served = 0;
    for (int step = 0; step < 20000; ++step) {
        LdstArbiter::Inputs in = inputs({}, served);
        in.round_robin = random() % 4 == 0 ? 1 : 0;
        in.request = random() & random() & 0xffffU;
        in.new_warp = random() & 0xffffU;
        for (std::uint64_t& age : in.age) age = random() % 4;
        if (served != 0) last = static_cast<std::uint32_t>(__builtin_ctz(served));
        std::uint32_t expected = 0;
        std::tuple<bool, std::uint64_t, std::uint32_t> best;
        for (std::uint32_t i = 0; i < LdstArbiter::kClients; ++i) {
            if ((in.request >> i & 1U) == 0) continue;
            const std::uint32_t offset = (i + LdstArbiter::kClients - last - 1) % 16;
            const bool new_warp = i != last || (in.new_warp >> i & 1U) != 0;
            const auto request = in.round_robin != 0 ? std::tuple(false, std::uint64_t{0}, offset)
                                                     : std::tuple(new_warp, in.age[i], offset);
            if (expected != 0 && request > best) continue;
            expected = 1U << i;
            best = request;
        }
        ASSERT_EQ(arbiter.step(in).grant, expected) << "step " << step;
        served = random() % 3 == 0 ? 0 : expected;
    }
}

}  // namespace
}  // namespace tessera
