// Results of an operator, bit for bit and according to its definition.
#pragma once

#include <map>
#include <vector>

#include "sc_models/workload/tensor/tensor_plan.h"

namespace tessera {

/// Elements of tensors, one after the other; halves are exact.
using TensorValues = std::vector<std::vector<float>>;

/// Computes the results of a plan's kernels, in their order of summation, rounded to the type
/// of the result. `results` gives the shapes.
[[nodiscard]] TensorValues tensor_golden(const TensorPlan& plan, const TensorValues& operands,
                                         const std::vector<TensorShape>& results);

/// An element according to ONNX's definition in double precision, and the magnitude of the numbers
/// whose rounding may affect it.
struct TensorReference {
    double value = 0, magnitude = 0;
};
/// Results of a checked operation from its description alone, independent of plan, formula and
/// order.
class TensorDefinition {
public:
    /// Both arguments must outlive this.
    TensorDefinition(const TensorOperation& operation, const TensorValues& operands)
        : o_(operation), values_(operands), shapes_(result_shapes(operation)) {}

    /// Computes element `index` of result `result`.
    [[nodiscard]] TensorReference element(std::size_t result, std::uint64_t index) const;

private:
    using ElementIndex = std::vector<std::int64_t>;
    /// Statistics of the elements that a result is computed from.
    struct Row {
        double n = 0, sum = 0, product = 1, magnitude = 0, squares = 0;
        double most = 0, least = 0;
        double exponentials = 0;  ///< of differences from the largest
        double deviations = 0;    ///< squares of differences from the mean
    };

    static TensorReference exact(double x) { return {x, 0}; }
    [[nodiscard]] std::int64_t size(std::size_t operand, std::size_t d) const;
    [[nodiscard]] double get(std::size_t operand, const ElementIndex& at) const;
    [[nodiscard]] double broadcast(std::size_t operand, const ElementIndex& at) const;
    template <class Use>
    void each(ElementIndex& at, std::size_t depth, const std::vector<std::uint32_t>& axes,
              const Use& use) const;
    [[nodiscard]] const Row& row(ElementIndex at) const;
    [[nodiscard]] TensorReference unary(double x) const;
    [[nodiscard]] TensorReference binary(double x, double y) const;
    [[nodiscard]] TensorReference several(const ElementIndex& at) const;
    [[nodiscard]] TensorReference sum_of_bytes(double x, double y) const;
    [[nodiscard]] TensorReference quantization(const ElementIndex& at) const;
    [[nodiscard]] TensorReference recurrent(const ElementIndex& at) const;
    [[nodiscard]] TensorReference lrn(const ElementIndex& at) const;
    [[nodiscard]] TensorReference batch_normalization(const ElementIndex& at) const;
    [[nodiscard]] TensorReference reduction(const ElementIndex& at) const;
    [[nodiscard]] TensorReference pool(const ElementIndex& at) const;
    [[nodiscard]] TensorReference pad(ElementIndex at) const;
    [[nodiscard]] double input_place(std::size_t d, double k) const;
    struct ResizeTap {
        std::int64_t at = 0;
        double weight = 1;
    };
    [[nodiscard]] std::vector<ResizeTap> resize_taps(std::size_t d, double place) const;
    [[nodiscard]] TensorReference resize(const ElementIndex& at) const;
    [[nodiscard]] TensorReference softmax(const ElementIndex& at) const;
    [[nodiscard]] TensorReference normalization(const ElementIndex& at) const;
    [[nodiscard]] TensorReference copy(std::size_t result, ElementIndex at) const;

    const TensorOperation& o_;
    const TensorValues& values_;
    std::vector<TensorShape> shapes_;
    mutable std::map<ElementIndex, Row> rows_;  ///< by place, without the reduced axes
};

/// Bound on the deviation of an element from `reference` due to FP32 arithmetic and the rounding to
/// the type.
[[nodiscard]] double tensor_bound(const TensorOperation& operation,
                                  const TensorReference& reference);

}  // namespace tessera
