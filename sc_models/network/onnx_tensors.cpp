#include "sc_models/network/onnx_tensors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/common/input_file.h"
#include "sc_models/common/interrupt.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/tensor_core/half.h"

namespace tessera::network {
namespace {

/// Location of a tensor's values in an external file.
struct ExternalPlace {
    std::string location;
    std::uint64_t offset = 0;
    std::uint64_t length = 0;  ///< 0: given by the shape
};

std::uint64_t number_of(const std::string& key, const std::string& text) {
    const bool digits =
        !text.empty() && text.size() <= 18 &&
        std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!digits) {
        throw ConfigError("external data: " + key + ": got " + in_quotes(text) +
                          ", expected a number of bytes");
    }
    return std::stoull(text);
}

ExternalPlace place_of(const onnx::TensorProto& proto) {
    ExternalPlace place;
    for (const auto& entry : proto.external_data()) {
        if (entry.key() == "location") place.location = entry.value();
        if (entry.key() == "offset") place.offset = number_of("offset", entry.value());
        if (entry.key() == "length") place.length = number_of("length", entry.value());
    }
    const std::filesystem::path path = place.location;
    const bool inside =
        !path.empty() && path.is_relative() &&
        std::none_of(path.begin(), path.end(), [](const auto& part) { return part == ".."; });
    if (!inside) {
        throw ConfigError("external data: location: got " + in_quotes(place.location) +
                          ", expected a file in or below the folder of the model");
    }
    return place;
}

/// A regular file below a folder that no symbolic link leads to: a model must not name arbitrary
/// files of the user.
class FileBelow {
public:
    /// Throws ConfigError if the file is missing or behind a link. `inside` must not contain "..".
    FileBelow(const std::string& folder, const std::filesystem::path& inside)
        : name_(in_quotes((std::filesystem::path(folder) / inside).string())),
          file_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
        for (auto part = inside.begin(); file_ >= 0 && part != inside.end(); ++part) {
            const bool last = std::next(part) == inside.end();
            const int next =
                openat(file_, part->c_str(),
                       O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (last ? 0 : O_DIRECTORY));
            const int error = errno;
            const bool is_link = next < 0 && leads_elsewhere(*part);
            close(file_);
            file_ = next;
            if (is_link) fail("a symbolic link, expected a file in or below the model's folder");
            if (next < 0 && error != ENOENT && error != ENOTDIR) fail(std::strerror(error));
        }
        if (file_ < 0) fail("no such file");
        if (fstat(file_, &status_) != 0 || !S_ISREG(status_.st_mode)) {
            close(file_);
            fail("no such file");
        }
    }
    ~FileBelow() { close(file_); }
    FileBelow(const FileBelow&) = delete;
    FileBelow& operator=(const FileBelow&) = delete;

