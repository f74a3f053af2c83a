#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "sc_models/isa/opcode.h"
#include "sc_models/record/transaction_recorder.h"

namespace tessera {
namespace {

constexpr std::size_t kHistoryRows = 12;

}  // namespace

std::string TransactionRecorder::line(const RecordedTransaction& row) const {
    std::string text =
        fmt::format("cycle {}: {} {} {:#x}", row.asked, recording_.links.name(row.link),
                    recording_.words.name(row.command), row.address);
    if (row.bytes != 0) text += fmt::format(", {} B", row.bytes);
    if (row.outcome != 0) text += ", " + recording_.words.name(row.outcome);
    if (row.instruction != kNoNumber) {
        text += " for " + recording_.place(recording_.instructions[row.instruction]);
    }
    return text;
}

std::string TransactionRecorder::history(SmId sm, std::optional<SubCoreId> sub_core,
                                         std::uint64_t id) const {
    std::string text;
    const auto here = sms_.find(sm.value());
    if (here == sms_.end()) return text;
    const auto known = id == 0 ? rows_by_id_.end() : rows_by_id_.find(id);
    const std::uint64_t row = known != rows_by_id_.end() ? known->second : here->second.in_service;
    if (!sub_core && row != kNoRow && row >= first_instruction_) {
        text = fmt::format("  during   {}, access {:#x}\n",
                           recording_.place(recording_.instructions[row - first_instruction_]), id);
    } else if (sub_core && sub_core->value() < here->second.issued.size()) {
        const RecordedInstruction last = instruction_at(sm.value(), sub_core->value());
        const Issued& issued = here->second.issued[sub_core->value()];
        const Opcode opcode = static_cast<Opcode>(issued.opcode);
        const std::string warp = last.cta == kNoNumber
                                     ? "assistant warp"
                                     : fmt::format("CTA {}, warp {}", last.cta, last.warp);
        text = fmt::format(
            "  during   kernel {} ({}), {}, instruction {} ({}), issued in cycle {}\n", last.kernel,
            recording_.kernels[last.kernel], warp, last.index, name_of(opcode), issued.at);
    }
    std::vector<std::pair<std::uint64_t, std::string>> lines;
    const auto& transactions = recording_.transactions;
    for (auto last = transactions.rbegin(); last != transactions.rend(); ++last) {
        if (lines.size() == kHistoryRows) break;
        const bool of_sm = links_[last->link].sm == sm.value() ||
                           (last->instruction != kNoNumber &&
                            recording_.instructions[last->instruction].sm == sm.value());
        if (of_sm) lines.emplace_back(last->order, line(*last));
    }
    std::size_t instructions = 0;
    for (auto last = recording_.instructions.rbegin();
         last != recording_.instructions.rend() && instructions < kHistoryRows; ++last) {
        if (last->sm != sm.value()) continue;
        ++instructions;
        lines.emplace_back(last->order,
                           fmt::format("cycle {}: {}", last->asked, recording_.place(*last)));
    }
    std::sort(lines.begin(), lines.end());
    if (!lines.empty()) text += fmt::format("  last transactions of SM {}:\n", sm.value());
    const std::size_t skipped = lines.size() - std::min(lines.size(), kHistoryRows);
    for (std::size_t i = skipped; i < lines.size(); ++i) text += "    " + lines[i].second + "\n";
    return text;
}

}  // namespace tessera
