// Matrix units without RTL: FEDP and outer product.
#pragma once

#include <algorithm>

#include "sc_models/config/sm_config.h"
#include "sc_models/tensor_core/matrix_unit.h"

namespace tessera {

/// Two Volta tensor cores (Duplo II-B), 2 x 16 four-element dot product units: 4096 products in 32
/// cycles as configured. FEDP numerics. A product consists of the 16 HMMA.884 that a warp would
/// issue for it: four sets of four steps; the steps of a set write different registers of D, and
/// every set adds to the result of the one before.
class FedpUnit : public MatrixUnit {
public:
    static constexpr std::uint32_t kSets = 4, kStepsOfSet = 4;
    /// Derives the timing from one HMMA; the latency is that to a dependent product.
    [[nodiscard]] static constexpr MatrixTiming product_timing(const OperationConfig& hmma) {
        const Cycle steps = Cycle{kStepsOfSet} * hmma.initiation_cycles;
        return {kSets * std::max<Cycle>(steps, hmma.latency_cycles), kSets * steps};
    }

    explicit FedpUnit(const OperationConfig& hmma) : timing_(product_timing(hmma)) {}
    [[nodiscard]] MatrixTiming timing() const override { return timing_; }
    MatrixTiming multiply(Cycle start, const HalfBits a[kMatrixElements],
                          const HalfBits b[kMatrixElements], const float c[kMatrixElements],
                          float d[kMatrixElements]) override;

private:
    MatrixTiming timing_;
};

/// Pair of outer-product tensor cores with its accumulation buffer in dense mode (dual-side sparse
/// tensor core, V-A): OWMMA, 16 sets of two OHMMA.8161, one per cycle.
class OuterProductUnit : public MatrixUnit {
public:
    /// Number of OHMMA.8161 in one OWMMA: 16 k, rows 0-7 and 8-15.
    static constexpr Cycle kOhmmas = 32;
    [[nodiscard]] static MatrixTiming pipeline_timing();

    [[nodiscard]] MatrixTiming timing() const override { return pipeline_timing(); }
    MatrixTiming multiply(Cycle start, const HalfBits a[kMatrixElements],
                          const HalfBits b[kMatrixElements], const float c[kMatrixElements],
                          float d[kMatrixElements]) override;
};

}  // namespace tessera
