#include "testbenches/load_history_buffer/table2_example.h"

#include <fmt/format.h>

namespace tessera::testbench {
namespace {

constexpr Address kBase = 0x10000000;
constexpr std::uint32_t kChannels = 16;
constexpr std::uint64_t kNone = 0xff;  ///< in waveforms: no element, no register

/// Sentences of the paper on each load (Duplo IV-C).
constexpr std::array<const char*, 4> kQuotes = {
    "\"The instruction is mapped to the entry #2 of LHB and results in a compulsory miss.\"",
    "\"... bypasses the LHB ... since its memory address does not fall into the workspace "
    "region.\"",
    "\"Duplo simply renames the %r3 register as %p2 and skips the memory transaction.\"",
    "\"... the occupied entry has a different tag and thus results in a conflict miss.\""};

ConvolutionPacket packet() {
    LoweredGeometry geometry = duplo_figure6(kChannels);
    geometry.base = kBase;
    return ConvolutionPacket::make(geometry);
}

std::string number(const std::optional<std::uint32_t>& value) {
    return value ? std::to_string(*value) : "-";
}

}  // namespace

Table2Example::Table2Example(Session& session, Play play)
    : session_(session),
      play_(std::move(play)),
      index_(DuploTable2::kEntries, 1, false),
      wave_(session.observers().wave) {
    ids_.program(packet(), IdFormula::kCorrected);
    index_.program(organisation().shift, DuploTable2::kPhysical);
    table_.reset(DuploTable2::kArchitectural, DuploTable2::kPhysical, false);
    table_.set_free_order({DuploTable2::kFreeOrder.begin(), DuploTable2::kFreeOrder.end()});
    if (wave_ != nullptr) make_signals();
}

HistoryOrganisation Table2Example::organisation() {
    HistoryOrganisation organisation;
    organisation.entries = DuploTable2::kEntries;
    organisation.shift = duplo_figure6(kChannels).index_shift;
    organisation.registers = DuploTable2::kPhysical;
    return organisation;
}

void Table2Example::run() {
    session_.print(
        fmt::format("  Duplo, Table II (IV-C): four loads, a direct-mapped LHB of {} entries, the "
                    "convolution of "
                    "Figure 6\n",
                    DuploTable2::kEntries));
    record(0);
    for (std::size_t step = 0; step < DuploTable2::kLoads.size(); ++step) {
        const auto& index = DuploTable2::kLoads[step].array_index;
        // The second load reads the filters, which lie behind the workspace.
        const Address address =
            index ? kBase + Address{*index} * kFragmentRowBytes : ids_.packet().end();
        const Outcome outcome = load(step, address);
        check(step, outcome);
        print(step, address, outcome);
    }
    table_.check();
    // The waveform goes on behind the last change.
    sc_core::sc_start(session_.clock.span(kStepCycles));
}

Table2Example::Outcome Table2Example::load(std::size_t step, Address address) {
    const Cycle at = kStepCycles * (step + 1);
    const std::uint32_t architectural = DuploTable2::kLoads[step].architectural;
    std::array<DataId, kFragmentRows> ids;
    ids_.generate(address, kFragmentRowBytes, 1, ids.data());
    const DataId& id = ids.front();
    if (wave_ != nullptr) {
        wave_->set(address_, at, address);
        wave_->set(in_workspace_, at, id.valid() ? 1 : 0);
        wave_->set(element_, at, id.valid() ? id.element / kChannels : kNone);
    }
    Outcome outcome;
    if (id.valid()) {
        outcome = look_up(architectural, id, at);
    } else {
        outcome.physical = table_.map_new(architectural);
    }
    record(at + 2);
    return outcome;
}

/// Looks a value up; after a miss a register is allocated and inserted.
Table2Example::Outcome Table2Example::look_up(std::uint32_t architectural, const DataId& id,
                                              Cycle at) {
    Outcome outcome;
    outcome.element = static_cast<std::uint32_t>(id.element / kChannels);
    outcome.entry = index_.set_of(LhbKey::make(id, 0, 0));
    HistoryOperation operation;
    operation.value.element = id.element;
    operation.value.batch = id.batch;
    const HistoryResult hit = play_(operation, at);
    if (hit.found) {
        outcome.status = "Hit";
        outcome.operation = "Register reuse";
        outcome.physical = PhysRegId{hit.phys};
        table_.share(architectural, outcome.physical);
        return outcome;
    }
    outcome.status = "Miss";
    outcome.physical = table_.map_new(architectural);
    operation.kind = HistoryOperation::Kind::kInsert;
    operation.phys = outcome.physical.value();
    const bool replaces = play_(operation, at + 1).found;
    outcome.operation = replaces ? "Entry replacement" : "Entry allocation";
    entries_[*outcome.entry] = Entry{*outcome.element, operation.phys};
    return outcome;
}

void Table2Example::check(std::size_t step, const Outcome& outcome) {
    const DuploTable2Load& stated = DuploTable2::kLoads[step];
    Scoreboard& board = session_.scoreboard;
    const auto name = [step](const char* column) {
        return fmt::format("Table II, instruction {}, {}", step + 1, column);
    };
    board.expect(name("in the workspace"), stated.array_index ? 1 : 0, outcome.element ? 1 : 0);
    if (stated.array_index && outcome.element) {
        board.expect_count(name("element_ID"), stated.element_id, *outcome.element);
        board.expect_count(name("LHB entry #"), stated.entry, *outcome.entry);
    }
    board.expect(name("LHB status"), 1, outcome.status == stated.status ? 1 : 0);
    board.expect(name("LHB operations"), 1, outcome.operation == stated.operation ? 1 : 0);
    board.expect_count(name("register after renaming"), stated.physical, outcome.physical.value());
    board.expect_count(name("register of the rename table"), stated.physical,
                       table_.mapping(stated.architectural).value());
}

void Table2Example::print(std::size_t step, Address address, const Outcome& outcome) {
    const DuploTable2Load& stated = DuploTable2::kLoads[step];
    const bool workspace = stated.array_index.has_value();
    std::string text =
        fmt::format("\n  instruction {}: wmma.load.{} %r{}, [{:#x}]\n    {}\n", step + 1,
                    workspace ? "a" : "b", stated.architectural, address, kQuotes[step]);
    const auto line = [&text](const char* part, const std::string& got, const std::string& paper) {
        text += fmt::format("    {:<14} {:<42} paper: {}\n", part, got, paper);
    };
    line("ID generator",
         outcome.element
             ? fmt::format("array_idx {}, element_ID {}", *stated.array_index, *outcome.element)
             : "outside the workspace, no id",
         workspace ? fmt::format("{}, {}", *stated.array_index, stated.element_id) : "-, -");
    line("LHB",
         outcome.entry
             ? fmt::format("entry {}, {}, {}", *outcome.entry, outcome.status, outcome.operation)
             : "bypassed",
         fmt::format("{}, {}, {}", workspace ? number(stated.entry) : "-", stated.status,
                     stated.operation));
    line("renaming", fmt::format("%r{} -> %p{}", stated.architectural, outcome.physical.value()),
         fmt::format("%r{} -> %p{}", stated.architectural, stated.physical));
    text += fmt::format("    {:<14} {}\n", "L1",
                        outcome.status == "Hit" ? "no request" : "one request");
    std::string entries;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        entries += entries_[i] ? fmt::format("  [{}] id {} in %p{}", i, entries_[i]->element,
                                             entries_[i]->physical)
                               : fmt::format("  [{}] -", i);
    }
    text += fmt::format("    {:<13}{}\n", "LHB then", entries);
    std::string mappings;
    for (std::uint32_t r = 0; r < DuploTable2::kArchitectural; ++r) {
        const PhysRegId physical = table_.mapping(r);
        if (physical.valid()) mappings += fmt::format("  %r{} -> %p{}", r, physical.value());
    }
    text += fmt::format("    {:<13}{}  ({} registers free)\n", "table then", mappings,
                        table_.free_units());
    session_.print(text);
}

void Table2Example::make_signals() {
    address_ = wave_->add("id_generator", "address", 48);
    in_workspace_ = wave_->add("id_generator", "in_workspace", 1);
    element_ = wave_->add("id_generator", "element_id", 8);
    wave_->set(element_, 0, kNone);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const std::string scope = fmt::format("load_history_buffer.entry_{}", i);
        elements_[i] = wave_->add(scope, "element_id", 8);
        registers_[i] = wave_->add(scope, "physical", 8);
    }
    for (std::size_t r = 0; r < mappings_.size(); ++r) {
        mappings_[r] = wave_->add("rename_table", fmt::format("r{}", r), 8);
    }
}

/// Records the state of the buffer and of the rename table from a cycle on.
void Table2Example::record(Cycle at) {
    if (wave_ == nullptr) return;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        wave_->set(elements_[i], at, entries_[i] ? entries_[i]->element : kNone);
        wave_->set(registers_[i], at, entries_[i] ? entries_[i]->physical : kNone);
    }
    for (std::uint32_t r = 0; r < mappings_.size(); ++r) {
        const PhysRegId physical = table_.mapping(r);
        wave_->set(mappings_[r], at, physical.valid() ? physical.value() : kNone);
    }
}

}  // namespace tessera::testbench
