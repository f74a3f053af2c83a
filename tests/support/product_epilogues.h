// Random epilogues of products.
#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "sc_models/workload/product_epilogue.h"

namespace tessera::test {

/// One to four steps, with operands of all places, for a D with `rows` rows of `n` elements of the
/// format. None makes NaNs.
inline std::shared_ptr<const ProductEpilogue> random_epilogue(std::mt19937_64& random,
                                                              std::uint64_t rows, std::uint64_t n,
                                                              Float16 format = Float16::kFp16) {
    using Op = TensorOperator;
    constexpr Op kOps[] = {
        Op::kRelu,      Op::kLeakyRelu, Op::kClip,  Op::kSigmoid, Op::kHardSigmoid, Op::kTanh,
        Op::kHardSwish, Op::kSwish,     Op::kGelu,  Op::kErf,     Op::kIdentity,    Op::kAbs,
        Op::kNeg,       Op::kFloor,     Op::kPRelu, Op::kAdd,     Op::kAdd,         Op::kAdd,
        Op::kSub,       Op::kMul,       Op::kMin,   Op::kMax};
    std::vector<ProductEpilogue::Operand> operands;
    std::vector<ProductEpilogue::Step> steps;
    const auto number = [&random] { return static_cast<float>(random() % 4001) / 1000 - 2; };
    const std::uint64_t count = 1 + random() % 4;
    while (steps.size() < count) {
        ProductEpilogue::Step step;
        step.op = kOps[random() % std::size(kOps)];
        step.alpha = step.op == Op::kClip ? -1 : number();
        step.beta = 1 + number() / 4;
        if (is_binary(step.op)) {
            step.operand_first = random() % 2 == 0;
            step.operand = static_cast<std::int32_t>(operands.size());
            ProductEpilogue::Operand operand;
            operand.place = static_cast<ProductEpilogue::OperandExtent>(random() % 3);
            operand.scalar = number();
            if (operand.place != ProductEpilogue::OperandExtent::kScalar) {
                const bool by_columns = operand.place == ProductEpilogue::OperandExtent::kColumns;
                std::vector<HalfBits> values((by_columns ? 1 : rows) * n);
                for (HalfBits& value : values) value = to_bits(number(), format);
                operand.values = std::make_shared<const std::vector<HalfBits>>(std::move(values));
            }
            operands.push_back(std::move(operand));
        }
        steps.push_back(step);
    }
    return std::make_shared<const ProductEpilogue>(std::move(operands), std::move(steps),
                                                   random() % 2 == 0, format);
}

/// One step with an operand.
inline std::shared_ptr<const ProductEpilogue> one_step(TensorOperator op,
                                                       ProductEpilogue::OperandExtent place,
                                                       std::vector<HalfBits> values) {
    ProductEpilogue::Operand operand;
    operand.place = place;
    operand.values = std::make_shared<const std::vector<HalfBits>>(std::move(values));
    ProductEpilogue::Step step;
    step.op = op;
    step.operand = 0;
    return std::make_shared<const ProductEpilogue>(
        std::vector<ProductEpilogue::Operand>{std::move(operand)},
        std::vector<ProductEpilogue::Step>{step});
}

/// An epilogue for a product of a library.
inline void give_product_an_epilogue(std::mt19937_64& random, WorkloadConfig& config) {
    config.gemm.output = OutputType::kFp16;
    const bool rows = config.gemm.order == ResultOrder::kRows;
    config.epilogue = random_epilogue(random, rows ? config.gemm.m : config.gemm.n,
                                      rows ? config.gemm.n : config.gemm.m);
}

}  // namespace tessera::test
