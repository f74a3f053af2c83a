// Configuration of the tensor cores.
#pragma once

#include "sc_models/config/engine/config_visitor.h"
#include "sc_models/config/spwmma_config.h"

namespace tessera {

enum class TensorCoreKind {
    kFedp,         ///< Volta: four-element dot products
    kOuterProduct  ///< four-element outer products and an accumulation buffer
};

/// The tensor cores of a sub-core.
struct TensorCoreConfig {
    TensorCoreKind kind = TensorCoreKind::kFedp;
    SpwmmaConfig spwmma;

    void bind(ConfigVisitor& v);
};

}  // namespace tessera
