// Configuration of the tensor cores.
#pragma once

#include "sc_models/common/config_visitor.h"
#include "sc_models/common/knob.h"
#include "sc_models/tensor_core/spwmma_config.h"

namespace tessera {

enum class TensorCoreKind {
    kFedp,         ///< Volta's: four-element dot products
    kOuterProduct  ///< four-element outer products and an accumulation buffer
};

struct TensorCoreConfig {
    Knob<TensorCoreKind> kind = TensorCoreKind::kFedp;
    SpwmmaConfig spwmma;

    void bind(ConfigVisitor& v);
};

}  // namespace tessera
