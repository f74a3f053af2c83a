// What the sums of a product go through before they are written.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/isa/warp_instruction.h"
#include "sc_models/tensor_core/half.h"
#include "sc_models/workload/tensor_operators.h"

namespace tessera {

/// Elementwise operators of a network on each sum of a product, in FP32, one after the other,
/// before it is rounded to a half and written: bias, activation, residual. Each has the arithmetic
/// and the cost of the operator's own kernel (formula_of()).
///
/// "Column" is an element's place in its row of D as D lies in memory. So columns are those of D
/// where it lies by rows, channels of NHWC tensors, and the rows of D (product.m = gemm.n,
/// product.n = gemm.m) where it lies by columns, as in LibraryProduct.
class ProductEpilogue {
public:
    enum class Place {
        kColumns,   ///< a half for each column: a bias
        kElements,  ///< a half for each element, rows of D one behind the other: a residual
        kScalar     ///< one number for all
    };
    struct Operand {
        Place place = Place::kScalar;
        float scalar = 0;
        /// kColumns: n; kElements: rows x n, densely. Null where values are off.
        std::shared_ptr<const std::vector<HalfBits>> values{};
    };
    struct Step {
        TensorOperator op = TensorOperator::kIdentity;
        float alpha = 0, beta = 0;   ///< as those of a TensorOperation
        std::int32_t operand = -1;   ///< of binary operators, which of operands()
        bool operand_first = false;  ///< operand - x, and not x - operand
    };
    /// At most so many operands lie in memory.
    static constexpr std::size_t kMostInMemory = 8;

    /// `halves_result`: of sparse products, whose D has floats else. With steps D always has
    /// halves. Throws std::logic_error on operators that are not elementwise, on steps without
    /// their operand, and on too many operands in memory.
    ProductEpilogue(std::vector<Operand> operands, std::vector<Step> steps,
                    bool halves_result = false);

    [[nodiscard]] const std::vector<Operand>& operands() const { return operands_; }
    [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
    [[nodiscard]] bool empty() const { return steps_.empty(); }
    [[nodiscard]] bool halves_result() const { return halves_result_ || !empty(); }
    [[nodiscard]] std::uint32_t operands_at(Place place) const;

    /// The operand of a step, null of unary operators.
    [[nodiscard]] const Operand* operand_of(std::size_t step) const {
        return steps_[step].operand < 0
                   ? nullptr
                   : &operands_[static_cast<std::size_t>(steps_[step].operand)];
    }
    /// Step `step` on `x`, `operand` being its other one.
    [[nodiscard]] float apply_step(std::size_t step, float x, float operand) const;
    /// Instructions for 32 elements, the conversion of an operand in memory among them.
    [[nodiscard]] OperatorCost cost_of(std::size_t step) const { return costs_[step]; }

    /// By how much an error of the sum of an element may have grown behind all steps, at most;
    /// infinite where there is no such bound.
    [[nodiscard]] double growth(std::uint64_t row, std::uint64_t column, std::uint64_t n) const;

    /// All steps on the sum of an element of D, whose rows have `n` elements; for the golden model.
    /// Behind the last column (of channels that are rounded up) operands in memory are zero.
    [[nodiscard]] float apply(float sum, std::uint64_t row, std::uint64_t column,
                              std::uint64_t n) const;

private:
    /// The other operand of a step; 0 of unary operators, and behind the last column.
    [[nodiscard]] float other_of(std::size_t step, std::uint64_t row, std::uint64_t column,
                                 std::uint64_t n) const;

    std::vector<Operand> operands_;
    std::vector<Step> steps_;
    std::vector<TensorFormula> formulas_;
    std::vector<OperatorCost> costs_;
    bool halves_result_;
};

/// An epilogue, and where its operands lie.
struct PlacedEpilogue {
    std::shared_ptr<const ProductEpilogue> epilogue{};  ///< null: none
    /// kColumns: `pitch` halves; kElements: as D, each element where D's is; 0 of scalars.
    std::vector<Address> operands{};
    std::uint64_t pitch = 0;  ///< elements from one row of D to the next

    [[nodiscard]] bool empty() const { return epilogue == nullptr || epilogue->empty(); }
};

/// Writes the operands in memory, of a D with `rows` rows of `n` elements. Throws std::logic_error
/// on operands of another size.
void write_operands(const PlacedEpilogue& placed, std::uint64_t rows, std::uint64_t n,
                    const std::function<void(Address, const void* data, std::size_t bytes)>& write);

/// Appends the instructions that do step `step` on `elements` elements to `out`: on the
/// special-function units, then on the FP32 lanes. The last of them makes `made.dst`; both read
/// `made.src_a`, as many registers as `sources`, and the others that it names.
void append_step(const ProductEpilogue& epilogue, std::size_t step, std::uint32_t elements,
                 const WarpInstruction& made, const RegisterFunction* function,
                 std::uint16_t sources, std::vector<WarpInstruction>& out);

}  // namespace tessera
