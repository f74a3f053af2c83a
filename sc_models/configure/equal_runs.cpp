#include "sc_models/configure/equal_runs.h"

#include <algorithm>
#include <string_view>

#include "sc_models/configure/config_text.h"
#include "sc_models/mechanisms/mechanisms.h"

namespace tessera {
namespace {

/// Whether a sparse workload runs the dense method, which loads and multiplies every element.
bool takes_every_element(const Config& config) {
    const WorkloadKind kind = config.workload.kind;
    const bool sparse =
        kind == WorkloadKind::kSparseGemm || kind == WorkloadKind::kSparseConvolution;
    return sparse && config.workload.sparse.method == ProductMethod::kDense && !config.values &&
           config.workload.given_layer == nullptr;
}

}  // namespace

Config acting_config(const Config& config, const std::vector<std::string>& user_keys) {
    const auto user_set = [&user_keys](std::string_view section) {
        return std::any_of(user_keys.begin(), user_keys.end(), [section](const std::string& key) {
            return key.compare(0, section.size(), section) == 0;
        });
    };
    Config acting = config;
    for (const Mechanism* mechanism : mechanisms()) mechanism->reset_idle_keys(acting, user_set);
    if (takes_every_element(config)) {
        if (!user_set("workload.sparse.")) {
            acting.workload.sparse.a = SparsityConfig{};
            acting.workload.sparse.b = SparsityConfig{};
            acting.workload.sparse.skip_unmet_tiles = false;
        }
        // The name of a product is its shape; that of a convolution is the layer's.
        if (config.workload.kind == WorkloadKind::kSparseGemm) acting.workload.layer.name = "";
        if (config.tensor_core.kind == TensorCoreKind::kFedp && !user_set("tensor_core.")) {
            acting.tensor_core = TensorCoreConfig{};
        }
    }
    return acting;
}

std::string acting_hash(const Config& config, const std::vector<std::string>& user_keys) {
    return config_hash(acting_config(config, user_keys));
}

}  // namespace tessera
