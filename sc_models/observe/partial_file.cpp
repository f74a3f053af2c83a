#include "sc_models/observe/partial_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

/// Appends a block and takes it away again; 0, or the reason why the disk does not take it.
int probe(int file, off_t size) {
    constexpr std::array<char, 1 << 16> kBlock{};
    const ssize_t written = pwrite(file, kBlock.data(), kBlock.size(), size);
    const int error = written < 0 ? errno : 0;
    if (ftruncate(file, size) != 0) return errno;
    if (error != 0) return error;
    return written < static_cast<ssize_t>(kBlock.size()) ? ENOSPC : 0;
}

/// 0, or why a text file just written cannot be trusted.
int check_and_sync(int file) {
    const off_t size = lseek(file, 0, SEEK_END);
    if (size < 0) return errno;
    if (const int error = probe(file, size)) return error;
    char last = 0;
    if (size == 0 || pread(file, &last, 1, size - 1) != 1 || last != '\n') return EIO;
    return fsync(file) == 0 ? 0 : errno;
}

}  // namespace

PartialFile::PartialFile(std::filesystem::path target, std::string_view suffix)
    : target_(std::move(target)), partial_(target_) {
    partial_ += suffix;
    std::error_code ignored;
    const auto kind = std::filesystem::status(target_, ignored).type();
    if (kind != std::filesystem::file_type::not_found &&
        kind != std::filesystem::file_type::regular && kind != std::filesystem::file_type::none) {
        throw ConfigError(fmt::format("cannot write {}: not a regular file", target_.string()));
    }
    const int file = open(partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) {
        throw ConfigError(
            fmt::format("cannot write {}: {}", target_.string(), std::strerror(errno)));
    }
    close(file);
}

PartialFile::~PartialFile() {
    if (!committed_) unlink(partial_.c_str());
}

void PartialFile::commit() {
    const int file = open(partial_.c_str(), O_RDWR | O_CLOEXEC);
    int error = file < 0 ? errno : check_and_sync(file);
    if (file >= 0 && close(file) != 0 && error == 0) error = errno;
    if (error == 0 && rename(partial_.c_str(), target_.c_str()) != 0) error = errno;
    if (error != 0) {
        throw ConfigError(
            fmt::format("cannot write {}: {}", target_.string(), std::strerror(error)));
    }
    committed_ = true;
}

}  // namespace tessera
