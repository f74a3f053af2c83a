#include "sc_models/trace/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

class FileSource final : public ByteSource {
public:
    explicit FileSource(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        struct stat status {};
        int error = 0;
        if (file_ < 0 || fstat(file_, &status) != 0) {
            error = errno;
        } else if (S_ISDIR(status.st_mode)) {
            error = EISDIR;
        }
        if (error == 0) return;
        if (file_ >= 0) close(file_);
        throw ConfigError(fmt::format("cannot read {}: {}", path, std::strerror(error)));
    }
    ~FileSource() override { close(file_); }
    FileSource(const FileSource&) = delete;
    FileSource& operator=(const FileSource&) = delete;

    std::size_t read(char* out, std::size_t capacity) override {
        for (;;) {
            const ssize_t got = ::read(file_, out, capacity);
            if (got >= 0) return static_cast<std::size_t>(got);
            if (errno != EINTR) {
                throw ConfigError(fmt::format("cannot read on: {}", std::strerror(errno)));
            }
        }
    }

private:
    int file_;
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
