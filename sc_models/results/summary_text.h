// Text tables of a sweep.
#pragma once

#include <string>

#include "sc_models/results/summary.h"

namespace tessera {

/// Speedup and hit rate with layers as rows, variants as columns, and their means.
[[nodiscard]] std::string layer_tables(const Summary& summary);
/// Means and totals of every variant: time, hits by class, load sources.
[[nodiscard]] std::string variant_tables(const Summary& summary);
/// Content of table.txt: the title and both kinds of tables.
[[nodiscard]] std::string summary_tables(const Summary& summary);

/// Definition of speedup in these tables.
[[nodiscard]] std::string speedup_heading(const Summary& summary);

/// States the number of missing runs; empty if there is none.
[[nodiscard]] std::string missing_note(const Summary& summary);

}  // namespace tessera
