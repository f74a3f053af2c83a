// Description of the dual-side sparse tensor core for the list of mechanisms.
#pragma once

#include "sc_models/mechanism/mechanism.h"

namespace tessera {

/// Outer-product tensor cores with SpWMMAs (`mechanism: sparse` in files); its blocks are in
/// sc_models/tensor_core, its kernels in sc_models/workload/sparse.
[[nodiscard]] const Mechanism& dual_side_mechanism();

}  // namespace tessera
