// Layer of a product of one node, with the operations that its kernel applies to the sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sc_models/lowering/node_layers.h"
#include "sc_models/workload/product_epilogue.h"

namespace tessera {

/// Product of one node, a matrix product or a convolution, with the steps of the node's epilogue
/// that its kernel takes over.
class ProductLayer {
public:
    /// Operations that a product's kernel applies to its sums.
    struct Fused {
        std::vector<ProductEpilogue::Operand> operands;
        std::vector<ProductEpilogue::Step> steps;
        std::uint64_t bytes = 0;              ///< of the operands
        bool factor = false, addend = false;  ///< alpha and C of a Gemm, bias of a convolution
    };
    enum class Columns {
        kChannels,  ///< of images
        kLast,      ///< the last side
        kUnknown    ///< of batches, whose products are adjacent
    };

    /// `layers` must outlive this object.
    ProductLayer(NodeLayers& layers, EpilogueStyle style)
        : layers_(layers), node_(layers.node()), style_(style) {}

    /// Returns whether kernels take steps of the epilogue over.
    [[nodiscard]] bool fuses() const { return style_ == EpilogueStyle::kFused; }
    /// Returns the number of leading steps of the epilogue that are fused.
    [[nodiscard]] std::size_t fused_steps() const { return fused_steps_; }
    /// Fuses an operation with another operand; returns false, without effect, if no kernel can.
    bool fuse_with(TensorOperator op, const PlacedTensor& tensor, const network::Shape& result,
                   Columns columns, bool operand_first, Fused& fused);
    /// Fuses the leading steps of the node's epilogue that kernels support.
    void fuse_epilogue(const network::Shape& result, Columns columns, Fused& fused);
    /// Adds a layer whose result is that of the node with what is fused.
    [[nodiscard]] PlacedTensor add(LoweredLayer layer, const PlacedTensor& activations,
                                   const PlacedTensor& weights, bool channels_last,
                                   const Fused& fused);
    /// Adds a layer whose result is that of `node`.
    [[nodiscard]] PlacedTensor add_of(const network::Node& node, LoweredLayer layer,
                                      const PlacedTensor& activations, const PlacedTensor& weights,
                                      bool channels_last, const Fused& fused);

private:
    [[nodiscard]] network::Node with_fused(const Fused& fused) const;
    [[nodiscard]] std::optional<ProductEpilogue::Operand> operand_of(const PlacedTensor& tensor,
                                                                     const network::Shape& result,
                                                                     Columns columns) const;

    NodeLayers& layers_;
    const network::Node& node_;
    const EpilogueStyle style_;
    std::size_t fused_steps_ = 0;  ///< of the node's epilogue
};

}  // namespace tessera
