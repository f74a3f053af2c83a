#include "sc_models/align/aligner.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <tuple>
#include <utility>

#include "sc_models/align/sequence_match.h"

namespace tessera {
namespace {

constexpr std::size_t kShown = 8;  ///< differences that are kept

using Rows = std::vector<std::size_t>;

/// A recording with its rows by warp and instruction, and its names in numbers of both recordings.
struct Side {
    const Recording& recording;
    std::vector<std::uint32_t> words, kinds;  ///< common numbers, by number of word or link
    std::vector<Rows> of_instruction;         ///< transactions, by instruction
    Rows without_instruction;
    std::uint64_t last_order = 0;  ///< of a request

    Side(const Recording& from, NameTable& all_words, NameTable& all_kinds)
        : recording(from), of_instruction(from.instructions.size()) {
        for (const std::string& word : from.words.names()) words.push_back(all_words.number(word));
        for (const std::string& link : from.links.names()) {
            kinds.push_back(all_kinds.number(kind_of_link(link)));
        }
        if (!from.instructions.empty()) last_order = from.instructions.back().order;
        for (std::size_t row = 0; row < from.transactions.size(); ++row) {
            const std::uint32_t instruction = from.transactions[row].instruction;
            last_order = std::max(last_order, from.transactions[row].order);
            (instruction == kNoNumber ? without_instruction : of_instruction[instruction])
                .push_back(row);
        }
    }
    [[nodiscard]] const RecordedTransaction& at(std::size_t row) const {
        return recording.transactions[row];
    }
    [[nodiscard]] const std::string& word(std::uint32_t number) const {
        return recording.words.name(number);
    }
};

/// First place at which the responses of a pair differ.
std::uint64_t response_order(const Exchange& a, const Exchange& b) {
    if (a.done_order == 0) return b.done_order == 0 ? a.order : b.done_order;
    return b.done_order == 0 ? a.done_order : std::min(a.done_order, b.done_order);
}

/// Rows of both recordings that are to be paired.
struct Both {
    Rows a, b;
};

class Aligner {
public:
    Aligner(const Recording& a, const Recording& b, const AlignRules& rules)
        : rules_(rules), a_(a, words_, kinds_), b_(b, words_, kinds_) {}

    Alignment run() {
        for (const auto& [warp, rows] : by_warp()) align_warp(rows);
        if (!rules_.content_only) align_without_instruction();
        keep_first(kShown);
        return std::move(result_);
    }

private:
    static constexpr std::size_t kNone = Divergence::kNone;
    using WarpKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

    [[nodiscard]] std::map<WarpKey, Both> by_warp() const {
        std::map<WarpKey, Both> warps;
        const auto add = [&warps](const Recording& from, Rows Both::*side) {
            for (std::size_t row = 0; row < from.instructions.size(); ++row) {
                const RecordedInstruction& i = from.instructions[row];
                // Assistant warps belong to their SM.
                const std::uint32_t sm = i.cta == kNoNumber ? i.sm : 0;
                (warps[{i.kernel, i.cta, i.warp, sm}].*side).push_back(row);
            }
        };
        add(a_.recording, &Both::a);
        add(b_.recording, &Both::b);
        return warps;
    }

    void align_warp(const Both& rows);
    void align_instruction(std::size_t row_a, std::size_t row_b);
    void align_without_instruction();
    void align_group(const Both& rows, std::size_t instruction_a, std::size_t instruction_b);
    [[nodiscard]] bool compares(std::uint32_t kind) const {
        if (!rules_.content_only) return true;
        const std::string& name = kinds_.name(kind);
        constexpr std::string_view kToL1 = ".to_l1";
        return !filtered_ && name.size() > kToL1.size() &&
               name.compare(name.size() - kToL1.size(), kToL1.size(), kToL1) == 0;
    }
    [[nodiscard]] static bool uses_filter(const Recording& recording) {
        const auto& links = recording.links.names();
        return std::any_of(links.begin(), links.end(), [](const std::string& link) {
            return link.find(".filter") != std::string::npos;
        });
    }
    /// Whether an incomplete recording may have ended before `row` of the other one, which it
    /// lacks.
    [[nodiscard]] static bool is_cut(const Side& side, std::size_t instruction,
                                     const Exchange& row) {
        if (side.recording.complete) return false;
        return instruction == kNone || row.order > side.last_order ||
               side.recording.instructions[instruction].done == kNever;
    }

