// Configuration of sampled runs, which simulate only some CTAs of a kernel.
#pragma once

#include <cstdint>

#include "sc_models/config/engine/config_visitor.h"

namespace tessera {

/// Sampling of kernels with many waves, and its precision (docs/sampling.md).
struct SampleConfig {
    bool enabled = false;
    double error_percent = 2.0;  ///< half of the 95 % interval of a kernel's time
    std::uint32_t warm_waves = 4;

    void bind(ConfigVisitor& v);
};

}  // namespace tessera
