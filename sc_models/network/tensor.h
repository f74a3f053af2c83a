// Tensors of a network: their types and, where they are known, their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::network {

/// What an element is. The others of ONNX (integers of 8 and 16 bits, doubles, strings) are
/// refused.
enum class ElementType : std::uint8_t { kFloat, kHalf, kInt64, kInt32, kBool };

/// ONNX's name of the type: FLOAT, FLOAT16, INT64, INT32 or BOOL.
[[nodiscard]] std::string_view name_of(ElementType type);
/// Bytes of an element in memory.
[[nodiscard]] std::size_t bytes_of(ElementType type);
/// FLOAT or FLOAT16.
[[nodiscard]] bool is_real(ElementType type);

/// Sides of a tensor, outermost first; none for a scalar.
using Shape = std::vector<std::int64_t>;

/// Most sides a tensor may have.
inline constexpr std::size_t kMostSides = 8;
/// Most elements a tensor may have, and most a side: beyond, nothing is computed of a shape.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

/// "1x3x224x224", or "scalar".
[[nodiscard]] std::string shape_text(const Shape& shape);
/// The product of the sides. Throws ConfigError for more than kMostSides sides, for a negative
/// side, and for more than kMostElements elements.
[[nodiscard]] std::size_t element_count(const Shape& shape);
/// Elements from one index of each side to the next, rows being contiguous.
[[nodiscard]] std::vector<std::size_t> strides_of(const Shape& shape);

/// A type of elements and a shape.
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

/// A tensor with its values: FLOAT and FLOAT16 as floats (a half's value is exact), the others as
/// integers, BOOL as 0 and 1. The other of the two vectors is empty.
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
    /// Elements that are zero.
    [[nodiscard]] std::size_t zeros() const;
    /// FLOAT16: rounds the values to halves. INT32: keeps their low 32 bits.
    void round_to_type();
};

}  // namespace tessera::network
