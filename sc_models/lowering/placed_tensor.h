// Tensors of a network as they lie in a machine's memory.
#pragma once

#include <vector>

#include "sc_models/lowering/layouts.h"
#include "sc_models/network/tensor.h"
#include "sc_models/workload/given_layer.h"
#include "sc_models/workload/tensor_operation.h"

namespace tessera {

/// A tensor of halves, and where its elements are.
struct PlacedTensor {
    network::Shape shape;           ///< in the file's order
    bool channels_last = false;     ///< in memory
    bool constant = false;          ///< lies as it is wanted
    GivenLayer::Elements elements;  ///< in memory's order; null: not known

    [[nodiscard]] std::uint64_t bytes() const {
        return network::element_count(shape) * sizeof(HalfBits);
    }
    /// Sides in memory's order.
    [[nodiscard]] TensorShape sides() const;
    /// Where a side of the file's order is in memory's.
    [[nodiscard]] std::uint32_t side(std::size_t of_file) const;
    /// What there is for each side, in memory's order.
    template <class Type>
    [[nodiscard]] std::vector<Type> for_sides(const std::vector<Type>& of_file) const {
        if (!channels_last) return of_file;
        std::vector<Type> in_memory;
        for (const std::size_t from : channels_last_order(shape.size())) {
            in_memory.push_back(of_file[from]);
        }
        return in_memory;
    }
    /// The same elements with channels last or not.
    [[nodiscard]] PlacedTensor with_channels_last(bool last) const;
    /// With sides of 1 in front, so many in all; elements stay where they are.
    [[nodiscard]] PlacedTensor with_sides(std::size_t count) const;
    /// Share of zeros; negative: not known.
    [[nodiscard]] double zeros() const;
};

/// Elements of a tensor with these sides, its sides put in another order: new side i is old side
/// order[i]. Null stays null.
[[nodiscard]] GivenLayer::Elements permuted(const GivenLayer::Elements& elements,
                                            const network::Shape& sides,
                                            const std::vector<std::size_t>& order);

/// Elements of a tensor of halves, or of integers as halves; of null, null.
[[nodiscard]] GivenLayer::Elements elements_of(const network::Tensor* tensor);

}  // namespace tessera
