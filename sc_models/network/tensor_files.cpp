#include "sc_models/network/tensor_files.h"

#include <cctype>
#include <charconv>
#include <cstring>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/network/onnx_tensors.h"
#include "sc_models/network/walk.h"
#include "sc_models/tensor_core/half.h"

namespace tessera::network {
namespace {

/// Reader of NumPy's format: a magic number, a version, a header that is a Python dictionary,
/// values.
class NpyReader {
public:
    NpyReader(std::string bytes, const std::string& name) : bytes_(std::move(bytes)), name_(name) {}

    Tensor read() {
        read_header();
        const Shape shape = shape_of();
        std::size_t count = 0;
        try {
            count = element_count(shape);
        } catch (const ConfigError& error) {
            fail(error.what());
        }
        const std::string type = quoted("'descr'");
        Tensor tensor = type == "<f4"   ? values<float>(ElementType::kFloat, count)
                        : type == "<f2" ? values<HalfBits>(ElementType::kHalf, count)
                        : type == "<i8" ? values<std::int64_t>(ElementType::kInt64, count)
                        : type == "<i4" ? values<std::int32_t>(ElementType::kInt32, count)
                        : type == "|i1" ? values<std::int8_t>(ElementType::kInt8, count)
                        : type == "|u1" ? values<std::uint8_t>(ElementType::kUint8, count)
                        : type == "|b1" ? values<std::uint8_t>(ElementType::kBool, count)
                                        : refuse(type);
        tensor.type.shape = shape;
        return behind("'fortran_order'").substr(0, 4) == "True" ? from_fortran(tensor) : tensor;
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw ConfigError(name_ + ": " + what);
    }
    [[noreturn]] Tensor refuse(const std::string& type) const {
        fail("got elements of type " + in_quotes(type) +
             ", expected one of {<f4, <f2, <i8, <i4, |i1, |u1, |b1} (convert with astype)");
    }

    void read_header() {
        const bool magic = bytes_.size() >= 10 && bytes_.compare(0, 6, "\x93NUMPY") == 0;
        if (!magic) fail("is no .npy file: it does not start with \\x93NUMPY");
        const auto byte = [&](std::size_t i) {
            return static_cast<std::size_t>(static_cast<unsigned char>(bytes_[i]));
        };
        const bool wide = bytes_[6] != 1;
        if (byte(6) < 1 || byte(6) > 3 || (wide && bytes_.size() < 12)) {
            fail("got format " + std::to_string(byte(6)) + ", expected 1 to 3");
        }
        const std::size_t length =
            byte(8) + 256 * byte(9) + (wide ? 65536 * (byte(10) + 256 * byte(11)) : 0);
        first_ = (wide ? 12 : 10) + length;
        if (first_ > bytes_.size()) fail("the file ends within its header");
        header_ = bytes_.substr(first_ - length, length);
    }

    /// The part of the header behind a key and its colon.
    [[nodiscard]] std::string_view behind(std::string_view key) const {
        const std::size_t at = header_.find(key);
        const std::size_t colon = at == std::string::npos ? at : header_.find(':', at);
        const std::size_t value =
            colon == std::string::npos ? colon : header_.find_first_not_of(" \t", colon + 1);
        if (value == std::string::npos) fail("its header has no " + std::string(key));
        return std::string_view(header_).substr(value);
    }

    [[nodiscard]] std::string quoted(std::string_view key) const {
        const std::string_view rest = behind(key);
        const std::size_t end = rest.find('\'', 1);
        if (rest.front() != '\'' || end == std::string_view::npos) {
            fail("its header has no text behind " + std::string(key));
        }
        return std::string(rest.substr(1, end - 1));
    }

    [[nodiscard]] Shape shape_of() const {
        std::string_view rest = behind("'shape'");
        const std::size_t end = rest.find(')');
        if (rest.front() != '(' || end == std::string_view::npos) fail("its header has no shape");
        rest = rest.substr(1, end - 1);
        Shape shape;
        for (;;) {
            const std::size_t digit = rest.find_first_not_of(" ,");
            if (digit == std::string_view::npos) return shape;
            rest.remove_prefix(digit);
            std::int64_t side = 0;
            const auto [next, error] =
                std::from_chars(rest.data(), rest.data() + rest.size(), side);
            if (error != std::errc()) fail("got a shape that is none: " + in_quotes(header_));
            shape.push_back(side);
            rest.remove_prefix(static_cast<std::size_t>(next - rest.data()));
        }
    }

    template <class Stored>
    [[nodiscard]] Tensor values(ElementType type, std::size_t count) const {
        const std::size_t got = bytes_.size() - first_;
        if (got / sizeof(Stored) != count || got % sizeof(Stored) != 0) {
            fail("got " + std::to_string(got) + " bytes of values, expected " +
                 std::to_string(count * sizeof(Stored)));
        }
        Tensor tensor;
        tensor.type.type = type;
        for (std::size_t i = 0; i < count; ++i) {
            Stored stored;
            std::memcpy(&stored, bytes_.data() + first_ + i * sizeof stored, sizeof stored);
            if constexpr (std::is_same_v<Stored, float>) {
                tensor.reals.push_back(stored);
            } else if constexpr (std::is_same_v<Stored, HalfBits>) {
                tensor.reals.push_back(half_to_float(stored));
            } else {
                tensor.integers.push_back(type == ElementType::kBool ? stored != 0 : stored);
            }
        }
        return tensor;
    }

