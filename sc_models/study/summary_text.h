// The tables of a sweep as text.
#pragma once

#include <string>

#include "sc_models/study/summary.h"

namespace tessera {

/// Speedup and hit rate, layers down and variants across, with their means.
[[nodiscard]] std::string layer_tables(const Summary& summary);
/// Means and totals of every variant: time, hits by class, who served the loads.
[[nodiscard]] std::string variant_tables(const Summary& summary);
/// table.txt: title, both kinds of tables.
[[nodiscard]] std::string summary_tables(const Summary& summary);

/// What the tables mean by speedup.
[[nodiscard]] std::string speedup_heading(const Summary& summary);

/// Says how many runs are missing; empty if none is.
[[nodiscard]] std::string missing_note(const Summary& summary);

}  // namespace tessera
