// Where the elements of an operator's tensors lie: what its kernels walk over.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sc_models/workload/tensor_layout.h"
#include "sc_models/workload/tensor_operation.h"
#include "sc_models/workload/tensor_operators.h"

namespace tessera {

inline constexpr std::int64_t kOutside = std::numeric_limits<std::int64_t>::min();

/// How far an axis of the index space takes one through a tensor, in elements.
struct TensorAxis {
    std::int64_t kept = 0, reduced = 0;  ///< for each step of either index
    /// By kept index * reduced size + reduced index, where steps are not equal; kOutside where
    /// there is no element.
    std::vector<std::int64_t> table;

    [[nodiscard]] std::int64_t at(std::uint64_t k, std::uint64_t r,
                                  std::uint64_t reduced_size) const {
        if (!table.empty()) return table[k * reduced_size + r];
        return static_cast<std::int64_t>(k) * kept + static_cast<std::int64_t>(r) * reduced;
    }
};

/// A tensor over an index space: the element is at `start` and what each axis adds.
struct TensorView {
    std::uint32_t tensor = 0;  ///< which operand, or result
    /// Of an element that tells where those of other operands are; 0: it is one of the plan's type.
    std::uint32_t index_bytes = 0;
    std::int64_t start = 0;
    std::vector<TensorAxis> axes;

    [[nodiscard]] bool has_outside() const;
};

/// An index space, and what lies where in it. Each axis has a kept index, of the results, and a
/// reduced one, of what a result is made of; both are walked row-major.
struct TensorPart {
    TensorShape kept, reduced;
    /// The first is what passes go over. What is behind those of the formula are indices that
    /// lanes load first.
    std::vector<TensorView> operands;
    TensorView result;  ///< of elements (kept, reduced) where the formula maps, else of kept ones
    /// For each axis, by kept index * reduced size + reduced index: what elements are multiplied by
    /// before they are added up. Empty: by nothing.
    std::vector<std::vector<float>> weights;
    /// For each axis, by kept index: elements that a mean is over, all axes multiplied. Empty: all.
    std::vector<std::vector<float>> counts;
};

/// How threads share a row.
enum class TensorMapping {
    kElements,  ///< a thread has results of its own, and goes over what each is made of
    kRows,      ///< the threads of a warp, or of a CTA, go over a row together
    kColumns    ///< the same of what does not lie side by side; CTAs may share it, too
};

inline constexpr std::uint32_t kIndexBytes = 8;  ///< of INT64

/// What the kernels of an operator do. Tensors lie densely.
struct TensorPlan {
    TensorFormula formula;
    TensorType type = TensorType::kFp16;
    std::vector<TensorPart> parts;  ///< Concat: one for each operand; Split: for each result
    TensorMapping mapping = TensorMapping::kElements;
    RowLayout row;        ///< of kRows
    ColumnLayout column;  ///< of kColumns
};

/// Of a checked operation. Axes that lie side by side in all tensors are one.
[[nodiscard]] TensorPlan make_tensor_plan(const TensorOperation& operation);

/// Goes through the offsets of a view along one of a part's indices, the other staying.
class TensorWalk {
public:
    /// `along_kept`: the kept index moves, from element `first` on, and the reduced one is `fixed`.
    TensorWalk(const TensorPart& part, const TensorView& view, bool along_kept, std::uint64_t first,
               std::uint64_t fixed);

    /// In elements from the tensor's begin, or kOutside.
    [[nodiscard]] std::int64_t offset() const;
    void next();

private:
    const TensorPart& part_;
    const TensorView& view_;
    const bool along_kept_;
    TensorShape moving_, fixed_;  ///< indices, by axis
};

/// The `n` offsets from `first` on.
void walk_offsets(const TensorPart& part, const TensorView& view, bool along_kept,
                  std::uint64_t first, std::uint64_t fixed, std::uint64_t n,
                  std::vector<std::int64_t>& out);
/// The product of a table's entries for each axis; 1 without.
[[nodiscard]] float weight_of(const TensorPart& part, std::uint64_t kept, std::uint64_t reduced);
[[nodiscard]] float count_of(const TensorPart& part, std::uint64_t kept);

}  // namespace tessera
