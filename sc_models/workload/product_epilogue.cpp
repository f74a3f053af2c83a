#include "sc_models/workload/product_epilogue.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace tessera {
namespace {

using OperandExtent = ProductEpilogue::OperandExtent;

constexpr std::uint32_t kLanes = 32;

void check(const ProductEpilogue::Step& step, std::size_t operands) {
    const std::string name(name_of(step.op));
    if (!is_unary(step.op) && !is_binary(step.op)) {
        throw std::logic_error("ProductEpilogue: " + name + " is not elementwise");
    }
    const bool has_operand = step.operand >= 0 && static_cast<std::size_t>(step.operand) < operands;
    if (is_binary(step.op) ? !has_operand : step.operand >= 0) {
        throw std::logic_error("ProductEpilogue: " + name + " with operand " +
                               std::to_string(step.operand) + " of " + std::to_string(operands));
    }
}

/// Maximum slope of a step with this operand.
double steepest(const ProductEpilogue::Step& step, float operand) {
    constexpr double kHardSwish = 1.5;  // at 3
    constexpr double kSwish = 1.1;      // at 2.4
    constexpr double kGelu = 1.13;      // at sqrt(2)
    constexpr double kErf = 1.1284;     // 2 / sqrt(pi), at 0
    constexpr double kMish = 1.09;      // at 1.49
    const double magnitude = std::fabs(operand);
    switch (step.op) {
        case TensorOperator::kHardSwish:
            return kHardSwish;
        case TensorOperator::kSwish:
            return kSwish;
        case TensorOperator::kGelu:
            return kGelu;
        case TensorOperator::kErf:
            return kErf;
        case TensorOperator::kMish:
            return kMish;
        case TensorOperator::kLeakyRelu:
            return std::max(1.0, std::fabs(double{step.alpha}));
        case TensorOperator::kHardSigmoid:
            return std::fabs(double{step.alpha});
        case TensorOperator::kElu:
            return std::max(1.0, std::fabs(double{step.alpha}));
        case TensorOperator::kSelu:
            return std::fabs(double{step.beta}) * std::max(1.0, std::fabs(double{step.alpha}));
        case TensorOperator::kPRelu:
            return step.operand_first ? std::numeric_limits<double>::infinity()
                                      : std::max(1.0, magnitude);
        case TensorOperator::kMul:
            return magnitude;
        case TensorOperator::kDiv:
            return step.operand_first ? std::numeric_limits<double>::infinity() : 1 / magnitude;
        case TensorOperator::kIdentity:
        case TensorOperator::kRelu:
        case TensorOperator::kClip:
        case TensorOperator::kSigmoid:
        case TensorOperator::kTanh:
        case TensorOperator::kNeg:
        case TensorOperator::kAbs:
        case TensorOperator::kCelu:
        case TensorOperator::kSoftplus:
        case TensorOperator::kSoftsign:
        case TensorOperator::kSin:
        case TensorOperator::kCos:
        case TensorOperator::kAdd:
        case TensorOperator::kSub:
        case TensorOperator::kMin:
        case TensorOperator::kMax:
            return 1;
        default:
            return std::numeric_limits<double>::infinity();
    }
}

TensorFormula formula_of_step(const ProductEpilogue::Step& step) {
    TensorOperation operation;
    operation.op = step.op;
    operation.alpha = step.alpha;
    operation.beta = step.beta;
    return formula_of(operation);
}

}  // namespace

ProductEpilogue::ProductEpilogue(std::vector<Operand> operands, std::vector<Step> steps,
                                 bool halves_result, Float16 format)
    : operands_(std::move(operands)),
      steps_(std::move(steps)),
      halves_result_(halves_result),
      format_(format) {
    if (operands_at(OperandExtent::kColumns) + operands_at(OperandExtent::kElements) >
        kMostInMemory) {
        throw std::logic_error("ProductEpilogue: more than 8 operands in memory");
    }
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        check(steps_[i], operands_.size());
        formulas_.push_back(formula_of_step(steps_[i]));
        OperatorCost cost = formulas_.back().cost;
        const Operand* const operand = operand_of(i);
        if (operand != nullptr && operand->place != OperandExtent::kScalar) ++cost.fp32;
        costs_.push_back(cost);
    }
}

std::uint32_t ProductEpilogue::operands_at(OperandExtent place) const {
    return static_cast<std::uint32_t>(
        std::count_if(operands_.begin(), operands_.end(),
                      [place](const Operand& operand) { return operand.place == place; }));
}

double ProductEpilogue::growth(std::uint64_t row, std::uint64_t column, std::uint64_t n) const {
    double growth = 1;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const double slope = steepest(steps_[i], other_of(i, row, column, n));
        growth = slope == 0 ? 0 : growth == 0 ? growth : growth * slope;  // 0 times infinite is 0
    }
    return growth;
}

float ProductEpilogue::other_of(std::size_t step, std::uint64_t row, std::uint64_t column,
                                std::uint64_t n) const {
    const Operand* const operand = operand_of(step);
    if (operand == nullptr) return 0;
    if (operand->place == OperandExtent::kScalar) return operand->scalar;
    if (column >= n) return 0;
    const bool by_columns = operand->place == OperandExtent::kColumns;
    return to_float((*operand->values)[by_columns ? column : row * n + column], format_);
}

float ProductEpilogue::apply_step(std::size_t step, float x, float operand) const {
    const bool first = steps_[step].operand_first;
    const float both[] = {first ? operand : x, first ? x : operand};
    return formulas_[step].result(both, nullptr);
}

float ProductEpilogue::apply(float sum, std::uint64_t row, std::uint64_t column,
                             std::uint64_t n) const {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        sum = apply_step(i, sum, other_of(i, row, column, n));
    }
    return sum;
}

void write_operands(
    const PlacedEpilogue& placed, std::uint64_t rows, std::uint64_t n,
    const std::function<void(Address, const void* data, std::size_t bytes)>& write) {
    if (placed.empty()) return;
    const std::vector<ProductEpilogue::Operand>& operands = placed.epilogue->operands();
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (operands[i].place == OperandExtent::kScalar) continue;
        const std::uint64_t lines = operands[i].place == OperandExtent::kColumns ? 1 : rows;
        if (operands[i].values == nullptr || operands[i].values->size() != lines * n) {
            throw std::logic_error("ProductEpilogue: operand " + std::to_string(i) + " has not " +
                                   std::to_string(lines) + " x " + std::to_string(n) + " values");
        }
        for (std::uint64_t line = 0; line < lines; ++line) {
            write(placed.operands[i] + line * placed.pitch * sizeof(HalfBits),
                  operands[i].values->data() + line * n, n * sizeof(HalfBits));
        }
    }
}

void append_step(const ProductEpilogue& epilogue, std::size_t step, std::uint32_t elements,
                 const WarpInstruction& made, std::vector<WarpInstruction>& out) {
    const OperatorCost cost = epilogue.cost_of(step);
    const std::uint32_t times = ceil_div(elements, kLanes);
    if (cost.sfu > 0) {
        WarpInstruction& w = out.emplace_back(made);
        w.set_operation(Operation::kSpecialFunction);
        w.dst = kNoRegister;
        w.count = static_cast<std::uint16_t>(cost.sfu * times);
        w.set_function(nullptr, made.call().registers);
    }
    WarpInstruction& w = out.emplace_back(made);
    w.set_operation(cost.fp32 > 0 ? Operation::kFp32 : Operation::kMove);
    w.count = static_cast<std::uint16_t>(std::max(1U, cost.fp32 * times));
}

}  // namespace tessera
