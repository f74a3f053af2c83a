// Configuration of sampled runs, which simulate some CTAs of a kernel only.
#pragma once

#include <cstdint>

#include "sc_models/config/config_visitor.h"
#include "sc_models/config/knob.h"

namespace tessera {

/// Whether kernels of many waves are sampled, and how well (docs/sampling.md).
struct SampleConfig {
    Knob<bool> enabled = false;
    Knob<double> error_percent = 2.0;  ///< half of the 95 % interval, of a kernel's time
    Knob<std::uint32_t> warm_waves = 4;

    void bind(ConfigVisitor& v);
};

}  // namespace tessera
