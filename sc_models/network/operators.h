// Table of network operators: type inference, reference computation and amount of work of each.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sc_models/network/graph.h"

namespace tessera::network {

/// Kind of work that an operator is on a machine.
enum class WorkKind : std::uint8_t {
    kConvolution,
    kProduct,
    kElementwise,
    kReduction,  ///< sums, norms and maxima along sides of a tensor
    kPooling,
    kRecurrent,  ///< products and elementwise steps, one time step after the other
    kComposite,  ///< several other operators, which take its place (operator_expansion.cpp)
    kCopy,       ///< moves elements
    kFree        ///< renames bytes, or is computed before the run
};

/// "convolution", "product", and so on.
[[nodiscard]] std::string_view name_of(WorkKind kind);

/// An operator call: a node with the types and values of its operands.
struct OperatorCall {
    const Node* node = nullptr;
    /// Type of each input, null if omitted.
    std::vector<const TensorType*> types;
    /// Values of each input, null if not computed.
    std::vector<const Tensor*> tensors;
    std::vector<std::string_view> names;  ///< of each input, for errors

    [[nodiscard]] const Attributes& attributes() const { return node->attributes; }
    [[nodiscard]] std::size_t inputs() const { return types.size(); }
    [[nodiscard]] bool has(std::size_t input) const {
        return input < types.size() && types[input] != nullptr;
    }
    /// Type of an input; throws if it is omitted.
    [[nodiscard]] const TensorType& type(std::size_t input) const;
    [[nodiscard]] const Shape& shape(std::size_t input) const { return type(input).shape; }
    /// Values of an input; throws if they are not computed.
    [[nodiscard]] const Tensor& tensor(std::size_t input) const;
    /// Values of an input as real numbers, or as integers or truth values; throws if they have
    /// another type.
    [[nodiscard]] const std::vector<float>& reals(std::size_t input) const;
    [[nodiscard]] const std::vector<std::int64_t>& indices(std::size_t input) const;
    /// Whether the node has this output.
    [[nodiscard]] bool makes(std::size_t output) const {
        return output < node->outputs.size() && node->outputs[output].valid();
    }

    /// Converts an axis that may be negative to one in [0, rank).
    [[nodiscard]] std::size_t axis(std::int64_t given, std::size_t rank) const;
    /// Converts several axes; throws if one is named twice.
    [[nodiscard]] std::vector<std::size_t> axes(const std::vector<std::int64_t>& given,
                                                std::size_t rank) const;
    /// Integers of the attribute, or of the input if there is no such attribute; empty if both are
    /// missing.
    [[nodiscard]] std::vector<std::int64_t> integers(const char* attribute,
                                                     std::size_t input) const;
    /// The attribute, checked to be within [min, max].
    [[nodiscard]] std::int64_t bounded(const char* attribute, std::int64_t otherwise,
                                       std::int64_t min, std::int64_t max) const;

    /// Throws unless the input's elements are real numbers, or, for expect_integers, any other
    /// type.
    void expect_real(std::size_t input) const;
    void expect_integers(std::size_t input) const;
    /// Throws unless the elements of both inputs have the same type.
    void expect_same_type(std::size_t a, std::size_t b) const;
    /// Fails unless the input has this shape.
    void expect_shape(std::size_t input, const Shape& shape) const;

    /// Throws ConfigError "node 'n' (Op): what".
    [[noreturn]] void fail(const std::string& what) const;
    /// Throws ConfigError "node 'n' (Op): input 'x': what".
    [[noreturn]] void fail_input(std::size_t input, const std::string& what) const;
};

/// An operator. The functions throw ConfigError, naming node and input, for what ONNX does not
/// allow and for what is not supported (training, integers where real numbers are computed with).
struct Operator {
    std::string_view name;
    WorkKind kind = WorkKind::kElementwise;
    /// Infers the types of all possible outputs from the types of the inputs and the values of
    /// shape_inputs. Allocates no tensor.
    std::vector<TensorType> (*infer)(const OperatorCall& call) = nullptr;
    /// Computes the outputs, which are passed typed and zeroed, in FP32. Means, norms and softmax,
    /// whose sums are compared with no FP32 kernel, accumulate in FP64. The caller rounds FP16
    /// results. Null: nothing here computes them.
    void (*run)(const OperatorCall& call, std::vector<Tensor>& outputs) = nullptr;
    /// Additions, multiplications, comparisons and functions, each counted as one.
    double (*flop)(const OperatorCall& call, const std::vector<TensorType>& outputs) = nullptr;
    /// Bit mask of the inputs whose values determine the types of the outputs.
    std::uint32_t shape_inputs = 0;
    bool of_types_only = false;  ///< depends only on types of inputs, not on their values
};

/// The operator of this name, or null.
[[nodiscard]] const Operator* find_operator(std::string_view name);
/// All operators, by name.
[[nodiscard]] const std::vector<Operator>& all_operators();

/// The operators, family by family.
[[nodiscard]] std::vector<Operator> elementwise_operators();
[[nodiscard]] std::vector<Operator> logic_operators();
[[nodiscard]] std::vector<Operator> product_operators();
[[nodiscard]] std::vector<Operator> convolution_operators();
[[nodiscard]] std::vector<Operator> pooling_operators();
[[nodiscard]] std::vector<Operator> normalization_operators();
[[nodiscard]] std::vector<Operator> reduction_operators();
[[nodiscard]] std::vector<Operator> movement_operators();
[[nodiscard]] std::vector<Operator> selection_operators();
[[nodiscard]] std::vector<Operator> view_operators();
[[nodiscard]] std::vector<Operator> resize_operators();
[[nodiscard]] std::vector<Operator> recurrent_operators();
[[nodiscard]] std::vector<Operator> recurrent_step_operators();
[[nodiscard]] std::vector<Operator> index_operators();
[[nodiscard]] std::vector<Operator> scatter_operators();
[[nodiscard]] std::vector<Operator> attention_operators();
[[nodiscard]] std::vector<Operator> einsum_operators();
[[nodiscard]] std::vector<Operator> vision_operators();
[[nodiscard]] std::vector<Operator> quantization_operators();
[[nodiscard]] std::vector<Operator> quantized_product_operators();
[[nodiscard]] std::vector<Operator> unsupported_operators();

}  // namespace tessera::network