    using RequestKey = std::tuple<std::uint32_t, Address, std::uint32_t>;
    [[nodiscard]] static RequestKey key(const Side& side, std::size_t row) {
        const RecordedTransaction& t = side.at(row);
        return {side.words[t.command], t.address, t.bytes};
    }

    /// Differences of a pair of requests and responses.
    void compare(const Exchange& a, const Exchange& b, const Divergence& base);
    void compare_outcome(const RecordedTransaction& a, const RecordedTransaction& b,
                         const Divergence& base);
    void note_other_request(const Divergence& base);
    void note_alone(Divergence base, const Exchange& row) {
        base.order = row.order;
        note(std::move(base));
    }
    void note(Divergence divergence) {
        ++result_.counts[divergence.kind];
        result_.first.push_back(std::move(divergence));
        constexpr std::size_t kSlack = 256;
        if (result_.first.size() > kSlack) keep_first(kShown);
    }
    void keep_first(std::size_t count) {
        auto& all = result_.first;
        // A transaction that one side lacks stands in the place of what the other did then.
        const auto both_have = [](const Divergence& d) {
            return d.kind != DivergenceKind::kMissing && d.kind != DivergenceKind::kExtra;
        };
        std::stable_sort(all.begin(), all.end(), [&](const Divergence& x, const Divergence& y) {
            return std::pair(x.order, both_have(x)) < std::pair(y.order, both_have(y));
        });
        if (all.size() > count) all.resize(count);
    }

