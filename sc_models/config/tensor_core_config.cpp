#include "sc_models/config/tensor_core_config.h"

namespace tessera {

void TensorCoreConfig::bind(ConfigVisitor& v) {
    v.choice("kind", kind,
             {{"fedp", TensorCoreKind::kFedp}, {"outer_product", TensorCoreKind::kOuterProduct}},
             "fedp: Volta's four-element dot products, timed by sm.operations.hmma_f32; "
             "outer_product: four-element outer products and an "
             "accumulation buffer (dual-side sparse tensor core, V), timed by their pipeline.");
    v.section("spwmma", "Sparse products of the outer-product tensor cores (SpWMMA).",
              [&] { spwmma.bind(v); });
    v.section("accumulation_buffer",
              "Where an outer-product tensor core adds up a 32x32 tile (dual-side sparse tensor "
              "core, V-B2).",
              [&] { spwmma.bind_buffer(v); });
}

}  // namespace tessera
