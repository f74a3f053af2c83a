// Configuration of the tensor cores.
#pragma once

#include "sc_models/common/config_visitor.h"

namespace tessera {

enum class TensorCoreKind {
    kFedp,         ///< Volta's: four-element dot products
    kOuterProduct  ///< four-element outer products and an accumulation buffer
};

struct TensorCoreConfig {
    TensorCoreKind kind = TensorCoreKind::kFedp;

    void bind(ConfigVisitor& v);
};

}  // namespace tessera
