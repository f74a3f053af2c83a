// How the real numbers of a network lie in memory, and which of its weights are zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/network/graph.h"

namespace tessera::network {

/// Makes every FLOAT of the graph a FLOAT16, as tensor cores take them: constants are rounded to
/// the nearest half, those beyond the largest one to that (masks of -3.4e38 stay finite). What only
/// says a shape (scales of Resize) stays as it is. Takes recurrent operators apart first.
void store_as_halves(Graph& graph);

/// Which weights become zero: those of least magnitude.
struct Pruning {
    double fraction = 0;             ///< of each tensor, 0 to 1; not used with `of`
    std::uint32_t kept = 0, of = 0;  ///< of so many inputs in a row so many stay; 0: no such rule
};
/// "0.8" or "2:4"; nothing for "none". Throws ConfigError that names `key`.
[[nodiscard]] std::optional<Pruning> pruning_of(const std::string& text, const std::string& key);

/// Prunes the constant weights of convolutions and products. Of N:M the inputs in a row are those
/// of one output: channels under a tap, rows of a MatMul's right matrix. Of equal magnitudes the
/// later ones go. Returns the tensors that were pruned. Call before fuse().
std::vector<ValueId> prune(Graph& graph, const Pruning& pruning);

}  // namespace tessera::network
