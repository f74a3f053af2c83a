// Does a recording keep the rows it should, under their numbers, and know who issued what?
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "sc_models/record/recorded_rows.h"
#include "sc_models/record/warp_issues.h"

namespace tessera {
namespace {

/// Adds an instruction of SM `sm`, and returns its number.
std::uint64_t add_instruction(RecordedRows& rows, std::uint32_t sm, Cycle at) {
    RecordedInstruction row;
    row.sm = sm;
    row.asked = at;
    row.order = rows.next_order();
    return rows.add(row);
}

/// Adds a transaction that an instruction caused, and returns its number.
std::uint64_t add_transaction(RecordedRows& rows, std::uint64_t instruction) {
    RecordedTransaction row;
    row.link = rows.links().number("link");
    row.order = rows.next_order();
    rows.set_instruction(row, instruction);
    return rows.add(row);
}

TEST(RecordedRows, LeavesOutWhatIsBeyondTheLimit) {
    RecordedRows rows({2, false});
    rows.recording().kernels.emplace_back("gemm");
    EXPECT_FALSE(rows.full());
    const std::uint64_t instruction = add_instruction(rows, 0, 10);
    const std::uint64_t transaction = add_transaction(rows, instruction);
    EXPECT_TRUE(rows.full());
    EXPECT_FALSE(rows.drop_old());
    EXPECT_TRUE(rows.is_caused_by(transaction, instruction));
    EXPECT_FALSE(rows.is_caused_by(transaction, instruction + 1));
    EXPECT_FALSE(rows.is_caused_by(RecordedRows::kNoRow, instruction));
    rows.leave_out();
    const Recording recording = rows.take("");
    EXPECT_FALSE(recording.complete);
    EXPECT_EQ(recording.end, "limit of 2 rows");
}

TEST(RecordedRows, IsCompleteIfNothingWasLeftOut) {
    RecordedRows rows({2, false});
    EXPECT_TRUE(rows.take("").complete);
    RecordedRows stopped({2, false});
    const Recording recording = stopped.take("deadlock");
    EXPECT_FALSE(recording.complete);
    EXPECT_EQ(recording.end, "deadlock");
}

TEST(RecordedRows, KeepsNumbersWhenOldRowsAreDropped) {
    RecordedRows rows({4, true});
    rows.recording().kernels.emplace_back("gemm");
    std::uint64_t instructions[4], transactions[4];
    for (std::uint32_t i = 0; i < 4; ++i) {
        EXPECT_FALSE(rows.drop_old());
        instructions[i] = add_instruction(rows, i, 10 * i);
        transactions[i] = add_transaction(rows, instructions[i]);
    }
    EXPECT_FALSE(rows.full());
    EXPECT_TRUE(rows.drop_old());
    EXPECT_EQ(rows.size(), 4U);
    EXPECT_FALSE(rows.has_instruction(instructions[1]));
    EXPECT_FALSE(rows.has_transaction(transactions[1]));
    ASSERT_TRUE(rows.has_instruction(instructions[2]));
    EXPECT_EQ(rows.instruction(instructions[2]).sm, 2U);
    EXPECT_TRUE(rows.is_caused_by(transactions[2], instructions[2]));
    RecordedTransaction late;
    rows.set_instruction(late, instructions[0]);  // dropped
    EXPECT_EQ(late.instruction, kNoNumber);
    EXPECT_EQ(add_instruction(rows, 0, 50), instructions[3] + 1);
}

TEST(RecordedRows, ListsTheLastRowsOfAnSm) {
    RecordedRows rows({8, true});
    rows.recording().kernels.emplace_back("gemm");
    add_instruction(rows, 1, 10);
    add_instruction(rows, 0, 20);
    const auto none = [](std::uint32_t) { return false; };
    const std::string lines = rows.last_lines(1, none);
    EXPECT_NE(lines.find("last transactions of SM 1"), std::string::npos) << lines;
    EXPECT_NE(lines.find("cycle 10: kernel 0 (gemm)"), std::string::npos) << lines;
    EXPECT_EQ(lines.find("cycle 20"), std::string::npos) << lines;
    EXPECT_EQ(rows.last_lines(2, none), "");
}

TEST(WarpIssues, CountsTheInstructionsOfAWarp) {
    WarpIssues issues;
    EXPECT_FALSE(issues.has(3));
    issues.launch(SmId(3), WarpId(5), CtaId(7), 2);
    EXPECT_TRUE(issues.has(3));
    EXPECT_FALSE(issues.has(3, 1));
    issues.issue(SmId(3), SubCoreId(1), WarpId(5), 40, 100);
    issues.issue(SmId(3), SubCoreId(1), WarpId(5), 41, 101);
    ASSERT_TRUE(issues.has(3, 1));
    const WarpIssues::Issued last = issues.last(3, 1);
    EXPECT_EQ(last.cta, 7U);
    EXPECT_EQ(last.warp, 2U);
    EXPECT_EQ(last.index, 1U);
    EXPECT_EQ(last.opcode, 41U);
    EXPECT_EQ(last.at, 101U);
    issues.launch(SmId(3), WarpId(5), CtaId(8), 0);  // the next warp in the slot
    issues.issue(SmId(3), SubCoreId(1), WarpId(5), 42, 102);
    EXPECT_EQ(issues.last(3, 1).index, 0U);
}

TEST(WarpIssues, HasAssistantWarpsThatWereNotLaunched) {
    WarpIssues issues;
    issues.issue(SmId(0), SubCoreId(0), WarpId(9), 40, 100);
    EXPECT_EQ(issues.last(0, 0).cta, kNoNumber);
}

}  // namespace
}  // namespace tessera
