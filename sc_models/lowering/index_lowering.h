// Lowering of operators whose indices the host computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sc_models/lowering/operator_family.h"

namespace tessera {

/// Operators for which the host computes which elements there are, and kernels move them. A result
/// without elements is the host's: kernels move as many bytes, not these values.
class IndexLowering : public OperatorFamily {
public:
    using OperatorFamily::OperatorFamily;

    /// Reduces rows to their extremes; throws CheckError if the host's indices name others.
    [[nodiscard]] PlacedTensor arg_extreme() const;
    /// Reads all rows, then takes the elements.
    [[nodiscard]] PlacedTensor top() const;
    [[nodiscard]] PlacedTensor copied() const;
    [[nodiscard]] PlacedTensor one_hot() const;
    [[nodiscard]] PlacedTensor gather_nd() const;
    [[nodiscard]] PlacedTensor scatter_nd() const;
    [[nodiscard]] PlacedTensor scatter_elements() const;
    /// Resizes to the result's sides, with as many taps.
    [[nodiscard]] PlacedTensor grid_sample() const;
    [[nodiscard]] PlacedTensor wrapped() const;

private:
    /// Takes elements along an axis at known or unknown indices.
    [[nodiscard]] PlacedTensor picked(Op op, const PlacedTensor& x, std::size_t axis,
                                      const TensorShape& sizes,
                                      std::optional<std::vector<std::int64_t>> indices,
                                      const network::Shape& result) const;
    /// Computes the node's outputs on the host; empty if an input is unknown.
    [[nodiscard]] std::vector<network::Tensor> on_host() const;
    [[nodiscard]] PlacedTensor extremes(bool largest, std::size_t axis) const;
    /// Copies the data, then moves or combines as many rows as there are updates.
    [[nodiscard]] PlacedTensor scattered(std::optional<std::vector<std::int64_t>> places,
                                         std::int64_t rows, std::int64_t elements) const;
};

}  // namespace tessera
