#include "sc_models/common/input_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

#include "sc_models/common/error.h"
#include "sc_models/common/interrupt.h"

namespace tessera {
namespace {

constexpr std::size_t kBufferBytes = 1 << 16;

[[noreturn]] void fail(int error) {
    throw ConfigError(std::strerror(error));
}

}  // namespace

InputFile::InputFile(const std::string& path)
    // Opening a pipe does not block for its writer; wait() does.
    : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (file_ < 0) fail(errno);
    struct stat status {};
    int error = 0;
    if (fstat(file_, &status) != 0) {
        error = errno;
    } else if (S_ISDIR(status.st_mode)) {
        error = EISDIR;
    }
    if (error == 0) return;
    close(file_);
    fail(error);
}

InputFile::~InputFile() {
    close(file_);
}

/// Blocks until bytes, the end or an error are available.
void InputFile::wait() const {
    // A signal just before poll() does not end it, so poll() has a timeout to recheck the flag.
    constexpr int kMilliseconds = 100;
    for (;;) {
        stop_if_interrupted();
        pollfd waited{file_, POLLIN, 0};
        const int ready = poll(&waited, 1, kMilliseconds);
        if (ready > 0) return;
        if (ready < 0 && errno != EINTR) fail(errno);
    }
}

std::size_t InputFile::read(char* out, std::size_t capacity) const {
    for (;;) {
        wait();
        const ssize_t got = ::read(file_, out, capacity);
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR && errno != EAGAIN) fail(errno);
    }
}

InputFileBuffer::InputFileBuffer(const std::string& path) : file_(path), buffer_(kBufferBytes) {}

InputFileBuffer::int_type InputFileBuffer::underflow() {
    const std::size_t got = file_.read(buffer_.data(), buffer_.size());
    setg(buffer_.data(), buffer_.data(), buffer_.data() + got);
    return got == 0 ? traits_type::eof() : traits_type::to_int_type(buffer_.front());
}

}  // namespace tessera
