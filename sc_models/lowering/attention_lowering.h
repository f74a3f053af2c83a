// Lowering of attention to one kernel.
#pragma once

#include "sc_models/lowering/node_layers.h"

namespace tessera {

/// Appends the layer of an Attention of which network::is_fused_attention() holds, and returns its
/// result.
[[nodiscard]] PlacedTensor lower_attention(NodeLayers& layers);

}  // namespace tessera
