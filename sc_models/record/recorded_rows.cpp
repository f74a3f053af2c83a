#include "sc_models/record/recorded_rows.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>
#include <vector>

namespace tessera {
namespace {

constexpr std::size_t kHistoryRows = 12;

}  // namespace

bool RecordedRows::drop_old() {
    auto& instructions = recording_.instructions;
    auto& transactions = recording_.transactions;
    if (!span_.keeps_last || size() < 2 * span_.rows) return false;
    const std::size_t some = instructions.size() / 2;
    const std::uint64_t limit = instructions[some].order;
    instructions.erase(instructions.begin(),
                       instructions.begin() + static_cast<std::ptrdiff_t>(some));
    const auto first =
        std::find_if(transactions.begin(), transactions.end(),
                     [limit](const RecordedTransaction& t) { return t.order >= limit; });
    first_transaction_ += static_cast<std::uint64_t>(first - transactions.begin());
    transactions.erase(transactions.begin(), first);
    first_instruction_ += some;
    for (RecordedTransaction& t : transactions) {
        if (t.instruction == kNoNumber) continue;
        t.instruction =
            t.instruction < some ? kNoNumber : t.instruction - static_cast<std::uint32_t>(some);
    }
    return true;
}

std::string RecordedRows::line(const RecordedTransaction& row) const {
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

std::string RecordedRows::last_lines(
    std::uint32_t sm, const std::function<bool(std::uint32_t link)>& is_of_sm) const {
    std::vector<std::pair<std::uint64_t, std::string>> lines;
    const auto& transactions = recording_.transactions;
    for (auto last = transactions.rbegin(); last != transactions.rend(); ++last) {
        if (lines.size() == kHistoryRows) break;
        const bool of_sm =
            is_of_sm(last->link) ||
            (last->instruction != kNoNumber && recording_.instructions[last->instruction].sm == sm);
        if (of_sm) lines.emplace_back(last->order, line(*last));
    }
    std::size_t instructions = 0;
    for (auto last = recording_.instructions.rbegin();
         last != recording_.instructions.rend() && instructions < kHistoryRows; ++last) {
        if (last->sm != sm) continue;
        ++instructions;
        lines.emplace_back(last->order,
                           fmt::format("cycle {}: {}", last->asked, recording_.place(*last)));
    }
    std::sort(lines.begin(), lines.end());
    std::string text;
    if (!lines.empty()) text += fmt::format("  last transactions of SM {}:\n", sm);
    const std::size_t skipped = lines.size() - std::min(lines.size(), kHistoryRows);
    for (std::size_t i = skipped; i < lines.size(); ++i) text += "    " + lines[i].second + "\n";
    return text;
}

Recording RecordedRows::take(const std::string& end) {
    recording_.complete = end.empty() && !leaves_out_;
    recording_.end = !end.empty()  ? end
                     : leaves_out_ ? fmt::format("limit of {} rows", span_.rows)
                                   : "";
    return std::move(recording_);
}

}  // namespace tessera
