// The operators of networks: what each makes of types, of values, and how much work that is.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sc_models/network/graph.h"

namespace tessera::network {

/// What a machine does for an operator.
enum class WorkKind : std::uint8_t {
    kConvolution,
    kProduct,
    kElementwise,
    kReduction,  ///< sums, norms and maxima along sides of a tensor
    kPooling,
    kRecurrent,  ///< products and elementwise steps, one time step after the other
    kCopy,       ///< moves elements
    kFree        ///< another name for the same bytes, or known before anything runs
};

/// "convolution", "product", and so on.
[[nodiscard]] std::string_view name_of(WorkKind kind);

/// An operator with its operands, as the functions of the table see it.
struct OperatorCall {
    const Node* node = nullptr;
    /// Of each input, null where it is left out.
    std::vector<const TensorType*> types;
    /// Values of each input, null where they are not known.
    std::vector<const Tensor*> tensors;
    std::vector<std::string_view> names;  ///< of each input, for errors

    [[nodiscard]] const Attributes& attributes() const { return node->attributes; }
    [[nodiscard]] std::size_t inputs() const { return types.size(); }
    [[nodiscard]] bool has(std::size_t input) const {
        return input < types.size() && types[input] != nullptr;
    }
    /// Type of an input; fails if it is left out.
    [[nodiscard]] const TensorType& type(std::size_t input) const;
    [[nodiscard]] const Shape& shape(std::size_t input) const { return type(input).shape; }
    /// Values of an input; fails if they are not known.
    [[nodiscard]] const Tensor& tensor(std::size_t input) const;
    /// The same as real numbers, or as integers or truth values; fails if they are others.
    [[nodiscard]] const std::vector<float>& reals(std::size_t input) const;
    [[nodiscard]] const std::vector<std::int64_t>& indices(std::size_t input) const;
    /// Whether the node has this output.
    [[nodiscard]] bool makes(std::size_t output) const {
        return output < node->outputs.size() && node->outputs[output].valid();
    }

    /// An axis counted from the front, `rank` being one more than the last.
    [[nodiscard]] std::size_t axis(std::int64_t given, std::size_t rank) const;
    /// The same for several; fails if one is named twice.
    [[nodiscard]] std::vector<std::size_t> axes(const std::vector<std::int64_t>& given,
                                                std::size_t rank) const;
    /// Integers of the attribute, or of the input where there is no such attribute; none if neither
    /// is there.
    [[nodiscard]] std::vector<std::int64_t> integers(const char* attribute,
                                                     std::size_t input) const;
    /// The attribute, checked to be within [min, max].
    [[nodiscard]] std::int64_t bounded(const char* attribute, std::int64_t otherwise,
                                       std::int64_t min, std::int64_t max) const;

    /// Fails unless the input's elements are FLOAT or FLOAT16, or unless they are others.
    void expect_real(std::size_t input) const;
    void expect_integers(std::size_t input) const;
    /// Fails unless the types of both inputs' elements are the same.
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
    /// Types of all outputs that the operator can have, given those of its inputs and the values of
    /// shape_inputs. Allocates nothing.
    std::vector<TensorType> (*infer)(const OperatorCall& call) = nullptr;
    /// Computes the outputs, which come with their types and as zeros, in FP32; sums that no FP32
    /// kernel would be compared with (means, norms, softmax) in FP64. FP16 results are rounded by
    /// the caller.
    void (*run)(const OperatorCall& call, std::vector<Tensor>& outputs) = nullptr;
    /// Additions, multiplications, comparisons and functions, each counted as one.
    double (*flop)(const OperatorCall& call, const std::vector<TensorType>& outputs) = nullptr;
    /// A bit for each input on whose values the types of the outputs depend.
    std::uint32_t shape_inputs = 0;
    bool of_types_only = false;  ///< computes from types of inputs, not from their values
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

}  // namespace tessera::network
