// Positions of the elements of an operator's tensors, which its kernels iterate over.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sc_models/workload/operators/tensor_operation.h"
#include "sc_models/workload/operators/tensor_operators.h"
#include "sc_models/workload/tensor/tensor_layout.h"

namespace tessera {

inline constexpr std::int64_t kOutside = std::numeric_limits<std::int64_t>::min();

/// Offset in a tensor, in elements, along an axis of the index space.
struct TensorAxis {
    std::int64_t kept = 0, reduced = 0;  ///< per step of either index
    /// Offsets by kept index * reduced size + reduced index, if steps are not equal; kOutside if
    /// there is no element.
    std::vector<std::int64_t> table;

    [[nodiscard]] std::int64_t at(std::uint64_t k, std::uint64_t r,
                                  std::uint64_t reduced_size) const {
        if (!table.empty()) return table[k * reduced_size + r];
        return static_cast<std::int64_t>(k) * kept + static_cast<std::int64_t>(r) * reduced;
    }
};

/// A tensor over an index space: an element is at `start` plus the offset of each axis.
struct TensorView {
    std::uint32_t tensor = 0;  ///< index of the operand or result
    /// Bytes of an element that indexes other operands; 0: it has the plan's type.
    std::uint32_t index_bytes = 0;
    std::int64_t start = 0;
    std::vector<TensorAxis> axes;

    [[nodiscard]] bool has_outside() const;
};

/// An index space and the tensors over it. Each axis has a kept index, of the results, and a
/// reduced one, of the elements that a result is computed from; both are iterated row-major.
struct TensorPart {
    TensorShape kept, reduced;
    /// The passes iterate over the first operand. Operands beyond those of the formula are indices
    /// that lanes load first.
    std::vector<TensorView> operands;
    TensorView result;  ///< of elements (kept, reduced) if the formula maps, otherwise of kept ones
    /// For each axis, by kept index * reduced size + reduced index: factors of the elements before
    /// they are added up. Empty: no factor.
    std::vector<std::vector<float>> weights;
    /// For each axis, by kept index: number of elements of a mean; the product over all axes
    /// counts. Empty: all.
    std::vector<std::vector<float>> counts;
};

/// Distribution of a row among threads.
enum class TensorMapping {
    kElements,  ///< a thread computes its own results and iterates over the inputs of each
    kRows,      ///< the threads of a warp or CTA process a row together
    kColumns    ///< the same for elements that are not contiguous; CTAs may share a row, too
};

inline constexpr std::uint32_t kIndexBytes = 8;  ///< of INT64

/// Work of the kernels of an operator. Tensors are dense.
struct TensorPlan {
    TensorFormula formula;
    TensorType type = TensorType::kFp16;  ///< of all tensors, or the widest
    std::vector<TensorType> types{};      ///< as TensorOperation::types
    std::vector<TensorPart> parts;        ///< Concat: one per operand; Split: one per result
    TensorMapping mapping = TensorMapping::kElements;
    RowLayout row;        ///< for kRows
    ColumnLayout column;  ///< for kColumns

    [[nodiscard]] TensorType operand_type(std::size_t tensor) const {
        return types.empty() ? type : types.at(tensor);
    }
    [[nodiscard]] TensorType result_type() const { return types.empty() ? type : types.back(); }
};

/// Creates the plan of a checked operation. Axes that are adjacent in all tensors are merged.
[[nodiscard]] TensorPlan make_tensor_plan(const TensorOperation& operation,
                                          RmsKernel rms = RmsKernel::kLayerNorm);

/// Iterates over the offsets of a view along one of a part's indices while the other is fixed.
class TensorWalk {
public:
    /// `along_kept`: the kept index moves, from element `first` on, and the reduced one is `fixed`.
    TensorWalk(const TensorPart& part, const TensorView& view, bool along_kept, std::uint64_t first,
               std::uint64_t fixed);

    /// Offset in elements from the beginning of the tensor, or kOutside.
    [[nodiscard]] std::int64_t offset() const;
    void next();

private:
    const TensorPart& part_;
    const TensorView& view_;
    const bool along_kept_;
    TensorShape moving_, fixed_;  ///< indices, by axis
};

/// Writes the `n` offsets from `first` on to `out`.
void walk_offsets(const TensorPart& part, const TensorView& view, bool along_kept,
                  std::uint64_t first, std::uint64_t fixed, std::uint64_t n,
                  std::vector<std::int64_t>& out);
/// The product of a table's entries for each axis; 1 without a table.
[[nodiscard]] float weight_of(const TensorPart& part, std::uint64_t kept, std::uint64_t reduced);
[[nodiscard]] float count_of(const TensorPart& part, std::uint64_t kept);

}  // namespace tessera
