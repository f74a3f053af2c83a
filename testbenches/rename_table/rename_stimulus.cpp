#include "testbenches/rename_table/rename_stimulus.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>

#include "testbenches/harness/organisations.h"

namespace tessera::testbench {
namespace {

using Kind = RenameOperation::Kind;

constexpr std::uint32_t kArchitectural = 24;  ///< units of the built-in stimulus and of files

/// Words of RenameOperation::Kind in files.
constexpr std::array<const char*, 7> kOperations = {"map",  "share", "detach", "retain",
                                                    "drop", "first", "end"};

}  // namespace

std::vector<Column> rename_columns() {
    return {
        {"cycle", Column::Kind::kNumber, "earliest cycle, not before that of the line above"},
        {"operation",
         Column::Kind::kChoice,
         "end is a detach and its drop, first puts a free unit in front; RTL has map, share, end;",
         {kOperations.begin(), kOperations.end()}},
        {"architectural",
         Column::Kind::kNumber,
         fmt::format("of map, share, detach and end, below {}", kArchitectural),
         {},
         true},
        {"physical", Column::Kind::kNumber, "of share, retain, drop and first", {}, true}};
}

RenameOrganisation RenameStimulus::configured() const {
    const DuploConfig& config = session_.config().duplo;
    const bool growing = config.lifetime == Lifetime::kForever;
    // Pools grow to 1024 units at first; the naive table only doubles.
    const std::uint32_t physical = growing ? 1024 : kArchitectural + config.spare_units;
    return {kArchitectural, physical, growing, {}};
}

std::vector<RenameOrganisation> RenameStimulus::organisations() const {
    return organisations_of<RenameDriver, RenameOrganisation>(
        session_, driver_, configured(),
        {RenameOrganisation{kArchitectural, 40, false, {}},
         RenameOrganisation{kArchitectural, 8, false, {3, 1, 4, 0, 5, 7, 2, 6}},
         RenameOrganisation{1200, 1024, true, {}}, RenameOrganisation{kArchitectural, 8, false, {}},
         RenameOrganisation{1200, 1024, false, {}}});
}

/// Draws an operation that tables with map, share and end take. A mapping needs a unit that is free
/// by then, a share one in use.
std::optional<RenameOperation> RenameStimulus::draw_ends() {
    const NaiveRename& naive = checker_.naive();
    const std::uint32_t architectural = below(checker_.organisation().architectural);
    const RenameOperation end{Kind::kEnd, architectural, 0};
    if (naive.is_mapped(architectural)) return end;
    const std::uint64_t dice = session_.below(16);
    if (dice == 0) return end;
    if (dice < 6 && !naive.mappings().empty()) {
        auto other = naive.mappings().lower_bound(below(checker_.organisation().architectural));
        if (other == naive.mappings().end()) other = naive.mappings().begin();
        return RenameOperation{Kind::kShare, architectural, other->second};
    }
    if (naive.free_units() == 0) return std::nullopt;
    return RenameOperation{Kind::kMap, architectural, 0};
}

std::optional<RenameOperation> RenameStimulus::draw_any() {
    const NaiveRename& naive = checker_.naive();
    const std::uint32_t architectural = below(checker_.organisation().architectural);
    const std::uint32_t physical = below(naive.physical_units());
    const std::uint64_t dice = session_.below(64);
    if (dice < 24 && !naive.held().empty()) {
        return RenameOperation{Kind::kDrop, 0, naive.held()[below(naive.held().size())]};
    }
    if (dice < 54 && !naive.is_mapped(architectural)) {
        const Kind kind = session_.below(3) == 0 ? Kind::kShare : Kind::kMap;
        return RenameOperation{kind, architectural, kind == Kind::kShare ? physical : 0};
    }
    if (dice < 57) return RenameOperation{Kind::kDetach, architectural, 0};
    if (dice < 58) return RenameOperation{Kind::kEnd, architectural, 0};
    const bool free = naive.references(physical) == 0;
    if (dice < 60 && !free) return RenameOperation{Kind::kRetain, 0, physical};
    if (dice < 63) return RenameOperation{Kind::kFirst, 0, physical};
    if (!free) return std::nullopt;
    return RenameOperation{Kind::kDrop, 0, physical};
}

RenameOperation RenameStimulus::operation_of(const Stimulus& stimulus,
                                             const StimulusRow& row) const {
    const RenameOperation operation{static_cast<Kind>(row[kOperation]),
                                    static_cast<std::uint32_t>(row[kArchitecturalUnit]),
                                    static_cast<std::uint32_t>(row[kPhysicalUnit])};
    check_row(stimulus, row, operation);
    return operation;
}

/// Refuses what a caller of the table must not do.
void RenameStimulus::check_row(const Stimulus& stimulus, const StimulusRow& row,
                               const RenameOperation& operation) const {
    const NaiveRename& naive = checker_.naive();
    stimulus.need_below(row, kArchitecturalUnit, kArchitectural);
    stimulus.need_below(row, kPhysicalUnit, naive.physical_units());
    const Kind kind = operation.kind;
    if (!driver_.supports(kind)) {
        stimulus.fail(row, kOperation,
                      fmt::format("got {}, which --impl {} lacks, expected one of "
                                  "{{map, share, end}}",
                                  kOperations.at(row[kOperation]), session_.implementation()));
    }
    if ((kind == Kind::kMap || kind == Kind::kShare) && naive.is_mapped(operation.architectural)) {
        stimulus.fail(row, kArchitecturalUnit,
                      fmt::format("got {}, which is mapped, expected a detach before",
                                  operation.architectural));
    }
    const auto& held = naive.held();
    const bool holds = std::find(held.begin(), held.end(), operation.physical) != held.end();
    if (kind == Kind::kDrop && !holds) {
        stimulus.fail(row, kPhysicalUnit,
                      fmt::format("got {}, to which no reference of a detach or retain is left",
                                  operation.physical));
    }
    if (!all_kinds() && kind == Kind::kShare && naive.references(operation.physical) == 0) {
        stimulus.fail(row, kPhysicalUnit,
                      fmt::format("got {}, which is free, expected one in use with --impl {}",
                                  operation.physical, session_.implementation()));
    }
    if (!all_kinds() && kind == Kind::kMap && naive.free_units() == 0) {
        stimulus.fail(row, kOperation,
                      fmt::format("got map while no unit is free, expected an end before it with "
                                  "--impl {}",
                                  session_.implementation()));
    }
    if (kind == Kind::kRetain && naive.references(operation.physical) == 0) {
        stimulus.fail(
            row, kPhysicalUnit,
            fmt::format("got {}, which is free, expected one in use", operation.physical));
    }
}

}  // namespace tessera::testbench
