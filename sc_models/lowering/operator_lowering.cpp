#include "sc_models/lowering/operator_lowering.h"

#include <optional>
#include <utility>

#include "sc_models/lowering/elementwise_lowering.h"
#include "sc_models/lowering/index_lowering.h"
#include "sc_models/lowering/movement_lowering.h"
#include "sc_models/lowering/row_lowering.h"
#include "sc_models/network/operator_details.h"
#include "sc_models/network/window.h"
#include "sc_models/workload/operators/tensor_operators.h"

namespace tessera {

using network::OperatorCall;
using Op = TensorOperator;

std::pair<float, float> attributes_of(TensorOperator op, const OperatorCall& call) {
    const network::Attributes& attributes = call.attributes();
    switch (op) {
        case Op::kLeakyRelu:
            return {attributes.real("alpha", 0.01F), 0.0F};
        case Op::kHardSigmoid:
            return {attributes.real("alpha", 0.2F), attributes.real("beta", 0.5F)};
        case Op::kElu:
        case Op::kCelu:
        case Op::kThresholdedRelu:
            return {attributes.real("alpha", 1), 0.0F};
        case Op::kSelu:
            return {attributes.real("alpha", 1.67326319217681884765625F),
                    attributes.real("gamma", 1.05070102214813232421875F)};
        case Op::kGelu:
            return {network::is_gelu_by_tanh(call) ? 1.0F : 0.0F, 0.0F};
        case Op::kClip:
            for (const std::size_t bound : {1U, 2U}) {
                if (call.has(bound)) (void)call.tensor(bound);
            }
            return network::clip_bounds(call);
        default:
            return {0.0F, 0.0F};
    }
}

PlacedTensor in_layout(const PlacedTensor& tensor, bool channels_last, const OperationSink& sink) {
    PlacedTensor other = tensor.with_channels_last(channels_last);
    const bool moves = tensor.channels_last != channels_last && has_two_layouts(tensor.shape);
    if (!moves || tensor.constant) return other;
    TensorOperation operation;
    operation.op = Op::kTranspose;
    operation.operands = {tensor.sides()};
    if (bytes_of(tensor.type) == 1) {
        operation.type = TensorType::kFp32;
        operation.types = {tensor.type, tensor.type};
    }
    // Maps each side of the other order to a side in memory.
    const std::vector<std::size_t> order = channels_last_order(tensor.shape.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        operation.order.push_back(channels_last ? static_cast<std::uint32_t>(order[i])
                                                : tensor.side(i));
    }
    return sink(channels_last ? "to NHWC" : "to NCHW", operation, {tensor},
                {{tensor.shape, channels_last}})
        .at(0);
}

std::vector<PlacedTensor> lower_operator(const OperatorCall& call,
                                         const std::vector<PlacedTensor>& inputs,
                                         bool channels_last, const OperationSink& sink) {
    const ElementwiseLowering elements(call, inputs, channels_last, sink);
    const RowLowering rows(call, inputs, channels_last, sink);
    const MovementLowering moves(call, inputs, channels_last, sink);
    const IndexLowering indices(call, inputs, channels_last, sink);
    const std::string& name = call.node->operation;
    if (name == "Cast" || name == "CastLike") return {elements.cast()};
    if (name == "QLinearAdd") return {elements.sum_of_bytes()};
    if (name == "Trilu") return {elements.triangle()};
    if (name == "Tile") return {moves.tile()};
    if (name == "DepthToSpace" || name == "SpaceToDepth") return {moves.move_blocks()};
    if (name == "Upsample") return {moves.resize()};
    if (name == "GlobalAveragePool") return {rows.global(Op::kReduceMean)};
    if (name == "GlobalMaxPool") return {rows.global(Op::kReduceMax)};
    if (name == "ArgMax" || name == "ArgMin") return {indices.arg_extreme()};
    if (name == "TopK") return {indices.top()};
    if (name == "CumSum") return {indices.copied()};
    if (name == "OneHot") return {indices.one_hot()};
    if (name == "GatherND") return {indices.gather_nd()};
    if (name == "ScatterND") return {indices.scatter_nd()};
    if (name == "ScatterElements" || name == "Scatter") return {indices.scatter_elements()};
    if (name == "GridSample") return {indices.grid_sample()};
    const std::optional<Op> op = tensor_operator(name);
    if (!op) call.fail("there is no kernel for this operator");
    if (is_reduction(*op)) return {rows.reduce(*op)};
    if (is_pool(*op)) return {rows.pool(*op)};
    switch (*op) {
        case Op::kMin:
        case Op::kMax:
            return {elements.chain(*op)};
        case Op::kSum:
        case Op::kMean:
            return {elements.several(*op)};
        case Op::kWhere:
            return {elements.where()};
        case Op::kGather:
            return {moves.gather()};
        case Op::kGatherElements:
            return {moves.gather_elements()};
        case Op::kLrn:
            return {rows.lrn()};
        case Op::kQuantizeLinear:
        case Op::kDequantizeLinear:
            return {elements.quantization(*op)};
        case Op::kLstmCell:
        case Op::kLstmHidden:
        case Op::kGruReset:
        case Op::kGruState:
            return {elements.recurrent_step(*op)};
        case Op::kAdd:
        case Op::kSub:
        case Op::kMul:
        case Op::kDiv:
        case Op::kMod:
        case Op::kPRelu:
        case Op::kPow:
            return {elements.binary(*op)};
        case Op::kBatchNormalization:
        case Op::kInstanceNormalization:
            return {rows.normalization(*op)};
        case Op::kLayerNormalization:
            return rows.layer_normalization();
        case Op::kRmsNormalization:
            return {rows.rms_normalization()};
        case Op::kSoftmax:
        case Op::kLogSoftmax:
            return {rows.softmax(*op)};
        case Op::kTranspose:
            return {moves.transpose()};
        case Op::kSlice:
            return {moves.slice()};
        case Op::kPad:
            if (call.attributes().text("mode", "constant") == "wrap") return {indices.wrapped()};
            return {moves.pad()};
        case Op::kConcat:
            return {moves.concat()};
        case Op::kSplit:
            return moves.split();
        case Op::kExpand:
            return {moves.expand()};
        case Op::kResize:
            return {moves.resize()};
        default:
            return {elements.unary(*op)};
    }
}

}  // namespace tessera
