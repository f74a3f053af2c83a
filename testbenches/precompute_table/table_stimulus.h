// Stimulus of a precompute table: operations of a file, and random ones.
#pragma once

#include <vector>

#include "testbenches/precompute_table/description.h"

namespace tessera::testbench {

/// Makes operations that the implementation under test can take.
class TableStimulus {
public:
    explicit TableStimulus(Session& session) : session_(session) {}

    /// Returns the operation of a row. Throws ConfigError for a number outside its range.
    [[nodiscard]] TableOperation operation_of(const Stimulus& stimulus,
                                              const StimulusRow& row) const;
    /// Draws keys of a few vectors near each other, often those of recent predictions.
    [[nodiscard]] TableOperation draw();
    /// Returns the key with the largest numbers.
    [[nodiscard]] PrecomputeKey largest_key() const;

private:
    /// Returns whether the table is behind pins, which are narrower than the numbers of the model.
    [[nodiscard]] bool behind_pins() const { return session_.implementation() != "model"; }

    Session& session_;
    std::vector<PrecomputeKey> recent_;
};

}  // namespace tessera::testbench
