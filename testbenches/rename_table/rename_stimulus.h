// Stimulus of a rename table: its organisations, and operations that its callers may send.
#pragma once

#include <optional>
#include <vector>

#include "testbenches/rename_table/rename_checker.h"

namespace tessera::testbench {

/// Descriptions of the columns of stimulus files.
[[nodiscard]] std::vector<Column> rename_columns();

/// Makes operations that are legal in the state of the naive table, for an implementation that may
/// lack some kinds.
class RenameStimulus {
public:
    /// Columns of stimulus files.
    enum : std::size_t { kCycle, kOperation, kArchitecturalUnit, kPhysicalUnit };

    RenameStimulus(Session& session, const RenameDriver& driver, const RenameChecker& checker)
        : session_(session), driver_(driver), checker_(checker) {}

    /// Returns the organisation of the settings.
    [[nodiscard]] RenameOrganisation configured() const;
    /// Returns the configured organisation; without other settings also smaller, larger and growing
    /// ones and one with another order of the free list, as far as the implementation has them.
    [[nodiscard]] std::vector<RenameOrganisation> organisations() const;
    /// Returns whether the implementation has all kinds, and not only map, share and end.
    [[nodiscard]] bool all_kinds() const {
        return driver_.supports(RenameOperation::Kind::kRetain);
    }
    /// Draws an operation; none if the drawn one is not legal.
    [[nodiscard]] std::optional<RenameOperation> draw() {
        return all_kinds() ? draw_any() : draw_ends();
    }
    /// Returns the operation of a row. Throws ConfigError for what a caller must not do.
    [[nodiscard]] RenameOperation operation_of(const Stimulus& stimulus,
                                               const StimulusRow& row) const;

private:
    std::optional<RenameOperation> draw_any();
    std::optional<RenameOperation> draw_ends();
    void check_row(const Stimulus& stimulus, const StimulusRow& row,
                   const RenameOperation& operation) const;
    [[nodiscard]] std::uint32_t below(std::size_t end) {
        return static_cast<std::uint32_t>(session_.below(end));
    }

    Session& session_;
    const RenameDriver& driver_;
    const RenameChecker& checker_;
};

}  // namespace tessera::testbench
