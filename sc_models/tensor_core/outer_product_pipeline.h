// Cycle-accurate outer-product tensor cores: multiplier array and accumulation buffer.
#pragma once

#include <memory>

#include "sc_models/tensor_core/matrix_unit.h"
#include "sc_models/tensor_core/tensor_devices.h"

namespace tessera {

/// OWMMA in dense mode (dual-side sparse tensor core, V-A and V-B2): 16 k by rows 0-7 and 8-15, one
/// OHMMA.8161 per cycle; the first k takes C from the registers, the last one returns D to them.
/// Counts its own cycles: from the first offer of the first OHMMA to the cycle in which D is
/// complete.
class OuterProductPipeline : public MatrixUnit {
public:
    OuterProductPipeline(std::shared_ptr<FeopArrayDevice> array,
                         std::shared_ptr<AccumulationDevice> buffer)
        : array_(std::move(array)), buffer_(std::move(buffer)) {}

    [[nodiscard]] MatrixTiming timing() const override;
    /// Throws CheckError if dense OHMMAs stall, which must not happen.
    MatrixTiming multiply(Cycle start, const HalfBits a[kMatrixElements],
                          const HalfBits b[kMatrixElements], const float c[kMatrixElements],
                          float d[kMatrixElements]) override;
    [[nodiscard]] std::uint64_t rtl_cycles() const override {
        return array_->rtl_cycles() + buffer_->rtl_cycles();
    }

private:
    std::shared_ptr<FeopArrayDevice> array_;
    std::shared_ptr<AccumulationDevice> buffer_;
};

}  // namespace tessera
