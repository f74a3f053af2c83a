#include "sc_models/workload/tensor/tensor_program.h"

#include <algorithm>

#include "sc_models/workload/register_values.h"

namespace tessera {
namespace {

constexpr std::uint32_t kPassShift = 8;

/// Maximum elements of a lane's access; the source of the row kernels has smaller accesses than
/// would fit.
std::uint32_t most_of_lane(const TensorPlan& plan) {
    if (plan.mapping == TensorMapping::kRows) return plan.row.vector;
    // Lanes take as many of narrow elements as of the widest.
    return plan.types.empty() ? kVectorBytes : chunk_elements(plan.type) / kWarpLanes;
}

std::vector<TensorAccess> operand_accesses(const TensorPlan& plan, const TensorPart& part,
                                           const TensorAddresses& addresses, bool along_kept,
                                           const AccessGranularity& granularity, bool values) {
    std::vector<TensorAccess> accesses;
    accesses.reserve(part.operands.size());
    for (const TensorView& view : part.operands) {
        const StoredTensor operand{view, plan.operand_type(view.tensor),
                                   addresses.operands[view.tensor]};
        accesses.emplace_back(part, operand, along_kept, granularity, values, most_of_lane(plan));
    }
    return accesses;
}

}  // namespace

TensorPartAccess::TensorPartAccess(const TensorPlan& plan, const TensorPart& of,
                                   const TensorAddresses& addresses,
                                   const AccessGranularity& granularity, bool values)
    : part(of),
      operands(operand_accesses(plan, of, addresses, plan.mapping != TensorMapping::kRows,
                                granularity, values)),
      result(of, {of.result, plan.result_type(), addresses.results[of.result.tensor]},
             plan.mapping != TensorMapping::kRows, granularity, values, most_of_lane(plan)) {
    for (const TensorAccess& access : operands) index_instructions += access.index_instructions();
    index_instructions += result.index_instructions();
}

std::size_t TensorProgram::fill(WarpInstruction* out, std::size_t capacity) {
    if (next_ == out_.size()) {
        if (over_) return 0;
        out_.clear();
        lanes_.clear();
        next_ = 0;
        if (access_ == nullptr) {
            exit();
        } else {
            while (out_.empty()) next_batch();
        }
    }
    const std::size_t count = std::min(capacity, out_.size() - next_);
    std::copy_n(out_.begin() + static_cast<std::ptrdiff_t>(next_), count, out);
    next_ += count;
    return count;
}

void TensorProgram::apply(const WarpInstruction& instruction, std::byte* registers) const {
    constexpr std::uint32_t kMask = (1U << kPassShift) - 1;
    const std::uint32_t variant = instruction.call().variant;
    apply(variant & kMask, variant >> kPassShift, instruction, registers);
}

WarpInstruction& TensorProgram::emit(Opcode opcode) {
    return out_.emplace_back(opcode);
}

void TensorProgram::integer(std::uint32_t count) {
    emit(Opcode::kAlu).count = static_cast<std::uint16_t>(count);
}

void TensorProgram::exit() {
    emit(Opcode::kExit);
    over_ = true;
}

void TensorProgram::operate(OperatorCost cost, std::uint32_t n, Operands registers,
                            std::uint32_t function, std::uint32_t pass, std::uint64_t fixed) {
    const std::uint32_t times = ceil_div(n, kWarpLanes);
    if (cost.sfu > 0) {
        WarpInstruction& w = emit(Opcode::kOperation);
        w.set_operation(Operation::kSpecialFunction);
        w.src_a = registers.src;
        w.count = static_cast<std::uint16_t>(cost.sfu * times);
        w.set_function(nullptr, registers.count);
    }
    WarpInstruction& w = emit(Opcode::kOperation);
    w.set_operation(cost.fp32 > 0 ? Operation::kFp32 : Operation::kMove);
    w.count = static_cast<std::uint16_t>(std::max(1U, cost.fp32 * times));
    w.src_a = registers.src;
    w.dst = registers.dst;
    FunctionCall& call = w.set_function(this, registers.count);
    call.position = fixed;
    call.variant = function | pass << kPassShift;
    call.elements = static_cast<std::uint16_t>(n);
}

OperatorCost TensorProgram::with_conversions(OperatorCost cost, std::uint32_t tensors) const {
    const auto is_fp32 = [](TensorType type) { return type == TensorType::kFp32; };
    if (!plan_.types.empty()) {
        cost.fp32 += static_cast<std::uint32_t>(
            plan_.types.size() - static_cast<std::size_t>(std::count_if(
                                     plan_.types.begin(), plan_.types.end(), is_fp32)));
    } else if (plan_.type != TensorType::kFp32) {
        cost.fp32 += tensors;
    }
    return cost;
}

float TensorProgram::element(const std::byte* registers, std::uint32_t reg, std::uint32_t i,
                             std::size_t tensor) const {
    switch (plan_.operand_type(tensor)) {
        case TensorType::kFp32:
            return single(registers, reg, i);
        case TensorType::kFp16:
        case TensorType::kBf16:
            return half_at(registers, reg, i, format_of(plan_.operand_type(tensor)));
        case TensorType::kInt8:
            return signed_byte_at(registers, reg, i);
        case TensorType::kUint8:
            return unsigned_byte_at(registers, reg, i);
    }
    return 0;
}

void TensorProgram::set_element(std::byte* registers, std::uint32_t reg, std::uint32_t i,
                                float value) const {
    switch (plan_.result_type()) {
        case TensorType::kFp32:
            return set_single(registers, reg, i, value);
        case TensorType::kFp16:
        case TensorType::kBf16:
            return set_half(registers, reg, i, value, format_of(plan_.result_type()));
        default:
            return set_byte(registers, reg, i, value);
    }
}

}  // namespace tessera
