// Does an instruction give the views of its opcode, and no other?
#include "sc_models/isa/warp_instruction.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

/// A view, its opcodes, and an access to it.
struct View {
    std::string name;
    std::set<Opcode> opcodes;
    std::function<void(WarpInstruction&)> access;
    std::function<void(const WarpInstruction&)> read;
};

/// Whether `access` is allowed; a refusal must name the opcode and the view.
template <class Instruction, class Access>
bool allows(const Access& access, Instruction& instruction, const std::string& view) {
    try {
        access(instruction);
        return true;
    } catch (const CheckError& error) {
        EXPECT_EQ(error.what(), "a warp instruction '" +
                                    std::string(name_of(instruction.opcode())) + "' has no view '" +
                                    view + "'");
        return false;
    }
}

std::vector<View> views() {
    const std::set<Opcode> registers = {
        Opcode::kLoadFragment, Opcode::kLoadGlobal,   Opcode::kStoreGlobal, Opcode::kLoadShared,
        Opcode::kStoreShared,  Opcode::kAtomicGlobal, Opcode::kLoadMatrix};
    const std::set<Opcode> copies = {Opcode::kCopyAsync, Opcode::kBulkCopy};
    const std::set<Opcode> pieces = {Opcode::kLoadPieces, Opcode::kLoadGathered};
    std::set<Opcode> memory = registers;
    memory.insert(copies.begin(), copies.end());
    memory.insert(Opcode::kVectorOp);
    std::set<Opcode> placed = registers;
    placed.insert(pieces.begin(), pieces.end());
    using W = WarpInstruction;
    const auto view = [](const char* name, std::set<Opcode> opcodes, auto get) {
        return View{name, std::move(opcodes), [get](W& w) { (void)get(w); },
                    [get](const W& w) { (void)get(w); }};
    };
    return {
        view("memory", memory, [](auto& w) { return w.memory().rows; }),
        view("pieces", pieces, [](auto& w) { return w.pieces().mask; }),
        view("registers", placed, [](auto& w) { return w.registers().role; }),
        view("shared", copies, [](auto& w) { return w.shared().address; }),
        view("moves", {Opcode::kAlu, Opcode::kOperation},
             [](auto& w) { return w.moves().zero_fill; }),
        view("call", {}, [](auto& w) { return w.call().function; }),
        view("mma", {Opcode::kMma}, [](auto& w) { return w.mma().single_copies; }),
        view("spwmma", {Opcode::kSparseMma}, [](auto& w) { return w.spwmma().matrices; }),
        view("warpgroup", {Opcode::kWarpgroupMma}, [](auto& w) { return w.warpgroup().columns; }),
        view("floats", {Opcode::kFloats}, [](auto& w) { return w.floats().rows; }),
        view("arrival", {Opcode::kArrive}, [](auto& w) { return w.arrival().barrier; }),
        view("wait", {Opcode::kAwaitPhase}, [](auto& w) { return w.wait().phase; }),
        view("barrier", {Opcode::kBarrier}, [](auto& w) { return w.barrier(); }),
        view("groups_left", {Opcode::kWaitCopies, Opcode::kWaitProducts},
             [](auto& w) { return w.groups_left(); }),
        view("operation", {Opcode::kOperation}, [](auto& w) { return w.operation(); }),
        view("operation", {Opcode::kOperation}, [](auto& w) { return w.mma_shape(); }),
        view("lanes", {}, [](auto& w) { return w.lanes().bytes; }),
    };
}

TEST(WarpInstruction, ViewsAreThoseOfTheOpcode) {
    for (const View& view : views()) {
        for (std::size_t i = 0; i < kOpcodes; ++i) {
            const auto opcode = static_cast<Opcode>(i);
            WarpInstruction w(opcode);
            const bool allowed = view.opcodes.count(opcode) == 1;
            EXPECT_EQ(allows(view.access, w, view.name), allowed) << name_of(opcode) << view.name;
            const WarpInstruction& constant = w;
            EXPECT_EQ(allows(view.read, constant, view.name), allowed)
                << name_of(opcode) << view.name;
        }
    }
}

TEST(WarpInstruction, SettersAreRefusedToo) {
    WarpInstruction w(Opcode::kMma);
    EXPECT_THROW(w.set_operation(Operation::kFp32), CheckError);
    EXPECT_THROW(w.set_function(nullptr), CheckError);
    EXPECT_THROW(w.set_mma_shape(MmaShape::kHmma884), CheckError);
    EXPECT_THROW(w.set_barrier(1), CheckError);
    EXPECT_THROW(w.set_groups_left(1), CheckError);
    EXPECT_THROW(w.set_address(1), CheckError);
    EXPECT_THROW((void)w.address(), CheckError);
    EXPECT_THROW((void)bytes_of(w), CheckError);
    EXPECT_THROW(WarpInstruction(Opcode::kAlu).set_structured(0, 0, 0), CheckError);
}

/// A kOperation either moves registers or calls a function.
TEST(WarpInstruction, AFunctionTakesThePlaceOfMoves) {
    WarpInstruction w(Opcode::kOperation);
    w.set_operation(Operation::kHmmaF16);
    EXPECT_FALSE(w.has_function());
    w.moves().zero_fill = 2;
    EXPECT_THROW((void)w.call(), CheckError);
    w.set_function(nullptr, 3).position = 7;
    EXPECT_TRUE(w.has_function());
    EXPECT_EQ(w.call().registers, 3);
    EXPECT_EQ(w.call().position, 7U);
    EXPECT_EQ(w.call().variant, 0U);
    EXPECT_EQ(w.operation(), Operation::kHmmaF16);
    EXPECT_THROW((void)w.moves(), CheckError);
}

TEST(WarpInstruction, AllFieldsAreZeroUnlessSet) {
    const WarpInstruction load(Opcode::kLoadGlobal);
    EXPECT_EQ(load.memory().rows, 0);
    EXPECT_FALSE(load.has_lanes());
    EXPECT_EQ(load.role(), FragmentRole::kNone);
    EXPECT_FALSE(load.bypasses_l1());
    const WarpInstruction copy(Opcode::kBulkCopy);
    EXPECT_EQ(copy.shared().fetched, BoxRows::kAll);
    EXPECT_FALSE(comes_with_partner(copy));
    EXPECT_EQ(WarpInstruction(Opcode::kOperation).mma_shape(), MmaShape::kHmma884);
    EXPECT_EQ(WarpInstruction(Opcode::kBarrier).barrier(), 0);
}

}  // namespace
}  // namespace tessera
