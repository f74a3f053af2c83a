// Epilogue of a product: operations on its sums before they are written.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/isa/warp_instruction.h"
#include "sc_models/tensor_core/half.h"
#include "sc_models/workload/operators/tensor_operators.h"

namespace tessera {

/// Elementwise operators of a network on each sum of a product, in FP32, one after the other,
/// before it is rounded to a half and written: bias, activation, residual. Each has the arithmetic
/// and the cost of the operator's own kernel (formula_of()).
///
/// "Column" is an element's position in its row of D in memory: columns of a row-major D, channels
/// of NHWC tensors, and the rows (product.m = gemm.n, product.n = gemm.m) of a column-major D, as
/// in LibraryProduct.
class ProductEpilogue {
public:
    enum class OperandExtent {
        kColumns,   ///< one half per column: a bias
        kElements,  ///< one half per element, rows of D contiguous: a residual
        kScalar     ///< one number for all
    };
    struct Operand {
        OperandExtent place = OperandExtent::kScalar;
        float scalar = 0;
        /// kColumns: n; kElements: rows x n, dense. Null if values are off.
        std::shared_ptr<const std::vector<HalfBits>> values{};
    };
    struct Step {
        TensorOperator op = TensorOperator::kIdentity;
        float alpha = 0, beta = 0;   ///< parameters, as in a TensorOperation
        std::int32_t operand = -1;   ///< binary operators: index into operands()
        bool operand_first = false;  ///< operand - x instead of x - operand
    };
    /// Maximum number of operands in memory.
    static constexpr std::size_t kMostInMemory = 8;

    /// `halves_result`: for sparse products, whose D otherwise has floats. With steps D always has
    /// halves. `format` is that of the operands in memory. Throws std::logic_error for operators
    /// that are not elementwise, steps without their operand, and too many operands in memory.
    ProductEpilogue(std::vector<Operand> operands, std::vector<Step> steps,
                    bool halves_result = false, Float16 format = Float16::kFp16);

    [[nodiscard]] const std::vector<Operand>& operands() const { return operands_; }
    [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
    [[nodiscard]] Float16 format() const { return format_; }
    [[nodiscard]] bool empty() const { return steps_.empty(); }
    [[nodiscard]] bool halves_result() const { return halves_result_ || !empty(); }
    [[nodiscard]] std::uint32_t operands_at(OperandExtent place) const;

    /// The operand of a step, null for unary operators.
    [[nodiscard]] const Operand* operand_of(std::size_t step) const {
        return steps_[step].operand < 0
                   ? nullptr
                   : &operands_[static_cast<std::size_t>(steps_[step].operand)];
    }
    /// Applies step `step` to `x` with the other operand `operand`.
    [[nodiscard]] float apply_step(std::size_t step, float x, float operand) const;
    /// Instructions for 32 elements, including the conversion of an operand in memory.
    [[nodiscard]] OperatorCost cost_of(std::size_t step) const { return costs_[step]; }

    /// Upper bound of the factor by which all steps amplify an error of an element's sum; infinite
    /// if there is no such bound.
    [[nodiscard]] double growth(std::uint64_t row, std::uint64_t column, std::uint64_t n) const;

    /// Applies all steps to the sum of an element of D, whose rows have `n` elements; for the
    /// golden model. Beyond the last column (channels rounded up) operands in memory are zero.
    [[nodiscard]] float apply(float sum, std::uint64_t row, std::uint64_t column,
                              std::uint64_t n) const;

private:
    /// The other operand of a step; 0 for unary operators and beyond the last column.
    [[nodiscard]] float other_of(std::size_t step, std::uint64_t row, std::uint64_t column,
                                 std::uint64_t n) const;

    std::vector<Operand> operands_;
    std::vector<Step> steps_;
    std::vector<TensorFormula> formulas_;
    std::vector<OperatorCost> costs_;
    bool halves_result_;
    Float16 format_;
};

/// An epilogue with the addresses of its operands.
struct PlacedEpilogue {
    std::shared_ptr<const ProductEpilogue> epilogue{};  ///< null: none
    /// kColumns: `pitch` halves; kElements: the layout of D; 0 for scalars.
    std::vector<Address> operands{};
    std::uint64_t pitch = 0;  ///< elements between rows of D

    [[nodiscard]] bool empty() const { return epilogue == nullptr || epilogue->empty(); }
};

/// Writes the operands in memory for a D with `rows` rows of `n` elements. Throws std::logic_error
/// for operands of another size.
void write_operands(const PlacedEpilogue& placed, std::uint64_t rows, std::uint64_t n,
                    const std::function<void(Address, const void* data, std::size_t bytes)>& write);

/// Appends the instructions of step `step` on `elements` elements to `out`: first on the
/// special-function units, then on the FP32 lanes. `made` is an operation with the function and the
/// registers of both; the last of them writes `made.dst` and has the function.
void append_step(const ProductEpilogue& epilogue, std::size_t step, std::uint32_t elements,
                 const WarpInstruction& made, std::vector<WarpInstruction>& out);

}  // namespace tessera
