// Tensors of a network with their layout in the machine's memory.
#pragma once

#include <vector>

#include "sc_models/lowering/layouts.h"
#include "sc_models/network/tensor.h"
#include "sc_models/workload/given_layer.h"
#include "sc_models/workload/operators/tensor_operation.h"

namespace tessera {

/// A tensor and its layout.
struct PlacedTensor {
    network::Shape shape;        ///< in the file's order
    bool channels_last = false;  ///< in memory
    bool constant = false;       ///< stored in the layout that its kernel needs
    /// In memory order; null: unknown. Integers of 8 bits are halves of their values; an FP32
    /// element, of which there are only scales of one side, has two entries (GivenLayer::operands).
    GivenLayer::Elements elements;
    TensorType type = TensorType::kFp16;

    /// Number that an entry stands for; not of FP32.
    [[nodiscard]] float value(std::size_t entry) const {
        return to_float(elements->at(entry), format_of(type));
    }
    [[nodiscard]] std::uint64_t bytes() const {
        return network::element_count(shape) * bytes_of(type);
    }
    /// Sides in memory order.
    [[nodiscard]] TensorShape sides() const;
    /// Position in memory order of a side of the file's order.
    [[nodiscard]] std::uint32_t side(std::size_t of_file) const;
    /// Reorders one entry per side from the file's order to memory order.
    template <class Type>
    [[nodiscard]] std::vector<Type> for_sides(const std::vector<Type>& of_file) const {
        if (!channels_last) return of_file;
        std::vector<Type> in_memory;
        for (const std::size_t from : channels_last_order(shape.size())) {
            in_memory.push_back(of_file[from]);
        }
        return in_memory;
    }
    /// Returns the same elements with channels last or not.
    [[nodiscard]] PlacedTensor with_channels_last(bool last) const;
    /// Prepends sides of 1 until there are `count` sides; elements stay in place.
    [[nodiscard]] PlacedTensor with_sides(std::size_t count) const;
    /// Fraction of zeros; negative: unknown, or of FP32.
    [[nodiscard]] double zeros() const;
};

/// Reorders the sides of a tensor with these sides: new side i is old side order[i]. Null stays
/// null.
[[nodiscard]] GivenLayer::Elements permuted(const GivenLayer::Elements& elements,
                                            const network::Shape& sides,
                                            const std::vector<std::size_t>& order);

/// Elements of a tensor in this format, or of integers of 8 bits as halves; null for null.
[[nodiscard]] GivenLayer::Elements elements_of(const network::Tensor* tensor,
                                               Float16 format = Float16::kFp16);
/// Elements of a tensor of FP32, two entries each; null for null.
[[nodiscard]] GivenLayer::Elements single_elements_of(const network::Tensor* tensor);

}  // namespace tessera