    /// Converts Fortran order, where the first index varies fastest, to C order.
    static Tensor from_fortran(const Tensor& tensor) {
        Tensor result(tensor.type);
        std::vector<std::size_t> strides;
        std::size_t stride = 1;
        for (const std::int64_t side : tensor.type.shape) {
            strides.push_back(stride);
            stride *= static_cast<std::size_t>(side);
        }
        with_values(result, tensor, [&](auto& out, const auto& in) {
            walk(tensor.type.shape, strides,
                 [&](std::size_t i, std::size_t from) { out[i] = in[from]; });
        });
        return result;
    }

    const std::string bytes_;
    const std::string& name_;
    std::string header_;
    std::size_t first_ = 0;  ///< offset of the values in bytes
};

std::string_view npy_type(ElementType type) {
    switch (type) {
        case ElementType::kFloat:
        case ElementType::kBf16:  // NumPy has no type for it
            return "<f4";
        case ElementType::kHalf:
            return "<f2";
        case ElementType::kInt64:
            return "<i8";
        case ElementType::kInt32:
            return "<i4";
        case ElementType::kInt8:
            return "|i1";
        case ElementType::kUint8:
            return "|u1";
        case ElementType::kBool:
            break;
    }
    return "|b1";
}

/// Appends the values, converted to the type of the file.
template <class Stored, class Value, class Convert>
void append(std::string& bytes, const std::vector<Value>& values, const Convert& convert) {
    const std::size_t first = bytes.size();
    bytes.resize(first + values.size() * sizeof(Stored));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Stored stored = convert(values[i]);
        std::memcpy(bytes.data() + first + i * sizeof stored, &stored, sizeof stored);
    }
}

bool ends_with(const std::string& text, std::string_view end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

Tensor read_npy(std::istream& in, const std::string& name) {
    return NpyReader(std::string(std::istreambuf_iterator<char>(in), {}), name).read();
}

std::string npy_bytes(const Tensor& tensor) {
    std::string shape;
    for (const std::int64_t side : tensor.type.shape) shape += std::to_string(side) + ", ";
    std::string header = "{'descr': '" + std::string(npy_type(tensor.type.type)) +
                         "', 'fortran_order': False, 'shape': (" + shape + "), }";
    // The header is padded with spaces and a newline so that values begin at a multiple of 64
    // bytes.
    constexpr std::size_t kBefore = 10, kAlignment = 64;
    header.append(kAlignment - 1 - (kBefore + header.size()) % kAlignment, ' ') += '\n';
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(header.size() % 256);
    bytes += static_cast<char>(header.size() / 256);
    bytes += header;
    const auto as_is = [](auto value) { return value; };
    switch (tensor.type.type) {
        case ElementType::kFloat:
        case ElementType::kBf16:
            append<float>(bytes, tensor.reals, as_is);
            break;
        case ElementType::kHalf:
            append<HalfBits>(bytes, tensor.reals, float_to_half);
            break;
        case ElementType::kInt64:
            append<std::int64_t>(bytes, tensor.integers, as_is);
            break;
        case ElementType::kInt32:
            append<std::int32_t>(bytes, tensor.integers, [](std::int64_t value) {
                return static_cast<std::int32_t>(value);
            });
            break;
        case ElementType::kInt8:
        case ElementType::kUint8:
            append<char>(bytes, tensor.integers,
                         [](std::int64_t value) { return static_cast<char>(value); });
            break;
        case ElementType::kBool:
            append<char>(bytes, tensor.integers,
                         [](std::int64_t value) { return static_cast<char>(value != 0); });
            break;
    }
    return bytes;
}

std::string npy_file_name(std::string_view tensor) {
    constexpr std::string_view kDigits = "0123456789ABCDEF", kPlain = "_-.~";
    std::string file;
    for (const char letter : tensor) {
        const auto byte = static_cast<unsigned char>(letter);
        if (byte < 128 &&
            (std::isalnum(byte) != 0 || kPlain.find(letter) != std::string_view::npos)) {
            file += letter;
        } else {
            file += {'%', kDigits[byte / 16], kDigits[byte % 16]};
        }
    }
    return file + ".npy";
}

Tensor read_tensor_file(const std::string& path) {
    if (ends_with(path, ".npy")) return NpyReader(bytes_of_file(path), path).read();
    if (!ends_with(path, ".pb")) {
        throw ConfigError(path + ": expected a file that ends in .npy or .pb");
    }
    onnx::TensorProto proto;
    if (!proto.ParseFromString(bytes_of_file(path))) {
        throw ConfigError(path + ": is no tensor of ONNX, or only a part of one");
    }
    try {
        return tensor_of(proto, "");
    } catch (const ConfigError& error) {
        throw ConfigError(path + ": " + error.what());
    }
}

}  // namespace tessera::network
