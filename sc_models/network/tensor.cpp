#include "sc_models/network/tensor.h"

#include <algorithm>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/tensor_core/half.h"

namespace tessera::network {
namespace {

/// Keeps the low bits of each value, as two's complement if the type is signed.
void truncate(std::vector<std::int64_t>& values, std::uint32_t bits, bool is_signed) {
    const std::uint64_t range = std::uint64_t{1} << bits;
    const std::uint64_t below_zero = is_signed ? range / 2 : 0;
    for (std::int64_t& value : values) {
        const std::uint64_t low = (static_cast<std::uint64_t>(value) + below_zero) % range;
        value = static_cast<std::int64_t>(low - below_zero);
    }
}

}  // namespace

std::string_view name_of(ElementType type) {
    switch (type) {
        case ElementType::kFloat:
            return "FLOAT";
        case ElementType::kHalf:
            return "FLOAT16";
        case ElementType::kBf16:
            return "BFLOAT16";
        case ElementType::kInt64:
            return "INT64";
        case ElementType::kInt32:
            return "INT32";
        case ElementType::kInt8:
            return "INT8";
        case ElementType::kUint8:
            return "UINT8";
        case ElementType::kBool:
            return "BOOL";
    }
    return "";
}

std::size_t bytes_of(ElementType type) {
    switch (type) {
        case ElementType::kInt64:
            return 8;
        case ElementType::kFloat:
        case ElementType::kInt32:
            return 4;
        case ElementType::kHalf:
        case ElementType::kBf16:
            return 2;
        case ElementType::kInt8:
        case ElementType::kUint8:
        case ElementType::kBool:
            return 1;
    }
    return 0;
}

bool is_real(ElementType type) {
    return type == ElementType::kFloat || is_half(type);
}

bool is_half(ElementType type) {
    return type == ElementType::kHalf || type == ElementType::kBf16;
}

bool is_byte(ElementType type) {
    return type == ElementType::kInt8 || type == ElementType::kUint8;
}

std::string shape_text(const Shape& shape) {
    std::string text;
    for (const std::int64_t side : shape) {
        text += (text.empty() ? "" : "x") + std::to_string(side);
    }
    return text.empty() ? "scalar" : text;
}

std::size_t element_count(const Shape& shape) {
    if (shape.size() > kMostSides) {
        throw ConfigError("got a tensor of " + std::to_string(shape.size()) +
                          " dimensions, expected at most " + std::to_string(kMostSides));
    }
    std::int64_t count = 1;
    bool empty = false;
    bool huge = false;
    for (const std::int64_t side : shape) {
        if (side < 0) {
            throw ConfigError("got shape " + shape_text(shape) +
                              ", expected dimensions that are not negative");
        }
        empty = empty || side == 0;
        huge = huge || side > kMostElements ||
               (side > 0 && __builtin_mul_overflow(count, side, &count)) || count > kMostElements;
    }
    if (huge) {
        throw ConfigError("got shape " + shape_text(shape) + ", expected at most " +
                          std::to_string(kMostElements) + " elements");
    }
    return empty ? 0 : static_cast<std::size_t>(count);
}

std::vector<std::size_t> strides_of(const Shape& shape) {
    std::vector<std::size_t> strides(shape.size());
    std::size_t stride = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        strides[axis] = stride;
        stride *= static_cast<std::size_t>(shape[axis]);
    }
    return strides;
}

std::string TensorType::str() const {
    return std::string(name_of(type)) + " " + shape_text(shape);
}

Tensor::Tensor(TensorType of) : type(std::move(of)) {
    if (is_real(type.type)) {
        reals.resize(type.elements());
    } else {
        integers.resize(type.elements());
    }
}

Tensor Tensor::of_reals(Shape shape, std::vector<float> values, ElementType type) {
    Tensor tensor;
    tensor.type = {type, std::move(shape)};
    tensor.reals = std::move(values);
    return tensor;
}

Tensor Tensor::of_integers(Shape shape, std::vector<std::int64_t> values, ElementType type) {
    Tensor tensor;
    tensor.type = {type, std::move(shape)};
    tensor.integers = std::move(values);
    return tensor;
}

std::size_t Tensor::zeros() const {
    return static_cast<std::size_t>(is_real(type.type)
                                        ? std::count(reals.begin(), reals.end(), 0.0F)
                                        : std::count(integers.begin(), integers.end(), 0));
}

void Tensor::round_to_type() {
    if (is_half(type.type)) {
        for (float& value : reals) value = rounded(value, format_of(type.type));
    }
    switch (type.type) {
        case ElementType::kInt32:
            return truncate(integers, 32, true);
        case ElementType::kInt8:
            return truncate(integers, 8, true);
        case ElementType::kUint8:
            return truncate(integers, 8, false);
        default:
            return;
    }
}

}  // namespace tessera::network
