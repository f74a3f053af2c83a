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

/// Hit classes: column of the summary and heading.
struct HitColumn {
    const char* column;
    const char* heading;
    const char* description;
};
inline constexpr HitColumn kHitColumnes[] = {
    {"hits_octet_copy_percent", "octet copy", "second octet copy of the same load"},
    {"hits_same_address_same_warp_percent", "addr, warp", "same address, same warp"},
    {"hits_same_address_other_warp_percent", "addr, other", "same address, other warp"},
    {"hits_lowering_same_warp_percent", "lower, warp", "lowering duplicate, same warp"},
    {"hits_lowering_other_warp_percent", "lower, other", "lowering duplicate, other warp"},
    {"hits_zero_percent", "zero", "known to be zero"},
};

/// What the tables mean by speedup.
[[nodiscard]] std::string speedup_heading(const Summary& summary);

/// Says how many runs are missing; empty if none is.
[[nodiscard]] std::string missing_note(const Summary& summary);

}  // namespace tessera
