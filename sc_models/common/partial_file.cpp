#include "sc_models/common/partial_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <utility>

#include "sc_models/common/error_kinds.h"

namespace tessera {
namespace {

[[noreturn]] void fail(const std::filesystem::path& target, const char* reason) {
    throw FileError(fmt::format("cannot write {}: {}", target.string(), reason));
}

/// Syncs a file to disk; returns 0 or the error number.
int sync(const std::filesystem::path& file) {
    const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return errno;
    const int error = fsync(descriptor) == 0 ? 0 : errno;
    close(descriptor);
    return error;
}

/// Creates and opens a new file and sets `part` to its name. Returns -1 with errno if that fails.
int open_fresh_part(const std::filesystem::path& stem, std::filesystem::path& part) {
    // Each crash may leave one file.
    constexpr int kMostNames = 10000;
    for (int i = 0; i < kMostNames; ++i) {
        part = stem;
        part += i == 0 ? ".part" : fmt::format(".{}.part", i);
        const int file =
            open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

}  // namespace

std::filesystem::path make_fresh_part(const std::filesystem::path& stem) {
    std::filesystem::path part;
    const int file = open_fresh_part(stem, part);
    if (file < 0) fail(stem, std::strerror(errno));
    close(file);
    return part;
}

PartialFile::PartialFile(std::filesystem::path target) : target_(std::move(target)) {
    std::error_code ignored;
    if (std::filesystem::exists(target_, ignored) &&
        !std::filesystem::is_regular_file(target_, ignored)) {
        fail(target_, "not a regular file");
    }
    const int file = open_fresh_part(target_, partial_);
    if (file < 0) fail(target_, std::strerror(errno));
    out_.reset(fdopen(file, "w"));
    if (!out_) fail(target_, std::strerror(errno));
}

PartialFile::~PartialFile() {
    if (!committed_) unlink(partial_.c_str());
}

void PartialFile::write(std::string_view text) {
    if (error_ != 0) return;
    if (std::fwrite(text.data(), 1, text.size(), out_.get()) != text.size()) error_ = errno;
}

void PartialFile::commit(SyncFile when) {
    if (std::fclose(out_.release()) != 0 && error_ == 0) error_ = errno;
    if (error_ == 0 && when == SyncFile::kNow) error_ = sync(partial_);
    if (error_ == 0 && rename(partial_.c_str(), target_.c_str()) != 0) error_ = errno;
    if (error_ != 0) fail(target_, std::strerror(error_));
    committed_ = true;
}

}  // namespace tessera
