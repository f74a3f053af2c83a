#include "sc_models/tensor_core/outer_product_pipeline.h"

#include <algorithm>
#include <cstring>

#include "sc_models/common/error.h"
#include "sc_models/tensor_core/matrix_units.h"

namespace tessera {
namespace {

constexpr std::uint32_t kHalves = kMatrixSize / kOhmmaRows;  ///< of the rows of D
constexpr std::uint32_t kOhmmas = kMatrixSize * kHalves;
constexpr Cycle kMaxCycles = 1000;

static_assert(kOhmmas == OuterProductUnit::kOhmmas);

/// Returns OHMMA number `index`: step k of one half of the rows.
FeopArrayInputs ohmma(std::uint32_t index, const HalfBits* a, const HalfBits* b) {
    FeopArrayInputs in;
    in.valid = 1;
    const std::uint32_t k = index / kHalves;
    const std::uint32_t first_row = index % kHalves * kOhmmaRows;
    for (std::uint32_t i = 0; i < kOhmmaRows; ++i) in.a[i] = a[(first_row + i) * kMatrixSize + k];
    for (std::uint32_t j = 0; j < kOhmmaColumns; ++j) in.b[j] = b[j * kMatrixSize + k];
    in.meta[0] = index;
    return in;
}

AccumulationBuffer::Inputs accumulation(const FeopArrayOutputs& products, const float* c) {
    AccumulationBuffer::Inputs in;
    const std::uint32_t index = products.meta[0];
    in.op_valid = 1;
    in.op_dense = 1;
    in.op_first = index < kHalves ? 1 : 0;
    in.op_last = index >= kOhmmas - kHalves ? 1 : 0;
    in.op_word = index % kHalves;
    in.op_product = products.product;
    if (in.op_first != 0) {
        std::memcpy(in.op_c.data(), c + in.op_word * kOhmmaProducts, sizeof in.op_c);
    }
    return in;
}

}  // namespace

MatrixTiming OuterProductPipeline::timing() const {
    return OuterProductUnit::pipeline_timing();
}

MatrixTiming OuterProductPipeline::multiply(Cycle start, const HalfBits a[kMatrixElements],
                                            const HalfBits b[kMatrixElements],
                                            const float c[kMatrixElements],
                                            float d[kMatrixElements]) {
    float accumulators[kMatrixElements];  // `d` may be `c`, so c is copied first
    std::copy_n(c, kMatrixElements, accumulators);
    array_->at(start);
    buffer_->at(start);
    std::uint32_t offered = 0;
    std::uint32_t results = 0;
    for (Cycle cycle = 0;; ++cycle) {
        if (cycle == kMaxCycles) throw CheckError("outer-product tensor core: no result");
        FeopArrayInputs operands;
        if (offered < kOhmmas) operands = ohmma(offered, a, b);
        operands.ready = 1;
        const FeopArrayOutputs products = array_->step(operands);
        if (operands.valid != 0 && products.ready != 0) ++offered;

        AccumulationBuffer::Inputs in;
        if (products.valid != 0) in = accumulation(products, accumulators);
        in.result_ready = 1;
        const AccumulationBuffer::Outputs out = buffer_->step(in);
        if (in.op_valid != 0 && out.op_ready == 0) {
            throw CheckError("accumulation buffer: a dense OHMMA was stalled");
        }
        if (out.result_valid == 0) continue;
        if (out.result_word >= kHalves) throw CheckError("accumulation buffer: result of no OHMMA");
        std::memcpy(d + out.result_word * kOhmmaProducts, out.result_data.data(),
                    sizeof out.result_data);
        if (++results == kHalves) return {cycle, kOhmmas};
    }
}

}  // namespace tessera
