// Lowering of one node to layers. Only the files of this folder that lower products and
// convolutions include it; others call lower() of lowered_layer.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/lowering/layouts.h"
#include "sc_models/lowering/lowered_layer.h"
#include "sc_models/lowering/operator_lowering.h"
#include "sc_models/lowering/placed_tensor.h"
#include "sc_models/network/executor.h"
#include "sc_models/network/graph.h"
#include "sc_models/network/window.h"
#include "sc_models/workload/product_epilogue.h"

namespace tessera {

[[nodiscard]] inline std::uint32_t side_of(std::int64_t side) {
    return static_cast<std::uint32_t>(side);
}

/// Creates the layers of one node. Each object is used once, for one node.
class NodeLowering {
public:
    NodeLowering(const network::Graph& graph, const network::Node& node, const Layouts& layouts,
                 const network::TensorOf& tensor_of, EpilogueStyle style)
        : graph_(graph), node_(node), layouts_(layouts), tensor_of_(tensor_of), style_(style) {}

    [[nodiscard]] std::vector<LoweredLayer> run();

private:
    // node_lowering.cpp: non-GEMM operators, and the network's own result

    [[nodiscard]] network::OperatorCall call_of(const network::Node& node) const;
    [[nodiscard]] PlacedTensor placed(network::ValueId id) const;
    void lower_view();
    [[nodiscard]] std::vector<PlacedTensor> lower_plain(
        const network::Node& node,
        const std::optional<std::pair<std::size_t, PlacedTensor>>& chained);
    [[nodiscard]] OperationSink sink();
    std::vector<PlacedTensor> add_operation(const std::string& name,
                                            const TensorOperation& operation,
                                            const std::vector<PlacedTensor>& operands,
                                            const std::vector<MadeTensor>& results);
    void note(const PlacedTensor& made);
    [[nodiscard]] bool is_known(const network::Node& node) const;
    void compare(const std::vector<PlacedTensor>& results) const;

    // product_lowering.cpp

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

    [[nodiscard]] PlacedTensor lower_product();
    [[nodiscard]] PlacedTensor lower_gemm();
    [[nodiscard]] PlacedTensor lower_matmul();
    [[nodiscard]] network::Node with_fused(const Fused& fused) const;
    [[nodiscard]] std::optional<ProductEpilogue::Operand> operand_of(const PlacedTensor& tensor,
                                                                     const network::Shape& result,
                                                                     Columns columns);
    bool fuse_with(TensorOperator op, const PlacedTensor& tensor, const network::Shape& result,
                   Columns columns, bool operand_first, Fused& fused);
    void fuse_epilogue(const network::Shape& result, Columns columns, Fused& fused);
    [[nodiscard]] PlacedTensor add_product(LoweredLayer layer, const PlacedTensor& activations,
                                           const PlacedTensor& weights, bool channels_last,
                                           const Fused& fused);
    [[nodiscard]] PlacedTensor add_product_of(const network::Node& node, LoweredLayer layer,
                                              const PlacedTensor& activations,
                                              const PlacedTensor& weights, bool channels_last,
                                              const Fused& fused);
    [[nodiscard]] PlacedTensor scaled(const PlacedTensor& x, float factor);

    // convolution_lowering.cpp

    [[nodiscard]] PlacedTensor lower_convolution();
    [[nodiscard]] PlacedTensor lower_transposed_convolution();
    [[nodiscard]] network::Node transposed_by(const network::Window& window) const;
    [[nodiscard]] PlacedTensor add_convolution(LoweredLayer lowered, const PlacedTensor& x,
                                               const PlacedTensor& weights);
    [[nodiscard]] PlacedTensor with_bias(const PlacedTensor& x, PlacedTensor bias,
                                         std::size_t side);
    [[nodiscard]] PlacedTensor padded(const PlacedTensor& x, const network::Window& window);

    // volume_lowering.cpp

    /// The slices of volumes that a convolution reads.
    struct Slices {
        std::size_t sides = 0;  ///< spatial sides that form the slices; 0: no slices
        std::int64_t taps = 1;  ///< per slice of the result
        /// For each slice of the result and each tap, the slice it reads; the number of slices for
        /// a tap that reads none.
        std::vector<std::int64_t> read;
    };
    /// Extracts from `window` the slices of volumes. For images and volumes whose rows and columns
    /// are dilated differently, which no kernel supports, the slices are rows. The rest of the
    /// window describes images; `x` has its channels last, `weights` lie as in a file, and by rows
    /// both become volumes.
    [[nodiscard]] static Slices take_slices(network::Window& window, PlacedTensor& x,
                                            PlacedTensor& weights, bool transposed);
    /// Converts `x`, volumes with their channels last, to images with their channels last: one per
    /// slice of the result, whose channels are those of the slices that its taps read, tap by tap
    /// within each group.
    [[nodiscard]] PlacedTensor images_of_volumes(const PlacedTensor& x, const Slices& from,
                                                 std::int64_t groups);
    /// Filters for the images of images_of_volumes().
    [[nodiscard]] static PlacedTensor filters_of_volumes(const PlacedTensor& weights,
                                                         std::int64_t groups, bool transposed);

    const network::Graph& graph_;
    const network::Node& node_;
    const Layouts& layouts_;
    const network::TensorOf& tensor_of_;
    const EpilogueStyle style_;
    std::size_t fused_steps_ = 0;  ///< of the node's epilogue
    std::vector<LoweredLayer> layers_;
    float largest_ = 0;
};

}  // namespace tessera
