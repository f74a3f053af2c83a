#include "sc_models/tensor_core/feop_array.h"

#include "sc_models/tensor_core/feop.h"

namespace tessera {
namespace {

void multiply(const FeopArrayInputs& operands, FeopArrayOutputs& results) {
    for (std::uint32_t row = 0; row < kOhmmaRows; ++row) {
        for (std::uint32_t column = 0; column < kOhmmaColumns; ++column) {
            results.product[row * kOhmmaColumns + column] =
                fp16_product(operands.a[row], operands.b[column]);
        }
    }
}

std::uint32_t bitmap(HalfBits low, HalfBits high) {
    return static_cast<std::uint32_t>(high) << 16U | low;
}

void multiply_bits(const FeopArrayInputs& operands, FeopArrayOutputs& results) {
    const std::uint32_t rows = bitmap(operands.a[0], operands.a[1]);
    const std::uint32_t columns = bitmap(operands.b[0], operands.b[1]);
    for (std::uint32_t row = 0; row < kBohmmaSize; ++row) {
        results.bits[row] = ((rows >> row) & 1U) != 0 ? columns : 0U;
    }
}

}  // namespace

FeopArrayOutputs FeopArray::step(const FeopArrayInputs& in) {
    const bool results_move = !results_valid_ || in.ready != 0;
    const bool operands_move = !operands_valid_ || results_move;
    FeopArrayOutputs out = results_;
    out.valid = results_valid_ ? 1 : 0;
    out.ready = operands_move ? 1 : 0;

    if (results_move) {
        results_valid_ = operands_valid_;
        if (operands_valid_) {
            results_.op = operands_.op;
            results_.meta = operands_.meta;
            if (operands_.op == FeopArrayOp::kOhmma) {
                multiply(operands_, results_);
            } else {
                multiply_bits(operands_, results_);
            }
        }
    }
    if (operands_move) {
        operands_valid_ = in.valid != 0 && in.predicate != 0;
        if (operands_valid_) operands_ = in;
    }
    return out;
}

}  // namespace tessera
