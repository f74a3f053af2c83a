// What the warps of all operators' kernels have in common.
#pragma once

#include <deque>
#include <vector>

#include "sc_models/isa/kernel.h"
#include "sc_models/workload/tensor_access.h"

namespace tessera {

/// Where the tensors of an operator begin, multiples of an element.
struct TensorAddresses {
    std::vector<Address> operands, results;
    Address partials = 0;  ///< of partial_floats(), where there are any
};

/// How a warp gets at the tensors of a part.
struct TensorPartAccess {
    TensorPartAccess(const TensorPlan& plan, const TensorPart& of, const TensorAddresses& addresses,
                     const AccessGranularity& granularity, bool values);

    const TensorPart& part;
    std::vector<TensorAccess> operands;
    TensorAccess result;
    std::uint32_t index_instructions = 0;  ///< of all of them, once for a thread
};

/// A warp's instructions, made batch by batch, and what those on registers do. An instruction's
/// function is the program itself: its address is the index that stays, rows the elements, and
/// row_pitch_bytes which of the program's functions and which pass.
class TensorProgram : public WarpProgram, public RegisterFunction {
public:
    std::size_t fill(WarpInstruction* out, std::size_t capacity) override;

protected:
    TensorProgram(const TensorPlan& plan, const TensorPartAccess* access)
        : plan_(plan), access_(access) {}

    /// Appends instructions that use what they load themselves, to the exit.
    virtual void next_batch() = 0;
    /// `pass`: of those functions that belong to one.
    virtual void apply(std::uint32_t function, std::uint32_t pass, const WarpInstruction& w,
                       std::byte* registers) const = 0;
    void apply(const WarpInstruction& instruction, std::byte* registers) const final;

    WarpInstruction& emit(Opcode opcode);
    void integer(std::uint32_t count);
    void exit();
    /// What an operation on registers reads, `count` registers from src on, and makes.
    struct Operands {
        std::uint8_t dst = 0, src = 0;
        std::uint32_t count = 1;
    };
    /// `cost` for each 32 of `n` elements; a move, if it is nothing.
    void operate(OperatorCost cost, std::uint32_t n, Operands registers, std::uint32_t function,
                 std::uint32_t pass, std::uint64_t fixed);
    /// Converting `tensors` elements from halves, or to them: an instruction each, as sums of
    /// products are rounded (FloatOperation::kRound).
    [[nodiscard]] OperatorCost with_conversions(OperatorCost cost, std::uint32_t tensors) const;
    [[nodiscard]] const TensorPart& part() const { return access_->part; }

    /// Element `i` of the chunk at register `reg`, in the type of the tensors.
    [[nodiscard]] float element(const std::byte* registers, std::uint32_t reg,
                                std::uint32_t i) const;
    void set_element(std::byte* registers, std::uint32_t reg, std::uint32_t i, float value) const;

    const TensorPlan& plan_;
    const TensorPartAccess* const access_;  ///< null: the warp has nothing to do
    std::vector<WarpInstruction> out_;
    std::deque<LaneAccess> lanes_;  ///< of this batch

private:
    std::size_t next_ = 0;
    bool over_ = false;
};

}  // namespace tessera
