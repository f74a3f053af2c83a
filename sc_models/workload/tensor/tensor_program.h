// Common base of the warp programs of all operators' kernels.
#pragma once

#include <deque>
#include <vector>

#include "sc_models/isa/kernel.h"
#include "sc_models/workload/tensor/tensor_access.h"

namespace tessera {

/// Addresses of an operator's tensors, multiples of an element.
struct TensorAddresses {
    std::vector<Address> operands, results;
    Address partials = 0;  ///< of partial_floats(), if any
};

/// Access of a warp to the tensors of a part.
struct TensorPartAccess {
    TensorPartAccess(const TensorPlan& plan, const TensorPart& of, const TensorAddresses& addresses,
                     const AccessGranularity& granularity, bool values);

    const TensorPart& part;
    std::vector<TensorAccess> operands;
    TensorAccess result;
    std::uint32_t index_instructions = 0;  ///< of all accesses, once per thread
};

/// A warp's instructions, generated batch by batch, and the functions of those on registers. The
/// program itself is the function of its instructions: a call's position is the fixed index, and
/// its variant encodes function and pass.
class TensorProgram : public WarpProgram, public RegisterFunction {
public:
    std::size_t fill(WarpInstruction* out, std::size_t capacity) override;

protected:
    TensorProgram(const TensorPlan& plan, const TensorPartAccess* access)
        : plan_(plan), access_(access) {}

    /// Appends a self-contained batch of instructions, which uses all data that it loads; the last
    /// batch ends with the exit.
    virtual void next_batch() = 0;
    /// `pass`: for functions that belong to a pass.
    virtual void apply(std::uint32_t function, std::uint32_t pass, const WarpInstruction& w,
                       std::byte* registers) const = 0;
    void apply(const WarpInstruction& instruction, std::byte* registers) const final;

    WarpInstruction& emit(Opcode opcode);
    void integer(std::uint32_t count);
    void exit();
    /// Registers of an operation: `count` registers read from src on, and the destination.
    struct Operands {
        std::uint8_t dst = 0, src = 0;
        std::uint32_t count = 1;
    };
    /// Emits `cost` for each 32 of `n` elements; a move if the cost is zero.
    void operate(OperatorCost cost, std::uint32_t n, Operands registers, std::uint32_t function,
                 std::uint32_t pass, std::uint64_t fixed);
    /// Adds the conversion of `tensors` elements from or to halves: one instruction each, as for
    /// the rounding of sums of products (FloatOperation::kRound). Where tensors have types of their
    /// own, each that is not FP32 has one.
    [[nodiscard]] OperatorCost with_conversions(OperatorCost cost, std::uint32_t tensors) const;
    [[nodiscard]] const TensorPart& part() const { return access_->part; }

    /// Element `i` of the chunk at register `reg`, in the type of operand `tensor`.
    [[nodiscard]] float element(const std::byte* registers, std::uint32_t reg, std::uint32_t i,
                                std::size_t tensor = 0) const;
    void set_element(std::byte* registers, std::uint32_t reg, std::uint32_t i, float value) const;

    const TensorPlan& plan_;
    const TensorPartAccess* const access_;  ///< null: the warp has no work
    std::vector<WarpInstruction> out_;
    std::deque<LaneAccess> lanes_;  ///< of the current batch

private:
    std::size_t next_ = 0;
    bool over_ = false;
};

}  // namespace tessera
