// Configuration of the rates of tensor-core instructions by shape and type.
#pragma once

#include <array>
#include <cstdint>

#include "sc_models/config/engine/config_visitor.h"
#include "sc_models/config/engine/recorded_parameter.h"
#include "sc_models/isa/mma_shape.h"

namespace tessera {

/// Rate of one shape.
struct TensorRateConfig {
    static constexpr double kAsSteps = -1;
    /// Multiply-adds a cycle and SM. kAsSteps: the duration of as many HMMA.884 steps of
    /// sm.operations; 0: the machine lacks the instruction.
    RecordedParameter<double> products_per_cycle = kAsSteps;
    RecordedParameter<std::uint32_t> latency_cycles = 33;  ///< acts with a rate

    [[nodiscard]] bool is_number() const { return products_per_cycle.unrecorded() > 0; }
};

/// Rates of the tensor cores of an SM by MmaShape. A machine without any key takes HMMA.884
/// steps for FP16 and BF16 shapes, and has no other shape.
struct TensorRatesConfig {
    std::array<TensorRateConfig, kMmaShapes> shapes;

    TensorRatesConfig();
    [[nodiscard]] const TensorRateConfig& operator[](MmaShape shape) const {
        return shapes[static_cast<std::size_t>(shape)];
    }
    /// Returns the shapes that the machine has.
    [[nodiscard]] MmaShapeSet available() const;
    void bind(ConfigVisitor& v);
};

}  // namespace tessera
