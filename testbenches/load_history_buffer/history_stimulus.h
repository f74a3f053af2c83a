// Stimulus of the load history buffer's testbench: files and random values.
#pragma once

#include <array>
#include <vector>

#include "testbenches/harness/session.h"
#include "testbenches/load_history_buffer/history_driver.h"

namespace tessera::testbench {

/// Line of a stimulus file.
struct HistoryFileOperation {
    HistoryOperation operation;
    Cycle at = 0;
    bool inserts_on_miss = false;  ///< a load: a lookup, and an insertion if it misses
    const StimulusRow* row = nullptr;
};

/// Columns of stimulus files.
[[nodiscard]] std::vector<Column> history_columns();
/// Operations of a stimulus file. Throws ConfigError for a number outside its range.
[[nodiscard]] std::vector<HistoryFileOperation> history_operations(const Stimulus& stimulus,
                                                                   std::uint32_t registers);
/// Throws ConfigError that the register of `operation` is named by another entry.
[[noreturn]] void refuse_register(const Stimulus& stimulus, const HistoryFileOperation& operation,
                                  const HistoryValue& named);

/// Returns the organisation of the settings.
[[nodiscard]] HistoryOrganisation configured_history(const DuploConfig& config);
/// Returns the configured organisation; without other settings also associative, folded, retaining
/// and unlimited ones, and sets that are no power of two, as far as the implementation has them.
[[nodiscard]] std::vector<HistoryOrganisation> history_organisations(const Session& session,
                                                                     const HistoryDriver& driver);

/// Random values from a pool that fits the buffer, repeated often or different in one field.
class HistoryValues {
public:
    HistoryValues(Session& session, const HistoryOrganisation& organisation);
    [[nodiscard]] HistoryValue draw();

private:
    [[nodiscard]] HistoryValue near_miss();

    Session& session_;
    const HistoryOrganisation organisation_;
    const std::uint64_t pool_;
    std::array<HistoryValue, 8> recent_{};
};

}  // namespace tessera::testbench
