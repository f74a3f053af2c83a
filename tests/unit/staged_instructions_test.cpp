// Do the instructions of a staged step come in the order that its parts ask for, and are they valid
// until the next step?
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "sc_models/workload/staged/staged_instructions.h"

namespace tessera {
namespace {

/// Emits instructions that are told apart by their destinations.
void emit(StagedInstructions& out, std::initializer_list<std::uint8_t> destinations) {
    for (const std::uint8_t dst : destinations) out.emit(Opcode::kAlu).dst = dst;
}

std::vector<WarpInstruction> computation(std::initializer_list<std::uint8_t> destinations) {
    std::vector<WarpInstruction> made;
    for (const std::uint8_t dst : destinations) made.emplace_back().dst = dst;
    return made;
}

using Destinations = std::vector<std::uint32_t>;

Destinations rest_of(StagedInstructions& out) {
    Destinations destinations;
    while (!out.all_given()) {
        const InstructionBatch batch = out.next();
        for (std::size_t i = 0; i < batch.count; ++i) destinations.push_back(batch.begin[i].dst);
    }
    return destinations;
}

TEST(StagedInstructions, ComeAsTheyWereMade) {
    StagedInstructions out;
    EXPECT_TRUE(out.empty());
    emit(out, {1, 2});
    EXPECT_FALSE(out.empty());
    out.close();
    EXPECT_EQ(rest_of(out), (Destinations{1, 2}));
    EXPECT_TRUE(out.all_given());
    out.clear();
    EXPECT_TRUE(out.empty());
}

TEST(StagedInstructions, SpreadsLoadsOverAComputation) {
    StagedInstructions out;
    emit(out, {1, 2, 3, 4});
    const std::vector<WarpInstruction> products = computation({10, 11, 12, 13, 14, 15});
    out.spread(2, products, 4);
    out.close();
    EXPECT_EQ(rest_of(out), (Destinations{1, 10, 11, 2, 12, 13, 14, 15, 3, 4}));
}

TEST(StagedInstructions, SetsAComputationAside) {
    StagedInstructions out;
    emit(out, {10, 11});
    const std::vector<WarpInstruction>& products = out.take_computation();
    EXPECT_TRUE(out.empty());
    emit(out, {1});
    out.spread(1, products, 2);
    out.close();
    EXPECT_EQ(rest_of(out), (Destinations{1, 10, 11}));
}

TEST(StagedInstructions, AlternatesLoadsWithProducts) {
    StagedInstructions out;
    emit(out, {1, 20, 21, 22, 10, 11});  // three loads from index 1 on, two products from 4 on
    out.alternate(1, 4);
    out.close();
    EXPECT_EQ(rest_of(out), (Destinations{1, 10, 20, 11, 21, 22}));
}

TEST(StagedInstructions, FillsWhatThereIsRoomFor) {
    StagedInstructions out;
    emit(out, {1, 2, 3});
    out.close();
    std::array<WarpInstruction, 2> room;
    EXPECT_EQ(out.fill(room.data(), room.size()), 2U);
    EXPECT_EQ(room[1].dst, 2U);
    EXPECT_EQ(rest_of(out), Destinations{3});
}

TEST(StagedInstructions, KeepsLanesUntilTheNextStep) {
    StagedInstructions out;
    LaneAccess& first = out.spare_lanes();
    EXPECT_EQ(&out.spare_lanes(), &first);  // not taken
    out.keep_lanes();
    EXPECT_NE(&out.spare_lanes(), &first);
    out.clear();
    EXPECT_EQ(&out.spare_lanes(), &first);
}

}  // namespace
}  // namespace tessera
