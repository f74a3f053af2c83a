#include "sc_models/align/align_report.h"

#include <fmt/format.h>
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {
namespace {

constexpr std::size_t kHistoryLines = 24;
constexpr std::size_t kLinesBefore = 8;
constexpr std::size_t kNone = Divergence::kNone;

/// One side of a difference.
struct DivergingSide {
    const Recording& recording;
    std::size_t instruction, transaction;

    [[nodiscard]] const Exchange* row() const {
        if (transaction != kNone) return &recording.transactions[transaction];
        if (instruction != kNone) return &recording.instructions[instruction];
        return nullptr;
    }
};

std::string span_text(const Exchange& e) {
    std::string text = fmt::format("cycle {}", e.asked);
    if (e.done != kNever && e.done != e.asked) text += fmt::format(" to {}", e.done);
    return text;
}

std::string values_text(const Exchange& e) {
    std::string text;
    if (e.value_in != 0) text += fmt::format(", sent {:08x}", e.value_in);
    if (e.value_out != 0) text += fmt::format(", returned {:08x}", e.value_out);
    return text;
}

std::string transaction_text(const Recording& recording, const RecordedTransaction& t) {
    std::string text = fmt::format("{}: {} {} {:#x}", span_text(t), recording.links.name(t.link),
                                   recording.words.name(t.command), t.address);
    if (t.bytes != 0) text += fmt::format(", {} B", t.bytes);
    if (t.outcome != 0) text += ", " + recording.words.name(t.outcome);
    return text + values_text(t);
}

std::string instruction_text(const Recording& recording, const RecordedInstruction& i) {
    std::string text = fmt::format("{}: {}", span_text(i), recording.place(i));
    if (i.bytes != 0) text += fmt::format(" at {:#x}, {} B", i.address, i.bytes);
    return text + values_text(i);
}

std::optional<std::uint32_t> sm_of(const DivergingSide& side) {
    if (side.instruction != kNone) return side.recording.instructions[side.instruction].sm;
    return std::nullopt;
}

/// Lines about an instruction and its transactions, those around the differing one.
std::string history_text(const DivergingSide& side) {
    const Recording& recording = side.recording;
    std::vector<std::size_t> rows;
    if (side.instruction == kNone) {
        if (side.transaction == kNone) return "    no such transaction\n";
        rows.push_back(side.transaction);
    }
    std::string text;
    if (side.instruction != kNone) {
        text =
            "    " + instruction_text(recording, recording.instructions[side.instruction]) + "\n";
        for (std::size_t row = 0; row < recording.transactions.size(); ++row) {
            if (recording.transactions[row].instruction == side.instruction) rows.push_back(row);
        }
    }
    const auto at = std::find(rows.begin(), rows.end(), side.transaction);
    const auto place = static_cast<std::size_t>(at - rows.begin());
    const std::size_t half = kHistoryLines / 2;
    const std::size_t begin =
        rows.size() <= kHistoryLines || at == rows.end() ? 0 : place - std::min(place, half);
    const std::size_t end = std::min(rows.size(), begin + kHistoryLines);
    if (begin > 0) text += fmt::format("      ({} transactions before)\n", begin);
    for (std::size_t i = begin; i < end; ++i) {
        text += fmt::format("    {} {}\n", rows[i] == side.transaction ? ">" : " ",
                            transaction_text(recording, recording.transactions[rows[i]]));
    }
    if (end < rows.size())
        text += fmt::format("      ({} transactions after)\n", rows.size() - end);
    return text;
}

/// Lines about the last rows of the same SM (or of the whole machine) before `order`.
std::string before_text(const DivergingSide& side, std::uint64_t order) {
    const Recording& recording = side.recording;
    const std::optional<std::uint32_t> sm = sm_of(side);
    std::vector<std::pair<std::uint64_t, std::string>> lines;
    std::size_t taken = 0;
    const auto is_of_sm = [&](const RecordedTransaction& t) {
        return !sm ||
               (t.instruction != kNoNumber && recording.instructions[t.instruction].sm == *sm);
    };
    for (auto t = recording.transactions.rbegin();
         t != recording.transactions.rend() && taken < kLinesBefore; ++t) {
        if (t->order >= order || !is_of_sm(*t)) continue;
        if (t->instruction != kNoNumber && t->instruction == side.instruction) continue;
        lines.emplace_back(t->order, transaction_text(recording, *t));
        ++taken;
    }
    taken = 0;
    for (auto i = recording.instructions.rbegin();
         i != recording.instructions.rend() && taken < kLinesBefore; ++i) {
        const auto row = static_cast<std::size_t>(recording.instructions.rend() - i) - 1;
        if (i->order >= order || (sm && i->sm != *sm) || row == side.instruction) continue;
        lines.emplace_back(i->order, instruction_text(recording, *i));
        ++taken;
    }
    std::sort(lines.begin(), lines.end());
    if (lines.size() > kLinesBefore) {
        lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(kLinesBefore));
    }
    std::string text;
    for (const auto& [place, line] : lines) text += fmt::format("    {}\n", line);
    return text.empty() ? "    none\n" : text;
}

std::string where_text(const DivergingSide& side) {
    const Recording& recording = side.recording;
    std::string text;
    if (side.instruction != kNone) {
        const RecordedInstruction& i = recording.instructions[side.instruction];
        text = fmt::format("{}, SM {}", recording.place(i), i.sm);
    } else {
        text = "no warp instruction (write-back, program or kernel start)";
    }
    return text;
}

std::string block_text(const DivergingSide& side) {
    if (side.transaction == kNone) return "warp instruction at its unit";
    const RecordedTransaction& t = side.recording.transactions[side.transaction];
    return fmt::format("{}, {} {:#x}", side.recording.links.name(t.link),
                       side.recording.words.name(t.command), t.address);
}

std::string counts_text(const Alignment& alignment) {
    std::string text;
    for (const auto& [kind, count] : alignment.counts) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(kind));
    }
    return text;
}

