#include "sc_models/trace/byte_source.h"

#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/common/input_file.h"
#include "sc_models/trace/line_fields.h"
#include "sc_models/trace/tracez_source.h"

namespace tessera {
namespace {

class FileSource final : public ByteSource {
public:
    explicit FileSource(const std::string& path) try : file_(path) {
    } catch (const ConfigError& error) {
        throw ConfigError(fmt::format("cannot read {}: {}", path, error.what()));
    }

    std::size_t read(char* out, std::size_t capacity) override {
        try {
            return file_.read(out, capacity);
        } catch (const ConfigError& error) {
            throw ConfigError(fmt::format("cannot read on: {}", error.what()));
        }
    }

private:
    InputFile file_;
};

class MemorySource final : public ByteSource {
public:
    explicit MemorySource(std::string bytes) : bytes_(std::move(bytes)) {}
    std::size_t read(char* out, std::size_t capacity) override {
        const std::size_t count = bytes_.copy(out, capacity, at_);
        at_ += count;
        return count;
    }

private:
    std::string bytes_;
    std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> open_byte_source(const std::string& path) {
    constexpr std::string_view kTracez = ".tracez";
    if (path.size() > kTracez.size() &&
        path.compare(path.size() - kTracez.size(), kTracez.size(), kTracez) == 0) {
        std::unique_ptr<RandomBytes> packed = open_random_bytes(path);
        try {
            return tracez_byte_source(std::move(packed));
        } catch (const ConfigError& error) {
            throw trace_error(path, 0, error.what());
        }
    }
    auto file = std::make_unique<FileSource>(path);
    constexpr std::string_view kXz = ".xz";
    if (path.size() > kXz.size() && path.compare(path.size() - kXz.size(), kXz.size(), kXz) == 0) {
        return xz_byte_source(std::move(file));
    }
    return file;
}

std::unique_ptr<ByteSource> memory_byte_source(std::string bytes) {
    return std::make_unique<MemorySource>(std::move(bytes));
}

}  // namespace tessera
