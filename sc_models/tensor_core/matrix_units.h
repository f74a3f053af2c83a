// Matrix units without RTL: FEDP and outer product.
#pragma once

#include "sc_models/config/sm_config.h"
#include "sc_models/tensor_core/matrix_unit.h"

namespace tessera {

/// Two Volta tensor cores (Duplo II-B), 2 x 16 four-element dot product units: 4096 products in 32
/// cycles as configured. FEDP numerics, also where the machine has the rates of later tensor cores.
/// A product consists of the HMMAs that a warp would issue for it (SmConfig::product_timing): 16
/// HMMA.884 on Volta, four sets of four steps; the steps of a set write different registers of D,
/// and every set adds to the result of the one before.
class FedpUnit : public MatrixUnit {
public:
    /// Derives the timing from a warp's instructions (SmConfig::fragment_timing); the latency is
    /// that to a dependent product. Initiation 0: the machine has no rate for them.
    [[nodiscard]] static MatrixTiming product_timing(
        const SmConfig& sm, FragmentProduct product = FragmentProduct::kHalf) {
        const TensorTiming timing = sm.fragment_timing(product).value_or(TensorTiming{});
        return {timing.latency, timing.initiation / TensorTiming::kUnit};
    }

    /// `sm` must outlive this.
    explicit FedpUnit(const SmConfig& sm) : sm_(sm), timing_(product_timing(sm)) {}
    [[nodiscard]] MatrixTiming timing() const override { return timing_; }
    [[nodiscard]] MatrixTiming timing_of(FragmentProduct product) const override {
        return product_timing(sm_, product);
    }
    [[nodiscard]] MatrixTiming warpgroup_timing(MmaShape shape,
                                                std::uint32_t columns) const override {
        const TensorTiming product = sm_.warpgroup_timing(shape, columns).value_or(TensorTiming{});
        return {product.latency, ceil_div(product.initiation, TensorTiming::kUnit)};
    }
    MatrixTiming multiply(Cycle start, const HalfBits a[kMatrixElements],
                          const HalfBits b[kMatrixElements], const float c[kMatrixElements],
                          float d[kMatrixElements]) override;

private:
    const SmConfig& sm_;
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
