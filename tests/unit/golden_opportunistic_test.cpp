// Does the C interface of the tables of opportunistic computing give what the models give?
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <string>

#include "sc_models/pins/clocked_assign_table.h"
#include "sc_models/pins/clocked_precompute_table.h"
#include "tests/unit/golden_block.h"

namespace tessera {
namespace {

constexpr std::uint32_t kTableEntries = 6;
constexpr std::uint64_t kHighAddress = 0x12'0000'0000;  ///< needs the upper word
constexpr std::uint64_t kHighBlock = 0x1'0000'0000;

std::uint32_t low(std::uint64_t value) {
    return static_cast<std::uint32_t>(value);
}
std::uint32_t high(std::uint64_t value) {
    return static_cast<std::uint32_t>(value >> 32U);
}

tessera_golden_assign_table_inputs inputs_of(const ClockedAssignTable::Inputs& pins) {
    return {pins.setup_valid ? 1U : 0U,
            pins.setup_entries,
            pins.in_valid ? 1U : 0U,
            static_cast<std::uint32_t>(pins.op),
            low(pins.pair.input),
            high(pins.pair.input),
            low(pins.pair.weights),
            high(pins.pair.weights),
            pins.sm,
            pins.out_ready ? 1U : 0U};
}

tessera_golden_precompute_table_inputs inputs_of(const ClockedPrecomputeTable::Inputs& pins) {
    tessera_golden_precompute_table_inputs in{};
    in.setup_valid = pins.setup_valid ? 1 : 0;
    in.setup_entries = pins.setup_entries;
    in.in_valid = pins.in_valid ? 1 : 0;
    in.op = static_cast<std::uint32_t>(pins.op);
    in.input_low = low(pins.key.input);
    in.input_high = high(pins.key.input);
    in.weights_low = low(pins.key.weights);
    in.weights_high = high(pins.key.weights);
    in.geometry = pins.key.geometry;
    in.slot = pins.slot;
    in.after = pins.after ? 1 : 0;
    in.generation = pins.generation;
    in.count = pins.count;
    std::memcpy(in.results, pins.results.data(), sizeof in.results);
    in.out_ready = pins.out_ready ? 1 : 0;
    return in;
}

tessera_golden_precompute_table_outputs outputs_of(const ClockedPrecomputeTable::Outputs& pins) {
    tessera_golden_precompute_table_outputs out{};
    out.setup_ready = pins.setup_ready;
    out.setup_error = pins.setup_error;
    out.in_ready = pins.in_ready;
    out.out_valid = pins.out_valid;
    out.done = pins.done;
    out.present = pins.present;
    out.replaced = pins.replaced;
    out.complete = pins.complete;
    out.slot = pins.slot;
    out.generation = pins.generation;
    out.input_low = low(pins.input);
    out.input_high = high(pins.input);
    out.weights_low = low(pins.weights);
    out.weights_high = high(pins.weights);
    out.geometry = pins.geometry;
    out.count = pins.count;
    std::memcpy(out.results, pins.results.data(), sizeof out.results);
    out.size = pins.size;
    out.waiting = pins.waiting;
    return out;
}

/// Offers set-ups and operations; what is offered stays until it is taken.
template <class Inputs, class Outputs, class Random, class Choose>
void offer(Inputs& pins, const Outputs& before, int cycle, Random& random, const Choose& choose) {
    if (before.setup_ready != 0) pins.setup_valid = false;
    if (before.in_ready != 0) pins.in_valid = false;
    pins.out_ready = random() % 4 != 0;
    if (cycle % 4096 == 0) {
        pins.setup_valid = true;
        pins.setup_entries = kTableEntries;
    }
    if (cycle < 4 || pins.in_valid || random() % 4 == 0) return;
    pins.in_valid = true;
    choose();
}

TEST(GoldenLibrary, AssignTableIsTheModel) {
    const Block<tessera_golden_assign_table> block(tessera_golden_assign_table_create,
                                                   tessera_golden_assign_table_destroy);
    std::mt19937 random(kSeed);
    ClockedAssignTable model;
    ClockedAssignTable::Inputs pins;
    ClockedAssignTable::Outputs expected;
    std::array<int, 4> done{};
    std::array<int, 4> left{};
    AssignTableRtl::Op taken{};
    for (int cycle = 0; cycle < kCycles; ++cycle) {
        offer(pins, expected, cycle, random, [&] {
            pins.op = static_cast<AssignTableRtl::Op>(random() % 64 == 0 ? 3 : random() % 3);
            pins.pair = {kHighBlock + random() % 6, kHighBlock + random() % 3};
            pins.sm = random() % 2;
        });
        expected = model.outputs(pins);
        model.edge(pins);
        const tessera_golden_assign_table_inputs in = inputs_of(pins);
        tessera_golden_assign_table_outputs out;
        ASSERT_EQ(tessera_golden_assign_table_step(block.get(), &in, &out), TESSERA_GOLDEN_OK)
            << tessera_golden_message();
        ASSERT_TRUE(same(out, expected)) << "cycle " << cycle;
        if (out.out_valid != 0 && pins.out_ready) {
            done.at(static_cast<std::size_t>(taken)) += out.done != 0 ? 1 : 0;
            left.at(out.count < 4 ? out.count : 3) += 1;
        }
        if (pins.in_valid && out.in_ready != 0) taken = pins.op;
        if (cycle == kCycles / 2) {
            model.reset();
            ASSERT_EQ(tessera_golden_assign_table_reset(block.get()), TESSERA_GOLDEN_OK);
            pins = {};
            pins.setup_valid = true;
            pins.setup_entries = kTableEntries;
            expected = {};
        }
    }
    for (const int number : done) EXPECT_GT(number, 50);
    for (const int number : left) EXPECT_GT(number, 50);
}

TEST(GoldenLibrary, PrecomputeTableIsTheModel) {
    const Block<tessera_golden_precompute_table> block(tessera_golden_precompute_table_create,
                                                       tessera_golden_precompute_table_destroy);
    std::mt19937 random(kSeed);
    ClockedPrecomputeTable model;
    ClockedPrecomputeTable::Inputs pins;
    ClockedPrecomputeTable::Outputs expected;
    int complete = 0;
    std::array<int, 8> done{};
    PrecomputeTableRtl::Op taken{};
    for (int cycle = 0; cycle < kCycles; ++cycle) {
        offer(pins, expected, cycle, random, [&] {
            constexpr std::array<std::uint32_t, 16> kOps = {0, 0, 1, 1, 1, 2, 3, 3,
                                                            3, 4, 4, 4, 4, 5, 6, 7};
            pins.op = static_cast<PrecomputeTableRtl::Op>(kOps[random() % kOps.size()]);
            pins.key.input = kHighAddress + random() % 4;
            pins.key.weights = kHighAddress + random() % 2;
            pins.key.geometry = 0x80 + static_cast<std::uint32_t>(pins.key.weights) % 2;
            pins.slot = random() % kTableEntries;
            pins.after = random() % 2 != 0;
            pins.generation = random() % 4;
            if (random() % 8 != 0 && pins.slot < model.entries()) {
                pins.generation = model.core().generation(pins.slot) % 16;
            }
            pins.count = random() % 3;
            fill(pins.results, random);
        });
        expected = model.outputs(pins);
        model.edge(pins);
        const tessera_golden_precompute_table_inputs in = inputs_of(pins);
        tessera_golden_precompute_table_outputs out;
        ASSERT_EQ(tessera_golden_precompute_table_step(block.get(), &in, &out), TESSERA_GOLDEN_OK)
            << tessera_golden_message();
        ASSERT_TRUE(same(out, outputs_of(expected))) << "cycle " << cycle;
        if (out.out_valid != 0 && pins.out_ready && out.done != 0) {
            ++done.at(static_cast<std::size_t>(taken));
            complete += out.complete != 0 ? 1 : 0;
        }
        if (pins.in_valid && out.in_ready != 0) taken = pins.op;
        if (cycle == kCycles / 2) {
            model.reset();
            ASSERT_EQ(tessera_golden_precompute_table_reset(block.get()), TESSERA_GOLDEN_OK);
            pins = {};
            pins.setup_valid = true;
            pins.setup_entries = kTableEntries;
            expected = {};
        }
    }
    EXPECT_GT(complete, 10);
    for (std::size_t op = 0; op < 6; ++op) EXPECT_GT(done.at(op), 50) << op;
}

/// Expects that a step is refused, with this status and message.
template <class Handle, class Inputs, class Outputs>
void expect_refused(int (*step)(Handle*, const Inputs*, Outputs*), Handle* handle, const Inputs& in,
                    int status, const std::string& message) {
    Outputs out{};
    EXPECT_EQ(step(handle, &in, &out), status);
    const std::string text = tessera_golden_message();
    EXPECT_EQ(text.substr(text.find(": ") + 2), message);
}

TEST(GoldenLibrary, AssignTableRefusesWhatItsPinsCannotCarry) {
    const Block<tessera_golden_assign_table> block(tessera_golden_assign_table_create,
                                                   tessera_golden_assign_table_destroy);
    const auto refuse = [&](const tessera_golden_assign_table_inputs& in, int status,
                            const std::string& message) {
        expect_refused(tessera_golden_assign_table_step, block.get(), in, status, message);
    };
    const tessera_golden_assign_table_inputs good{};
    tessera_golden_assign_table_inputs in = good;
    in.op = 4;
    refuse(in, TESSERA_GOLDEN_BAD_ARGUMENT, "op is 4, expected at most 3");
    in = good;
    in.sm = 8;
    refuse(in, TESSERA_GOLDEN_BAD_ARGUMENT, "sm is 8, expected at most 7");
    in = good;
    in.weights_high = 2;
    refuse(in, TESSERA_GOLDEN_BAD_ARGUMENT, "weights_high is 2, expected at most 1");
    in = good;
    in.setup_valid = 1;
    in.setup_entries = 2048;
    refuse(in, TESSERA_GOLDEN_BAD_ARGUMENT, "setup_entries is 2048, expected at most 2047");
    in = good;
    in.in_valid = 1;  // nothing is taken before a set-up
    tessera_golden_assign_table_outputs out{};
    ASSERT_EQ(tessera_golden_assign_table_step(block.get(), &in, &out), TESSERA_GOLDEN_OK);
    EXPECT_EQ(out.in_ready, 0U);
    in.sm = 1;
    refuse(in, TESSERA_GOLDEN_BAD_OPERATION, "the operation changed before it was taken");
    refuse(good, TESSERA_GOLDEN_BAD_OPERATION, "the operation changed before it was taken");
    in.sm = 0;
    EXPECT_EQ(tessera_golden_assign_table_step(block.get(), &in, &out), TESSERA_GOLDEN_OK);
}

TEST(GoldenLibrary, PrecomputeTableRefusesWhatItsPinsCannotCarry) {
    const Block<tessera_golden_precompute_table> block(tessera_golden_precompute_table_create,
                                                       tessera_golden_precompute_table_destroy);
    const auto refuse = [&](const tessera_golden_precompute_table_inputs& in, int status,
                            const std::string& message) {
        expect_refused(tessera_golden_precompute_table_step, block.get(), in, status, message);
    };
    tessera_golden_precompute_table_inputs good{};
    good.in_valid = 1;
    tessera_golden_precompute_table_inputs in = good;
    in.op = 8;
    refuse(in, TESSERA_GOLDEN_BAD_ARGUMENT, "op is 8, expected at most 7");
    in = good;
    in.input_high = 256;
    refuse(in, TESSERA_GOLDEN_BAD_ARGUMENT, "input_high is 256, expected at most 255");
    in = good;
    in.slot = 512;
    refuse(in, TESSERA_GOLDEN_BAD_ARGUMENT, "slot is 512, expected at most 511");
    in = good;
    in.generation = 16;
    refuse(in, TESSERA_GOLDEN_BAD_ARGUMENT, "generation is 16, expected at most 15");
    tessera_golden_precompute_table_outputs out{};
    ASSERT_EQ(tessera_golden_precompute_table_step(block.get(), &good, &out), TESSERA_GOLDEN_OK);
    in = good;
    in.op = 1;
    refuse(in, TESSERA_GOLDEN_BAD_OPERATION, "the operation changed before it was taken");
}

}  // namespace
}  // namespace tessera
