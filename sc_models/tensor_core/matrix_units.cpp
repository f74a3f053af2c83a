#include "sc_models/tensor_core/matrix_units.h"

#include "sc_models/tensor_core/accumulation_buffer.h"
#include "sc_models/tensor_core/fedp.h"
#include "sc_models/tensor_core/feop.h"
#include "sc_models/tensor_core/feop_array.h"

namespace tessera {

static_assert(kMatrixSize == kMmaSize && kMatrixSize == kOwmmaSize);

MatrixTiming FedpUnit::multiply(Cycle /*start*/, const HalfBits a[kMatrixElements],
                                const HalfBits b[kMatrixElements], const float c[kMatrixElements],
                                float d[kMatrixElements]) {
    mma_16x16x16(a, b, c, d);
    return timing_;
}

MatrixTiming OuterProductUnit::pipeline_timing() {
    // The last OHMMA enters kOhmmas - 1 cycles after the first, followed by array and adders.
    constexpr AccumulationBufferConfig kBuffer;
    return {kOhmmas - 1 + kFeopArrayLatency + kBuffer.adder_latency_cycles, kOhmmas};
}

MatrixTiming OuterProductUnit::multiply(Cycle /*start*/, const HalfBits a[kMatrixElements],
                                        const HalfBits b[kMatrixElements],
                                        const float c[kMatrixElements], float d[kMatrixElements]) {
    owmma_16x16x16(a, b, c, d);
    return pipeline_timing();
}

}  // namespace tessera
