#include "sc_models/lowering/operator_lowering_steps.h"

#include <utility>

#include "sc_models/network/operator_details.h"
#include "sc_models/network/window.h"
#include "sc_models/workload/operators/tensor_operators.h"

namespace tessera {

using network::OperatorCall;
using Op = TensorOperator;
using Tensors = std::vector<PlacedTensor>;

Tensors OperatorLowering::run() const {
    const std::string& name = call_.node->operation;
    if (name == "Cast" || name == "CastLike") return {cast()};
    if (name == "Swish") return {swish()};
    if (name == "Trilu") return {triangle()};
    if (name == "Tile") return {tile()};
    if (name == "DepthToSpace" || name == "SpaceToDepth") return {move_blocks()};
    if (name == "Upsample") return {resize()};
    if (name == "GlobalAveragePool") return {global(Op::kReduceMean)};
    if (name == "GlobalMaxPool") return {global(Op::kReduceMax)};
    if (name == "ArgMax" || name == "ArgMin") return {arg_extreme()};
    if (name == "TopK") return {top()};
    if (name == "CumSum") return {copied()};
    if (name == "OneHot") return {one_hot()};
    if (name == "GatherND") return {gather_nd()};
    if (name == "ScatterND") return {scatter_nd()};
    if (name == "ScatterElements" || name == "Scatter") return {scatter_elements()};
    if (name == "GridSample") return {grid_sample()};
    const std::optional<Op> op = tensor_operator(name);
    if (!op) call_.fail("there is no kernel for this operator");
    if (is_reduction(*op)) return {reduce(*op)};
    if (is_pool(*op)) return {pool(*op)};
    switch (*op) {
        case Op::kMin:
        case Op::kMax:
            return {chain(*op)};
        case Op::kSum:
        case Op::kMean:
            return {several(*op)};
        case Op::kWhere:
            return {where()};
        case Op::kGather:
            return {gather()};
        case Op::kGatherElements:
            return {gather_elements()};
        case Op::kLrn:
            return {lrn()};
        case Op::kLstmCell:
        case Op::kLstmHidden:
        case Op::kGruReset:
        case Op::kGruState:
            return {recurrent_step(*op)};
        case Op::kAdd:
        case Op::kSub:
        case Op::kMul:
        case Op::kDiv:
        case Op::kMod:
        case Op::kPRelu:
            return {binary(*op, real(0), real(1))};
        case Op::kPow:
            return {binary(*op, real(0), number(1))};
        case Op::kBatchNormalization:
        case Op::kInstanceNormalization:
            return {normalization(*op)};
        case Op::kLayerNormalization:
            return layer_normalization();
        case Op::kRmsNormalization:
            return {rms_normalization()};
        case Op::kSoftmax:
        case Op::kLogSoftmax:
            return {softmax(*op)};
        case Op::kTranspose:
            return {transpose()};
        case Op::kSlice:
            return {slice()};
        case Op::kPad:
            return {pad()};
        case Op::kConcat:
            return {concat()};
        case Op::kSplit:
            return split();
        case Op::kExpand:
            return {expand()};
        case Op::kResize:
            return {resize()};
        default:
            return {unary(*op)};
    }
}

const PlacedTensor& OperatorLowering::all(std::size_t input) const {
    if (input >= inputs_.size()) call_.fail("input " + std::to_string(input) + " is missing");
    call_.expect_real(input);
    return inputs_[input];
}

PlacedTensor OperatorLowering::real(std::size_t input) const {
    return in_layout(all(input), last_ && all(input).shape.size() >= 3, sink_);
}

const PlacedTensor& OperatorLowering::number(std::size_t input) const {
    return network::is_real(call_.type(input).type) ? all(input) : inputs_[input];
}

PlacedTensor OperatorLowering::as_in_file(std::size_t input) const {
    return in_layout(all(input), false, sink_);
}

PlacedTensor OperatorLowering::apply(const TensorOperation& operation, const Tensors& operands,
                                     MadeTensor result) const {
    return sink_(std::string(name_of(operation.op)), operation, operands, {std::move(result)})
        .at(0);
}

PlacedTensor OperatorLowering::apply_as(const std::string& what, const TensorOperation& operation,
                                        const Tensors& operands, MadeTensor result) const {
    return sink_(call_.node->operation + " as " + what, operation, operands, {std::move(result)})
        .at(0);
}

TensorOperation OperatorLowering::operation_on(Op op, const Tensors& operands) {
    TensorOperation operation;
    operation.op = op;
    for (const PlacedTensor& operand : operands) operation.operands.push_back(operand.sides());
    return operation;
}

PlacedTensor OperatorLowering::same(const TensorOperation& operation,
                                    const Tensors& operands) const {
    return apply(operation, operands, {operands[0].shape, operands[0].channels_last});
}

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
    return OperatorLowering(call, inputs, channels_last, sink).run();
}

}  // namespace tessera
