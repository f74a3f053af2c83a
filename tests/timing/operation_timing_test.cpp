// When exactly are single SASS instructions over, as traces have them? Counted as in
// sm_timing_test.cpp, on the same machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <list>

#include "sc_models/isa/coalescer.h"
#include "tests/support/timing_cases.h"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::test::latency;

namespace {

WarpInstruction operation(Operation kind, std::uint8_t dst, std::uint8_t source = kNoRegister) {
    WarpInstruction w(Opcode::kOperation);
    w.set_operation(kind);
    w.dst = dst;
    w.src_a = source;
    return w;
}

Config with_operation(Operation kind, OperationConfig takes) {
    return one_sm([&](Config& c) { c.sm.operations[static_cast<std::size_t>(kind)] = takes; });
}

TEST(OperationTiming, EveryKindHasItsLatencyAndInitiation) {
    std::list<ScriptKernel> kernels;
    std::vector<Case> cases;
    constexpr const char* kNames[kOperations] = {"integer",  "fp32",     "half",   "fp64", "sfu",
                                                 "hmma_f32", "hmma_f16", "branch", "move"};
    for (std::size_t kind = 0; kind < kOperations; ++kind) {
        const auto op = static_cast<Operation>(kind);
        const ScriptKernel& chain = kernels.emplace_back(
            Script{operation(op, 2, 2), operation(op, 2, 2), operation(op, 2, 2)});
        const ScriptKernel& apart =
            kernels.emplace_back(Script{operation(op, 2), operation(op, 3), operation(op, 4)});
        const char* const name = kNames[kind];
        cases.push_back(
            {name, chain, with_operation(op, {11, 5}), kLaunch + Cycle{3} * 11 + kExit});
        cases.push_back(
            {name, chain, with_operation(op, {10, 5}), kLaunch + Cycle{3} * 10 + kExit});
        cases.push_back(
            {name, apart, with_operation(op, {11, 5}), kLaunch + Cycle{2} * 5 + 11 + kExit});
        cases.push_back(
            {name, apart, with_operation(op, {11, 4}), kLaunch + Cycle{2} * 4 + 11 + kExit});
    }
    expect_cycles(cases);
}

/// A result comes `count` - 1 initiations later; what follows on the same unit waits for them, and
/// so does the warp.
TEST(OperationTiming, RepeatedOperationsTakeTheirUnitInTurn) {
    const auto repeated = [](std::uint16_t count, std::uint8_t dst) {
        WarpInstruction w = operation(Operation::kFp32, dst);
        w.count = count;
        return w;
    };
    const ScriptKernel one({repeated(6, 2)});
    const ScriptKernel two({repeated(6, 2), repeated(1, 3)});
    const ScriptKernel other({repeated(6, 2), operation(Operation::kInteger, 3)});
    const ScriptKernel others(std::vector<Script>{{repeated(6, 2)}, {repeated(6, 2)}});
    const auto fp32 = with_operation(Operation::kFp32, {20, 3});
    const auto integer = one_sm([](Config& c) {
        c.sm.operations[static_cast<std::size_t>(Operation::kFp32)] = {20, 3};
        c.sm.operations[static_cast<std::size_t>(Operation::kInteger)] = {40, 1};
    });
    expect_cycles({{"one", one, fp32, kLaunch + 5 * 3 + 20 + kExit},
                   {"another behind them", two, fp32, kLaunch + 6 * 3 + 20 + kExit},
                   {"on another unit", other, integer, kLaunch + 5 * 3 + 1 + 40 + kExit},
                   {"sub-cores have their own", others, fp32, kLaunch + 5 * 3 + 20 + kExit}});
}

TEST(OperationTiming, RepeatedOperationsAreSoManyInstructions) {
    WarpInstruction w = operation(Operation::kFp32, 2);
    w.count = 6;
    const ScriptKernel two({w, operation(Operation::kFp32, 3)});
    ScriptMachine machine(one_sm());
    (void)machine.run(two);
    EXPECT_EQ(machine.sum("sm.sub_core.instructions"), 8U) << "six, one and the exit";
}

/// Result registers are what the function makes of the sources, at both levels of timing.
TEST(OperationTiming, AFunctionMakesTheResultWhereValuesAreOn) {
    class Doubled : public RegisterFunction {
    public:
        void apply(const WarpInstruction& w, std::byte* registers) const override {
            for (std::size_t i = 0; i < w.call().elements; ++i) {
                registers[w.dst * kWarpRegisterBytes + i] =
                    registers[w.src_a * kWarpRegisterBytes + i] << 1;
            }
        }
    };
    const Doubled doubled;
    WarpInstruction w = operation(Operation::kFp32, 8, 2);
    w.set_function(&doubled).elements = 32;
    const ScriptKernel kernel({load(2, kBase), w, store(8, kBase + 0x1000)});
    std::deque<ScriptMachine> machines;
    for (const Timing timing : {Timing::kLooselyTimed, Timing::kApproximatelyTimed}) {
        for (const bool values : {true, false}) {
            Config config = one_sm();
            config.timing = timing;
            config.values = values;
            machines.emplace_back(config);
        }
    }
    for (std::size_t i = 0; i < machines.size(); ++i) {
        std::array<std::uint8_t, 32> data{}, result{};
        for (std::size_t b = 0; b < data.size(); ++b) data[b] = static_cast<std::uint8_t>(b + 1);
        machines[i].gpu().write_memory(kBase, data.data(), data.size());
        (void)machines[i].run(kernel);
        machines[i].gpu().read_memory(kBase + 0x1000, result.data(), result.size());
        for (std::size_t b = 0; b < data.size(); ++b) {
            EXPECT_EQ(result[b], i % 2 == 0 ? 2 * (b + 1) : 0) << "machine " << i;
        }
    }
}

/// Lanes that want two bytes of sectors that lie apart, and get them side by side.
TEST(OperationTiming, SectorsBringWhatLanesWant) {
    LaneOffsets lanes;
    lanes.mask = 0xff;
    lanes.access_bytes = 2;
    for (std::uint32_t lane = 0; lane < 8; ++lane) lanes.offset[lane] = std::int64_t{24} * lane;
    LaneAccess access = coalesce_global(lanes, kBase, {});
    for (std::uint32_t lane = 0; lane < 8; ++lane) {
        access.wanted.push_back({lanes.offset[lane], 2, 2 * lane});
    }
    WarpInstruction gathered(Opcode::kLoadGlobal);
    gathered.dst = 2;
    gathered.memory() = {kBase, &access};
    const ScriptKernel kernel({gathered, store(2, kBase + 0x1000, 16)});
    std::deque<ScriptMachine> machines;
    for (const Timing timing : {Timing::kLooselyTimed, Timing::kApproximatelyTimed}) {
        Config config = one_sm();
        config.timing = timing;
        config.values = true;
        machines.emplace_back(config);
    }
    for (ScriptMachine& machine : machines) {
        std::array<std::uint8_t, 192> data{};
        std::array<std::uint8_t, 16> result{};
        for (std::size_t b = 0; b < data.size(); ++b) data[b] = static_cast<std::uint8_t>(b);
        machine.gpu().write_memory(kBase, data.data(), data.size());
        (void)machine.run(kernel);
        machine.gpu().read_memory(kBase + 0x1000, result.data(), result.size());
        for (std::size_t b = 0; b < result.size(); ++b) {
            EXPECT_EQ(result[b], b / 2 * 24 + b % 2) << b;
        }
        EXPECT_EQ(machine.sum("sm.ldst.request_bytes"), 6 * 32U + 16) << "each sector once";
    }
}

TEST(OperationTiming, HalfPrecisionSharesTheLanesOfFp32) {
    const ScriptKernel shared({operation(Operation::kFp32, 2), operation(Operation::kHalf, 3)});
    const ScriptKernel own({operation(Operation::kFp32, 2), operation(Operation::kInteger, 3)});
    const auto config = [](std::uint32_t initiation) {
        return one_sm([initiation](Config& c) {
            for (OperationConfig& operation : c.sm.operations) operation = {20, initiation};
        });
    };
    expect_cycles({{"5 later", shared, config(5), kLaunch + 5 + 20 + kExit},
                   {"4 later", shared, config(4), kLaunch + 4 + 20 + kExit},
                   {"lanes of their own", own, config(5), kLaunch + 1 + 20 + kExit}});
}

TEST(OperationTiming, ChainOfHmmasOfOneProduct) {
    // Four sets of four steps; step s of a set adds to what step s of the set before has made. With
    // a latency of 9 and a step every 2 cycles sets start in 0, 9, 18, 27; the last step issues 6
    // later and ends 9 later.
    Script script;
    for (std::uint8_t i = 0; i < 16; ++i) {
        const auto accumulator = static_cast<std::uint8_t>(48 + 2 * (i % 4));
        script.push_back(operation(Operation::kHmmaF32, accumulator, accumulator));
    }
    const ScriptKernel product(script);
    const auto hmma = [](std::uint32_t latency, std::uint32_t initiation) {
        return with_operation(Operation::kHmmaF32, {latency, initiation});
    };
    expect_cycles({{"9", product, hmma(9, 2), kLaunch + Cycle{3} * 9 + 6 + 9 + kExit},
                   {"8: the tensor cores are never idle", product, hmma(8, 2),
                    kLaunch + Cycle{15} * 2 + 8 + kExit},
                   {"7", product, hmma(7, 2), kLaunch + Cycle{15} * 2 + 7 + kExit},
                   {"a step every 3", product, hmma(9, 3), kLaunch + Cycle{15} * 3 + 9 + kExit}});
}

/// An HMMA of more multiply-adds takes the steps that they are; its result comes with the last.
TEST(OperationTiming, LargerHmmasTakeTheirSteps) {
    const auto hmmas = [](MmaShape shape, std::size_t count, bool dependent) {
        Script script;
        for (std::size_t i = 0; i < count; ++i) {
            const auto sums = static_cast<std::uint8_t>(dependent ? 48 : 48 + 4 * i);
            WarpInstruction w = operation(Operation::kHmmaF32, sums, sums);
            w.set_mma_shape(shape);
            script.push_back(w);
        }
        return ScriptKernel(script);
    };
    constexpr MmaShape kQuarter = MmaShape::kHmma1688;
    const Config machine = with_operation(Operation::kHmmaF32, {9, 2});
    const ScriptKernel one = hmmas(kQuarter, 1, false), apart = hmmas(kQuarter, 3, false),
                       chain = hmmas(kQuarter, 3, true),
                       large = hmmas(MmaShape::kHmma16816, 2, false);
    Config slow_integers = machine;
    slow_integers.sm.operations[static_cast<std::size_t>(Operation::kInteger)] = {40, 1};
    WarpInstruction first = operation(Operation::kHmmaF32, 48);
    first.set_mma_shape(MmaShape::kHmma16816);
    const ScriptKernel beside({first, operation(Operation::kInteger, 3)});
    expect_cycles(
        {{"one", one, machine, kLaunch + 3U * 2 + 9 + kExit},
         {"a rate", apart, machine, kLaunch + 2U * 8 + 3 * 2 + 9 + kExit},
         {"a chain", chain, machine, kLaunch + 3U * (3 * 2 + 9) + kExit},
         {"8 steps", large, machine, kLaunch + 16U + 7 * 2 + 9 + kExit},
         {"the warp goes on in the next cycle", beside, slow_integers, kLaunch + 1U + 40 + kExit}});
}

TEST(OperationTiming, LargerHmmasAreOneInstruction) {
    WarpInstruction w = operation(Operation::kHmmaF32, 48);
    w.set_mma_shape(MmaShape::kHmma16816);
    ScriptMachine machine(with_operation(Operation::kHmmaF32, {9, 2}));
    (void)machine.run(ScriptKernel({w, w}));
    EXPECT_EQ(machine.sum("sm.sub_core.instructions"), 3U) << "two and the exit";
    EXPECT_EQ(machine.sum("sm.sub_core.hmmas"), 2U);
    EXPECT_EQ(machine.sum("sm.sub_core.hmma_steps"), 16U);
    EXPECT_EQ(machine.sum("sm.sub_core.hmma_cycles"), 32U);
}

/// With a rate of its own a shape takes its multiply-adds over the rate of a sub-core, to a
/// fraction of a cycle; a gap between two loses the fraction.
TEST(OperationTiming, ShapesTakeTheirRates) {
    const auto machine = [](double rate) {
        Config config = one_sm();
        TensorRateConfig& shape =
            config.sm.tensor_rates.shapes[static_cast<std::size_t>(MmaShape::kHmma16816)];
        shape.products_per_cycle = rate;
        shape.latency_cycles = 33;
        return config;
    };
    const auto hmmas = [](std::size_t count, bool dependent) {
        Script script;
        for (std::size_t i = 0; i < count; ++i) {
            const auto sums = static_cast<std::uint8_t>(dependent ? 48 : 48 + 2 * i);
            script.push_back(operation(Operation::kHmmaF32, sums, sums));
            script.back().set_mma_shape(MmaShape::kHmma16816);
        }
        return ScriptKernel(script);
    };
    const ScriptKernel one = hmmas(1, false), apart = hmmas(5, false), chain = hmmas(3, true);
    expect_cycles({{"one", one, machine(1024), kLaunch + 33 + kExit},
                   {"8 cycles each", apart, machine(1024), kLaunch + 4U * 8 + 33 + kExit},
                   {"8.25 cycles each", apart, machine(1024 / 1.03125), kLaunch + 33U + 33 + kExit},
                   {"a chain", chain, machine(1024), kLaunch + 3U * 33 + kExit}});
}

/// An HMMA.884 with sums of 16 bits has the multiply-adds of two steps, whatever it takes.
TEST(OperationTiming, HmmasOfHalfSumsCountTwice) {
    ScriptMachine machine(with_operation(Operation::kHmmaF16, {8, 4}));
    (void)machine.run(ScriptKernel({operation(Operation::kHmmaF16, 48)}));
    EXPECT_EQ(machine.sum("sm.sub_core.hmmas"), 1U);
    EXPECT_EQ(machine.sum("sm.sub_core.hmma_steps"), 2U);
    EXPECT_EQ(machine.sum("sm.sub_core.hmma_cycles"), 4U);
}

/// Kernels' products and HMMAs have one rate: in a chain of either a product more takes the same.
TEST(OperationTiming, AProductTakesWhatItsHmmasTake) {
    const auto mmas = [](std::size_t products) {
        return ScriptKernel(Script(products, mma(48, 8, 16)));
    };
    const auto hmmas = [](std::size_t products) {
        Script script;
        for (std::size_t i = 0; i < 16 * products; ++i) {
            const auto accumulator = static_cast<std::uint8_t>(48 + 2 * (i % 4));
            script.push_back(operation(Operation::kHmmaF32, accumulator, accumulator));
        }
        return ScriptKernel(script);
    };
    const ScriptKernel kernels[] = {mmas(1), mmas(6), hmmas(1), hmmas(6)};
    const OperationConfig rates[] = {{8, 2}, {9, 2}, {7, 2}, {14, 3}, {4, 4}, {33, 1}};
    std::deque<ScriptMachine> machines;
    for (const OperationConfig& rate : rates) {
        for (int i = 0; i < 4; ++i)
            machines.emplace_back(with_operation(Operation::kHmmaF32, rate));
    }
    for (std::size_t r = 0; r < std::size(rates); ++r) {
        Cycle cycles[4];
        for (std::size_t i = 0; i < 4; ++i) {
            cycles[i] = machines[4 * r + i].run(kernels[i]).cycles;
        }
        const Cycle product =
            std::max(4 * rates[r].latency_cycles, 16 * rates[r].initiation_cycles);
        EXPECT_EQ(cycles[1] - cycles[0], 5 * product) << "products, rate " << r;
        EXPECT_EQ(cycles[3] - cycles[2], 5 * product) << "HMMAs, rate " << r;
    }
}

/// Lanes side by side, 4 bytes each.
const LaneAccess& lane_access(std::uint32_t count) {
    static std::list<LaneAccess> kept;
    LaneOffsets lanes;
    lanes.mask = count == kWarpLanes ? ~std::uint32_t{0} : (1U << count) - 1;
    lanes.access_bytes = 4;
    for (std::uint32_t lane = 0; lane < count; ++lane) lanes.offset[lane] = std::int64_t{4} * lane;
    return kept.emplace_back(coalesce_global(lanes, kBase, {}));
}

WarpInstruction by_lanes(Opcode opcode, std::uint8_t dst, std::uint32_t lanes,
                         Address address = kBase) {
    WarpInstruction w(opcode);
    w.dst = dst;
    w.memory() = {address, &lane_access(lanes)};
    return w;
}

WarpInstruction past_l1(WarpInstruction load) {
    load.registers().bypass_l1 = true;
    return load;
}

TEST(OperationTiming, LoadPastL1FindsItsDataInL2) {
    const WarpInstruction load = by_lanes(Opcode::kLoadGlobal, 2, 1);
    const ScriptKernel twice({past_l1(load), past_l1(load)});
    const ScriptKernel behind_a_load({load, past_l1(load)});
    const ScriptKernel leaves_nothing({past_l1(load), load});
    const ScriptKernel both_from_l1({load, load});
    const Cycle n = kLaunch + kCold + kL2Hit + kExit;
    const Config faster = one_sm([](Config& c) { --c.l2.hit_latency_cycles; });
    expect_cycles({{"120", twice, one_sm(), n},
                   {"L2 79: once less to DRAM, once less here", twice, faster, n - 2},
                   {"although L1 has it", behind_a_load, one_sm(), n},
                   {"and L1 does not get it", leaves_nothing, one_sm(), n},
                   {"as a check: 28", both_from_l1, one_sm(), kLaunch + kCold + kL1Hit + kExit}});
}

TEST(OperationTiming, ReturnsOfTheL1TakeTurns) {
    // Two warps load the same line, one cycle apart. Its four sectors come one a cycle, from 341 on
    // after the first request; with one return a cycle those of the second warp follow.
    const WarpInstruction load = by_lanes(Opcode::kLoadGlobal, 2, kWarpLanes);
    const ScriptKernel kernel(std::vector<Script>{{load}, {load}});
    const auto returns = [](std::uint32_t n) {
        return one_sm([n](Config& c) {
            c.l1.returns_per_cycle = n;
            c.l1.sectors_per_request = 1;
        });
    };
    const Cycle last_sector = kLaunch + kCold + 3;
    expect_cycles({{"unlimited", kernel, returns(L1Config::kUnlimited), last_sector + kExit},
                   {"one a cycle", kernel, returns(1), last_sector + 4 + kExit},
                   {"two a cycle", kernel, returns(2), last_sector + kExit}});
}

TEST(OperationTiming, HitsDoNotWaitForTheReturnPort) {
    const WarpInstruction load = by_lanes(Opcode::kLoadGlobal, 2, kWarpLanes);
    const ScriptKernel kernel({load, load});
    const Config one = one_sm([](Config& c) {
        c.l1.returns_per_cycle = 1;
        c.l1.sectors_per_request = 1;
    });
    expect_cycles({{"28", kernel, one, kLaunch + kCold + 3 + kL1Hit + kExit}});
}

TEST(OperationTiming, AtomicWithoutResultIsAStore) {
    const ScriptKernel kernel({by_lanes(Opcode::kAtomicGlobal, kNoRegister, 1)});
    const Cycle n = kLaunch + 6 + 14;
    expect_cycles(
        {{"20 on the way", kernel, one_sm(), n},
         {"crossbar 13", kernel, one_sm([](Config& c) { --c.noc.latency_cycles; }), n - 1},
         {"L2 79: nobody waits for it", kernel,
          one_sm([](Config& c) { --c.l2.hit_latency_cycles; }), n}});
}

TEST(OperationTiming, AtomicWithResultComesBackAsAnL2HitDoes) {
    const ScriptKernel kernel({by_lanes(Opcode::kAtomicGlobal, 2, 1)});
    const Cycle n = kLaunch + kL2Hit + kExit;
    expect_cycles(
        {{"120", kernel, one_sm(), n},
         {"L2 79", kernel, one_sm([](Config& c) { --c.l2.hit_latency_cycles; }), n - 1},
         {"crossbar 13, twice", kernel, one_sm([](Config& c) { --c.noc.latency_cycles; }), n - 2},
         {"L1 10", kernel, one_sm([](Config& c) { c.l1.miss_latency_cycles = 10; }), n - 2}});
}

TEST(OperationTiming, FenceWaitsForEveryLoad) {
    // The load arrives in 361, the fence issues then, and the FFMA, which depends on nothing, one
    // later.
    WarpInstruction fence(Opcode::kFence);
    const WarpInstruction load = by_lanes(Opcode::kLoadGlobal, 2, 1);
    const WarpInstruction other = operation(Operation::kFp32, 8);
    const ScriptKernel with({load, fence, other});
    const ScriptKernel without({load, other});
    const auto fp32 = [](std::uint32_t latency) {
        return with_operation(Operation::kFp32, {latency, 2});
    };
    expect_cycles({{"one after the other", with, fp32(500), kLaunch + kCold + 1 + 500 + kExit},
                   {"499", with, fp32(499), kLaunch + kCold + 1 + 499 + kExit},
                   {"side by side", without, fp32(500), kLaunch + 1 + 500 + kExit}});
}

}  // namespace