    const AlignRules rules_;
    NameTable words_, kinds_;
    Side a_, b_;
    const bool filtered_ = uses_filter(a_.recording) || uses_filter(b_.recording);
    Alignment result_;
};

void Aligner::align_warp(const Both& rows) {
    const auto equal = [&](std::size_t i, std::size_t j) {
        const RecordedInstruction& x = a_.recording.instructions[rows.a[i]];
        const RecordedInstruction& y = b_.recording.instructions[rows.b[j]];
        return x.address == y.address && x.bytes == y.bytes &&
               a_.words[x.opcode] == b_.words[y.opcode];
    };
    const SequenceMatch pairs = match_sequences(rows.a.size(), rows.b.size(), equal);
    std::size_t i = 0;
    std::size_t j = 0;
    // Rows before a pair have no partner: two of them stand for one instruction that differs.
    const auto unpaired = [&](std::size_t end_a, std::size_t end_b, bool at_end) {
        while (i < end_a && j < end_b) {
            Divergence d;
            d.instruction_a = rows.a[i++];
            d.instruction_b = rows.b[j++];
            note_other_request(d);
        }
        for (; i < end_a; ++i) {
            if (at_end && !b_.recording.complete) continue;  // B ended before it
            Divergence d;
            d.kind = DivergenceKind::kMissing;
            d.instruction_a = rows.a[i];
            note_alone(d, a_.recording.instructions[rows.a[i]]);
        }
        for (; j < end_b; ++j) {
            if (at_end && !a_.recording.complete) continue;
            Divergence d;
            d.kind = DivergenceKind::kExtra;
            d.instruction_b = rows.b[j];
            note_alone(d, b_.recording.instructions[rows.b[j]]);
        }
    };
    for (const auto& [in_a, in_b] : pairs) {
        unpaired(in_a, in_b, false);
        align_instruction(rows.a[in_a], rows.b[in_b]);
        i = in_a + 1;
        j = in_b + 1;
    }
    unpaired(rows.a.size(), rows.b.size(), true);
}

void Aligner::align_instruction(std::size_t row_a, std::size_t row_b) {
    ++result_.instructions;
    const RecordedInstruction& a = a_.recording.instructions[row_a];
    const RecordedInstruction& b = b_.recording.instructions[row_b];
    Divergence base;
    base.instruction_a = row_a;
    base.instruction_b = row_b;
    compare(a, b, base);
    std::map<std::uint32_t, Both> groups;
    for (const std::size_t row : a_.of_instruction[row_a]) {
        groups[a_.kinds[a_.at(row).link]].a.push_back(row);
    }
    for (const std::size_t row : b_.of_instruction[row_b]) {
        groups[b_.kinds[b_.at(row).link]].b.push_back(row);
    }
    for (const auto& [kind, rows] : groups) {
        if (compares(kind)) align_group(rows, row_a, row_b);
    }
}

void Aligner::align_without_instruction() {
    std::map<std::string_view, Both> groups;
    for (const std::size_t row : a_.without_instruction) {
        groups[a_.recording.links.name(a_.at(row).link)].a.push_back(row);
    }
    for (const std::size_t row : b_.without_instruction) {
        groups[b_.recording.links.name(b_.at(row).link)].b.push_back(row);
    }
    for (const auto& [link, rows] : groups) align_group(rows, kNone, kNone);
}

void Aligner::align_group(const Both& rows, std::size_t instruction_a, std::size_t instruction_b) {
    Divergence base;
    base.instruction_a = instruction_a;
    base.instruction_b = instruction_b;
    std::map<RequestKey, std::deque<std::size_t>> waiting;  // places in rows.b
    for (std::size_t j = 0; j < rows.b.size(); ++j) waiting[key(b_, rows.b[j])].push_back(j);
    Rows alone_a;
    std::vector<bool> taken(rows.b.size());
    std::size_t latest = 0;
    bool in_order = true;
    for (const std::size_t row : rows.a) {
        const auto found = waiting.find(key(a_, row));
        if (found == waiting.end() || found->second.empty()) {
            alone_a.push_back(row);
            continue;
        }
        const std::size_t j = found->second.front();
        found->second.pop_front();
        taken[j] = true;
        ++result_.transactions;
        base.transaction_a = row;
        base.transaction_b = rows.b[j];
        compare(a_.at(row), b_.at(rows.b[j]), base);
        if (!rules_.content_only) compare_outcome(a_.at(row), b_.at(rows.b[j]), base);
        if (j < latest && in_order && !rules_.content_only) {
            in_order = false;
            Divergence d = base;
            d.kind = DivergenceKind::kOrder;
            d.order = a_.at(row).order;
            d.field = "place among the transactions of the instruction on this kind of link";
            d.a = "before";
            d.b = "behind";
            note(std::move(d));
        }
        latest = std::max(latest, j);
    }
    Rows alone_b;
    for (std::size_t j = 0; j < rows.b.size(); ++j) {
        if (!taken[j]) alone_b.push_back(rows.b[j]);
    }
    std::size_t both = std::min(alone_a.size(), alone_b.size());
    for (std::size_t i = 0; i < both; ++i) {
        base.transaction_a = alone_a[i];
        base.transaction_b = alone_b[i];
        note_other_request(base);
    }
    for (std::size_t i = both; i < alone_a.size(); ++i) {
        if (is_cut(b_, instruction_b, a_.at(alone_a[i]))) break;
        base.kind = DivergenceKind::kMissing;
        base.transaction_a = alone_a[i];
        base.transaction_b = kNone;
        note_alone(base, a_.at(alone_a[i]));
    }
    for (std::size_t i = both; i < alone_b.size(); ++i) {
        if (is_cut(a_, instruction_a, b_.at(alone_b[i]))) break;
        base.kind = DivergenceKind::kExtra;
        base.transaction_a = kNone;
        base.transaction_b = alone_b[i];
        note_alone(base, b_.at(alone_b[i]));
    }
}

void Aligner::compare(const Exchange& a, const Exchange& b, const Divergence& base) {
    const auto differ = [&](DivergenceKind kind, const char* field, bool response, std::string in_a,
                            std::string in_b) {
        Divergence d = base;
        d.kind = kind;
        d.in_response = response;
        d.order = response ? response_order(a, b) : a.order;
        d.field = field;
        d.a = std::move(in_a);
        d.b = std::move(in_b);
        note(std::move(d));
    };
    const auto values = [&](const char* field, bool response, std::uint32_t x, std::uint32_t y) {
        if (x == 0 || y == 0) return;
        ++result_.checks;
        if (x == y) return;
        differ(DivergenceKind::kValue, field, response, fmt::format("{:08x}", x),
               fmt::format("{:08x}", y));
    };
    const auto cycles = [&](const char* field, bool response, Cycle x, Cycle y) {
        const bool cut =
            (x == kNever && !a_.recording.complete) || (y == kNever && !b_.recording.complete);
        if (!rules_.cycles || cut) return;
        ++result_.checks;
        if (x == y) return;
        const auto text = [](Cycle c) { return c == kNever ? "none" : std::to_string(c); };
        differ(DivergenceKind::kTime, field, response, text(x), text(y));
    };
    values("hash of the data sent", false, a.value_in, b.value_in);
    values("hash of the data returned", true, a.value_out, b.value_out);
    cycles("cycle of the request", false, a.asked, b.asked);
    cycles("cycle of the response", true, a.done, b.done);
}

void Aligner::compare_outcome(const RecordedTransaction& a, const RecordedTransaction& b,
                              const Divergence& base) {
    if (a.done_order == 0 || b.done_order == 0) return;
    ++result_.checks;
    if (a_.words[a.outcome] == b_.words[b.outcome]) return;
    Divergence d = base;
    d.kind = DivergenceKind::kOutcome;
    d.in_response = true;
    d.order = response_order(a, b);
    d.field = "served by";
    d.a = a_.word(a.outcome);
    d.b = b_.word(b.outcome);
    note(std::move(d));
}

/// Notes a pair whose operation, address or length differs.
void Aligner::note_other_request(const Divergence& base) {
    Divergence d = base;
    d.kind = DivergenceKind::kRequest;
    const bool whole = base.transaction_a == kNone;
    const Exchange& a =
        whole ? static_cast<const Exchange&>(a_.recording.instructions[base.instruction_a])
              : a_.at(base.transaction_a);
    const Exchange& b =
        whole ? static_cast<const Exchange&>(b_.recording.instructions[base.instruction_b])
              : b_.at(base.transaction_b);
    const std::string& operation_a =
        a_.word(whole ? a_.recording.instructions[base.instruction_a].opcode
                      : a_.at(base.transaction_a).command);
    const std::string& operation_b =
        b_.word(whole ? b_.recording.instructions[base.instruction_b].opcode
                      : b_.at(base.transaction_b).command);
    d.order = a.order;
    if (operation_a != operation_b) {
        d.field = "operation";
        d.a = operation_a;
        d.b = operation_b;
    } else if (a.address != b.address) {
        d.field = "address";
        d.a = fmt::format("{:#x}", a.address);
        d.b = fmt::format("{:#x}", b.address);
    } else {
        d.field = "bytes";
        d.a = std::to_string(a.bytes);
        d.b = std::to_string(b.bytes);
    }
    note(std::move(d));
}

}  // namespace

std::string_view name_of(DivergenceKind kind) {
    static constexpr std::array<std::string_view, kDivergenceKinds> kNames = {
        "missing", "extra", "request", "value", "outcome", "order", "time"};
    return kNames[static_cast<std::size_t>(kind)];
}

Alignment align(const Recording& a, const Recording& b, const AlignRules& rules) {
    return Aligner(a, b, rules).run();
}

}  // namespace tessera
