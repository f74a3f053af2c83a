// Tensors of a network: types and values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/tensor_core/half.h"

namespace tessera::network {

/// Type of an element. ONNX's others (integers of 16 bits, unsigned ones beyond UINT8, doubles,
/// strings) are refused.
enum class ElementType : std::uint8_t {
    kFloat,
    kHalf,
    kInt64,
    kInt32,
    kInt8,
    kUint8,
    kBool,
    kBf16
};

/// ONNX's name of the type: FLOAT, FLOAT16, BFLOAT16, INT64, INT32, INT8, UINT8 or BOOL.
[[nodiscard]] std::string_view name_of(ElementType type);
/// Bytes of an element in memory.
[[nodiscard]] std::size_t bytes_of(ElementType type);
/// FLOAT, FLOAT16 or BFLOAT16.
[[nodiscard]] bool is_real(ElementType type);
/// FLOAT16 or BFLOAT16.
[[nodiscard]] bool is_half(ElementType type);
/// Format of a real number of 16 bits.
[[nodiscard]] constexpr Float16 format_of(ElementType type) {
    return type == ElementType::kBf16 ? Float16::kBf16 : Float16::kFp16;
}
/// INT8 or UINT8.
[[nodiscard]] bool is_byte(ElementType type);

/// Dimensions of a tensor, outermost first; empty for a scalar.
using Shape = std::vector<std::int64_t>;

/// Maximum number of dimensions.
inline constexpr std::size_t kMostSides = 8;
/// Maximum number of elements, in total and along a dimension; larger shapes are refused.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

/// "1x3x224x224", or "scalar".
[[nodiscard]] std::string shape_text(const Shape& shape);
/// The product of the dimensions. Throws ConfigError for more than kMostSides dimensions, for a
/// negative one, and for more than kMostElements elements.
[[nodiscard]] std::size_t element_count(const Shape& shape);
/// Stride of each dimension in elements, for contiguous rows.
[[nodiscard]] std::vector<std::size_t> strides_of(const Shape& shape);

/// Element type and shape.
struct TensorType {
    ElementType type = ElementType::kFloat;
    Shape shape;

    [[nodiscard]] std::size_t elements() const { return element_count(shape); }
    [[nodiscard]] std::uint64_t bytes() const { return elements() * bytes_of(type); }
    /// "FLOAT 1x3x224x224".
    [[nodiscard]] std::string str() const;
    friend bool operator==(const TensorType& a, const TensorType& b) {
        return a.type == b.type && a.shape == b.shape;
    }
    friend bool operator!=(const TensorType& a, const TensorType& b) { return !(a == b); }
};

/// A tensor with its values: real numbers as floats (those of 16 bits are exact), the others as
/// integers, BOOL as 0 and 1. The unused vector is empty.
struct Tensor {
    TensorType type;
    std::vector<float> reals;
    std::vector<std::int64_t> integers;

    Tensor() = default;
    /// All zeros.
    explicit Tensor(TensorType of);
    static Tensor of_reals(Shape shape, std::vector<float> values,
                           ElementType type = ElementType::kFloat);
    static Tensor of_integers(Shape shape, std::vector<std::int64_t> values,
                              ElementType type = ElementType::kInt64);

    [[nodiscard]] std::size_t elements() const {
        return is_real(type.type) ? reals.size() : integers.size();
    }
    /// Number of elements that are zero.
    [[nodiscard]] std::size_t zeros() const;
    /// Rounds FLOAT16 and BFLOAT16 values to their types; truncates INT32, INT8 and UINT8 values to
    /// their low bits.
    void round_to_type();
};

}  // namespace tessera::network
