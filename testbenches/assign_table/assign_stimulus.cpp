#include "testbenches/assign_table/assign_stimulus.h"

#include <fmt/format.h>

#include "testbenches/assign_table/assign_rig.h"

namespace tessera::testbench {
namespace {

enum : std::size_t { kCycle, kSm, kInput, kWeightColumn };

constexpr std::uint32_t kOperandBytes = 12;

}  // namespace

std::vector<AssignOperation> random_operations(Session& session, std::uint32_t sms,
                                               std::uint32_t line_bytes, Cycle at) {
    const auto vector = [&](std::uint64_t block) {
        return block * line_bytes + session.below(line_bytes / 4 - 2) * 4;
    };
    std::vector<AssignOperation> operations;
    for (std::uint64_t i = 0; i < session.options().count; ++i) {
        AssignOperation operation;
        operation.at = at += session.below(12);
        operation.sm = static_cast<std::uint32_t>(session.below(sms));
        const std::uint64_t input = session.below(2) == 0 ? session.below(16) : session.below(192);
        // Operands are drawn in this order, whatever the order of evaluation of the compiler.
        operation.input = vector(input);
        operation.weights = kWeights + vector(session.below(12));
        operations.push_back(operation);
    }
    return operations;
}

std::vector<AssignOperation> operations_of(const Stimulus& stimulus, std::uint32_t sms,
                                           std::uint32_t line_bytes) {
    constexpr Address kEnd = AssignRig::kOutputs;
    std::vector<AssignOperation> operations;
    for (const StimulusRow& row : stimulus.rows()) {
        stimulus.need_below(row, kSm, sms);
        for (const std::size_t column : {kInput, kWeightColumn}) {
            const Address address = row[column];
            if (address < kEnd && address % line_bytes + kOperandBytes <= line_bytes &&
                address % 4 == 0) {
                continue;
            }
            stimulus.fail(row, column,
                          fmt::format("got {:#x}, expected below {:#x}, a multiple of 4 with {} "
                                      "bytes within a line of {}",
                                      address, kEnd, kOperandBytes, line_bytes));
        }
        operations.push_back(
            {row[kCycle], static_cast<std::uint32_t>(row[kSm]), row[kInput], row[kWeightColumn]});
    }
    return operations;
}

}  // namespace tessera::testbench
