#include "sc_models/observe/partial_file.h"

#include <fmt/format.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <utility>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

[[noreturn]] void fail(const std::filesystem::path& target, const char* reason) {
    throw ConfigError(fmt::format("cannot write {}: {}", target.string(), reason));
}

}  // namespace

PartialFile::PartialFile(std::filesystem::path target)
    : target_(std::move(target)), partial_(target_) {
    partial_ += ".part";
    std::error_code ignored;
    if (std::filesystem::exists(target_, ignored) &&
        !std::filesystem::is_regular_file(target_, ignored)) {
        fail(target_, "not a regular file");
    }
    out_.reset(std::fopen(partial_.c_str(), "we"));
    if (!out_) fail(target_, std::strerror(errno));
}

PartialFile::~PartialFile() {
    if (!committed_) unlink(partial_.c_str());
}

void PartialFile::write(std::string_view text) {
    if (error_ != 0) return;
    if (std::fwrite(text.data(), 1, text.size(), out_.get()) != text.size()) error_ = errno;
}

void PartialFile::commit() {
    if (error_ == 0 && (std::fflush(out_.get()) != 0 || fsync(fileno(out_.get())) != 0))
        error_ = errno;
    if (std::fclose(out_.release()) != 0 && error_ == 0) error_ = errno;
    if (error_ == 0 && rename(partial_.c_str(), target_.c_str()) != 0) error_ = errno;
    if (error_ != 0) fail(target_, std::strerror(error_));
    committed_ = true;
}

}  // namespace tessera