std::string end_text(std::string_view side, const Recording& recording) {
    if (recording.complete) return {};
    return fmt::format("{} ended early: {}\n", side, recording.end);
}

}  // namespace

std::string align_report(const Recording& a, const Recording& b, const Alignment& alignment,
                         const AlignNames& names) {
    std::string text = fmt::format("A {} ({} instructions, {} transactions)\n", names.a,
                                   a.instructions.size(), a.transactions.size());
    text += fmt::format("B {} ({} instructions, {} transactions)\n", names.b, b.instructions.size(),
                        b.transactions.size());
    text += end_text("A", a) + end_text("B", b);
    text += fmt::format("compared: {} instructions, {} transactions, {} values\n",
                        alignment.instructions, alignment.transactions, alignment.checks);
    if (alignment.equal()) return text + "no difference\n";
    const Divergence& d = alignment.first.front();
    const DivergingSide side_a{a, d.instruction_a, d.transaction_a};
    const DivergingSide side_b{b, d.instruction_b, d.transaction_b};
    const bool in_a = side_a.row() != nullptr && d.kind != DivergenceKind::kExtra;
    const DivergingSide& known = in_a ? side_a : side_b;
    text += fmt::format("differences: {}\n\n", counts_text(alignment));
    text += fmt::format("first difference: {}\n  instruction  {}\n  block        {}{}\n",
                        name_of(d.kind), where_text(known), block_text(known),
                        d.in_response ? ", response" : "");
    if (!d.field.empty()) text += fmt::format("  {}\n    A {}\n    B {}\n", d.field, d.a, d.b);
    text += "  A did\n" + history_text(side_a) + "  B did\n" + history_text(side_b);
    const auto place = [&](const DivergingSide& side) {
        return side.row() == nullptr ? d.order : side.row()->order;
    };
    text += "  before it in A\n" + before_text(side_a, place(side_a));
    text += "  before it in B\n" + before_text(side_b, place(side_b));
    return text;
}

DivergenceCycles divergence_cycles(const Recording& a, const Recording& b,
                                   const Divergence& divergence) {
    const auto cycle = [&](const DivergingSide& side, const DivergingSide& other) {
        const auto own = [&](const Exchange& e) {
            return divergence.in_response && e.done != kNever ? e.done : e.asked;
        };
        const bool lacks_it = other.transaction != kNone && side.transaction == kNone;
        if (side.row() != nullptr && !lacks_it) return own(*side.row());
        return other.row() == nullptr ? Cycle{0} : own(*other.row());
    };
    const DivergingSide side_a{a, divergence.instruction_a, divergence.transaction_a};
    const DivergingSide side_b{b, divergence.instruction_b, divergence.transaction_b};
    return {cycle(side_a, side_b), cycle(side_b, side_a)};
}

}  // namespace tessera