    [[nodiscard]] std::uint64_t size() const { return static_cast<std::uint64_t>(status_.st_size); }
    /// Fills `bytes`. Throws ConfigError.
    void read(std::uint64_t offset, std::string& bytes) const {
        for (std::size_t done = 0; done < bytes.size();) {
            stop_if_interrupted();
            const ssize_t got = pread(file_, bytes.data() + done, bytes.size() - done,
                                      static_cast<off_t>(offset + done));
            if (got <= 0) fail(got < 0 ? std::strerror(errno) : "cut off");
            done += static_cast<std::size_t>(got);
        }
    }

private:
    [[noreturn]] void fail(const std::string& why) const {
        throw ConfigError("external data: " + name_ + ": " + why);
    }
    [[nodiscard]] bool leads_elsewhere(const std::filesystem::path& part) const {
        struct stat status {};
        return fstatat(file_, part.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
               S_ISLNK(status.st_mode);
    }

    std::string name_;
    int file_;
    struct stat status_ {};
};

std::string external_bytes(const onnx::TensorProto& proto, const std::string& folder,
                           std::uint64_t bytes) {
    const ExternalPlace place = place_of(proto);
    if (folder.empty()) throw ConfigError("external data: there is no folder to look in");
    const std::filesystem::path path = std::filesystem::path(folder) / place.location;
    const FileBelow file(folder, place.location);
    const std::uint64_t size = file.size();
    if ((place.length != 0 && place.length != bytes) || place.offset > size ||
        size - place.offset < bytes) {
        throw ConfigError("external data: " + in_quotes(path.string()) + ": got " +
                          std::to_string(place.length != 0     ? place.length
                                         : place.offset > size ? 0
                                                               : size - place.offset) +
                          " bytes from " + std::to_string(place.offset) + " on, expected " +
                          std::to_string(bytes) + " (the file has " + std::to_string(size) + ")");
    }
    std::string data(bytes, '\0');
    file.read(place.offset, data);
    return data;
}

template <class Stored, class To, class Convert>
void unpack(std::string_view bytes, std::vector<To>& to, const Convert& convert) {
    to.resize(bytes.size() / sizeof(Stored));
    for (std::size_t i = 0; i < to.size(); ++i) {
        Stored stored;
        std::memcpy(&stored, bytes.data() + i * sizeof stored, sizeof stored);
        to[i] = convert(stored);
    }
}

void unpack(std::string_view bytes, Tensor& tensor) {
    const auto same = [](auto x) { return x; };
    switch (tensor.type.type) {
        case ElementType::kFloat:
            unpack<float>(bytes, tensor.reals, same);
            return;
        case ElementType::kHalf:
            unpack<HalfBits>(bytes, tensor.reals, half_to_float);
            return;
        case ElementType::kBf16:
            unpack<HalfBits>(bytes, tensor.reals,
                             [](HalfBits bits) { return to_float(bits, Float16::kBf16); });
            return;
        case ElementType::kInt64:
            unpack<std::int64_t>(bytes, tensor.integers, same);
            return;
        case ElementType::kInt32:
            unpack<std::int32_t>(bytes, tensor.integers, same);
            return;
        case ElementType::kInt8:
            unpack<std::uint8_t>(bytes, tensor.integers, same);
            tensor.round_to_type();
            return;
        case ElementType::kUint8:
            unpack<std::uint8_t>(bytes, tensor.integers, same);
            return;
        case ElementType::kBool:
            unpack<std::uint8_t>(bytes, tensor.integers, [](std::uint8_t x) { return x != 0; });
            return;
    }
}

void expect_values(std::size_t got, std::size_t expected, const char* what) {
    if (got == expected) return;
    throw ConfigError("got " + std::to_string(got) + " " + what + ", expected " +
                      std::to_string(expected));
}

/// Throws for a value beyond its type: a field of integers of 32 bits holds those of 8, too.
void expect_bytes(const Tensor& tensor) {
    Tensor truncated = tensor;
    truncated.round_to_type();
    const auto [wrong, kept] =
        std::mismatch(tensor.integers.begin(), tensor.integers.end(), truncated.integers.begin());
    if (wrong == tensor.integers.end()) return;
    throw ConfigError("got value " + std::to_string(*wrong) + ", expected one of " +
                      std::string(name_of(tensor.type.type)));
}

/// Copies the values from the field that ONNX defines for the type.
void copy_fields(const onnx::TensorProto& proto, Tensor& tensor, std::size_t elements) {
    switch (tensor.type.type) {
        case ElementType::kFloat:
            expect_values(static_cast<std::size_t>(proto.float_data_size()), elements, "values");
            tensor.reals.assign(proto.float_data().begin(), proto.float_data().end());
            return;
        case ElementType::kHalf:
        case ElementType::kBf16:
            expect_values(static_cast<std::size_t>(proto.int32_data_size()), elements, "values");
            for (const std::int32_t bits : proto.int32_data()) {
                tensor.reals.push_back(
                    to_float(static_cast<HalfBits>(bits), format_of(tensor.type.type)));
            }
            return;
        case ElementType::kInt64:
            expect_values(static_cast<std::size_t>(proto.int64_data_size()), elements, "values");
            tensor.integers.assign(proto.int64_data().begin(), proto.int64_data().end());
            return;
        case ElementType::kInt32:
        case ElementType::kInt8:
        case ElementType::kUint8:
        case ElementType::kBool:
            expect_values(static_cast<std::size_t>(proto.int32_data_size()), elements, "values");
            for (const std::int32_t value : proto.int32_data()) {
                tensor.integers.push_back(tensor.type.type == ElementType::kBool ? value != 0
                                                                                 : value);
            }
            if (is_byte(tensor.type.type)) expect_bytes(tensor);
            return;
    }
}

}  // namespace

ElementType element_type_of(std::int32_t number) {
    switch (number) {
        case onnx::TensorProto::FLOAT:
            return ElementType::kFloat;
        case onnx::TensorProto::FLOAT16:
            return ElementType::kHalf;
        case onnx::TensorProto::BFLOAT16:
            return ElementType::kBf16;
        case onnx::TensorProto::INT64:
            return ElementType::kInt64;
        case onnx::TensorProto::INT32:
            return ElementType::kInt32;
        case onnx::TensorProto::INT8:
            return ElementType::kInt8;
        case onnx::TensorProto::UINT8:
            return ElementType::kUint8;
        case onnx::TensorProto::BOOL:
            return ElementType::kBool;
        default:
            break;
    }
    const bool known = onnx::TensorProto::DataType_IsValid(number);
    throw ConfigError(
        "got elements of type " +
        (known ? onnx::TensorProto::DataType_Name(static_cast<onnx::TensorProto::DataType>(number))
               : std::to_string(number)) +
        ", expected one of {FLOAT, FLOAT16, BFLOAT16, INT64, INT32, INT8, UINT8, BOOL}");
}

Tensor tensor_of(const onnx::TensorProto& proto, const std::string& folder) {
    Tensor tensor;
    tensor.type.type = element_type_of(proto.data_type());
    tensor.type.shape.assign(proto.dims().begin(), proto.dims().end());
    const std::size_t elements = tensor.type.elements();
    const std::size_t bytes = elements * network::bytes_of(tensor.type.type);
    if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
        unpack(external_bytes(proto, folder, bytes), tensor);
    } else if (proto.has_raw_data()) {
        expect_values(proto.raw_data().size(), bytes, "bytes");
        unpack(proto.raw_data(), tensor);
    } else {
        copy_fields(proto, tensor, elements);
    }
    return tensor;
}

std::string bytes_of_file(const std::string& path) {
    try {
        const InputFile file(path);
        std::string bytes;
        constexpr std::size_t kStep = 1U << 22U;
        for (;;) {
            const std::size_t had = bytes.size();
            bytes.resize(had + kStep);
            const std::size_t got = file.read(&bytes[had], kStep);
            bytes.resize(had + got);
            if (got == 0) return bytes;
        }
    } catch (const ConfigError& error) {
        throw ConfigError(path + ": cannot read it: " + error.what());
    }
}

}  // namespace tessera::network
