#include "sc_models/network/operators.h"

#include <algorithm>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/config/engine/config_node.h"

namespace tessera::network {
namespace {

std::vector<Operator> collect() {
    std::vector<Operator> all;
    for (auto family : {elementwise_operators,    logic_operators,
                        product_operators,        convolution_operators,
                        pooling_operators,        normalization_operators,
                        reduction_operators,      movement_operators,
                        selection_operators,      view_operators,
                        resize_operators,         recurrent_operators,
                        recurrent_step_operators, index_operators,
                        scatter_operators,        attention_operators,
                        einsum_operators,         vision_operators,
                        quantization_operators,   quantized_product_operators,
                        unsupported_operators}) {
        for (const Operator& one : family()) all.push_back(one);
    }
    std::sort(all.begin(), all.end(),
              [](const Operator& a, const Operator& b) { return a.name < b.name; });
    return all;
}

}  // namespace

std::string_view name_of(WorkKind kind) {
    switch (kind) {
        case WorkKind::kConvolution:
            return "convolution";
        case WorkKind::kProduct:
            return "product";
        case WorkKind::kElementwise:
            return "elementwise";
        case WorkKind::kReduction:
            return "reduction";
        case WorkKind::kPooling:
            return "pooling";
        case WorkKind::kRecurrent:
            return "recurrent";
        case WorkKind::kComposite:
            return "composite";
        case WorkKind::kCopy:
            return "copy";
        case WorkKind::kFree:
            return "free";
    }
    return "";
}

const TensorType& OperatorCall::type(std::size_t input) const {
    if (!has(input)) fail("input " + std::to_string(input) + " is missing");
    return *types[input];
}

const Tensor& OperatorCall::tensor(std::size_t input) const {
    (void)type(input);
    if (tensors[input] == nullptr) {
        fail_input(input, "expected a constant, because shapes depend on its values");
    }
    return *tensors[input];
}

const std::vector<float>& OperatorCall::reals(std::size_t input) const {
    expect_real(input);
    return tensor(input).reals;
}

const std::vector<std::int64_t>& OperatorCall::indices(std::size_t input) const {
    expect_integers(input);
    return tensor(input).integers;
}

std::size_t OperatorCall::axis(std::int64_t given, std::size_t rank) const {
    const auto sides = static_cast<std::int64_t>(rank);
    if (given < -sides || given >= sides) {
        fail("got axis " + std::to_string(given) + ", expected one from " + std::to_string(-sides) +
             " to " + std::to_string(sides - 1));
    }
    return static_cast<std::size_t>(given < 0 ? given + sides : given);
}

std::vector<std::size_t> OperatorCall::axes(const std::vector<std::int64_t>& given,
                                            std::size_t rank) const {
    std::vector<std::size_t> found;
    for (const std::int64_t one : given) {
        const std::size_t counted = axis(one, rank);
        if (std::find(found.begin(), found.end(), counted) != found.end()) {
            fail("got axis " + std::to_string(one) + " twice");
        }
        found.push_back(counted);
    }
    return found;
}

std::vector<std::int64_t> OperatorCall::integers(const char* attribute, std::size_t input) const {
    if (attributes().has(attribute)) return attributes().integers(attribute);
    if (!has(input)) return {};
    return indices(input);
}

std::int64_t OperatorCall::bounded(const char* attribute, std::int64_t otherwise, std::int64_t min,
                                   std::int64_t max) const {
    const std::int64_t value = attributes().integer(attribute, otherwise);
    if (value < min || value > max) {
        fail(std::string(attribute) + ": got " + std::to_string(value) +
             ", expected an integer from " + std::to_string(min) + " to " + std::to_string(max));
    }
    return value;
}

void OperatorCall::expect_real(std::size_t input) const {
    if (!is_real(type(input).type)) {
        fail_input(input, "got " + type(input).str() + ", expected FLOAT, FLOAT16 or BFLOAT16");
    }
}

void OperatorCall::expect_integers(std::size_t input) const {
    if (is_real(type(input).type)) {
        fail_input(input, "got " + type(input).str() + ", expected integers or BOOL");
    }
}

void OperatorCall::expect_same_type(std::size_t a, std::size_t b) const {
    if (type(a).type != type(b).type) {
        fail_input(b, "got " + type(b).str() + ", expected " + std::string(name_of(type(a).type)) +
                          " as input " + std::to_string(a));
    }
}

void OperatorCall::expect_shape(std::size_t input, const Shape& expected) const {
    if (shape(input) != expected) {
        fail_input(input,
                   "got shape " + shape_text(shape(input)) + ", expected " + shape_text(expected));
    }
}

void OperatorCall::fail(const std::string& what) const {
    throw ConfigError("node " + in_quotes(node->name) + " (" + node->operation + "): " + what);
}

void OperatorCall::fail_input(std::size_t input, const std::string& what) const {
    const std::string_view name = input < names.size() ? names[input] : std::string_view();
    fail("input " + (name.empty() ? std::to_string(input) : in_quotes(name)) + ": " + what);
}

const std::vector<Operator>& all_operators() {
    static const std::vector<Operator> all = collect();
    return all;
}

const Operator* find_operator(std::string_view name) {
    const std::vector<Operator>& all = all_operators();
    const auto found = std::lower_bound(
        all.begin(), all.end(), name,
        [](const Operator& one, std::string_view wanted) { return one.name < wanted; });
    return found != all.end() && found->name == name ? &*found : nullptr;
}

}  // namespace tessera::network
