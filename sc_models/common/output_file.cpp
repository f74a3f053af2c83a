#include "sc_models/common/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
    throw ConfigError(fmt::format("cannot write {}: {}", path.string(), std::strerror(error)));
}

}  // namespace

void make_output_folder(const std::filesystem::path& folder, std::string_view what) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
        throw ConfigError(
            fmt::format("{}: cannot make folder {}: {}", what, folder.string(), error.message()));
    }
    if (access(folder.c_str(), W_OK | X_OK) != 0) {
        throw ConfigError(fmt::format("{}: cannot write to folder {}: {}", what, folder.string(),
                                      std::strerror(errno)));
    }
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
    std::filesystem::path partial = path;
    partial += ".part";
    const int file = open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) fail(path, errno);
    int error = 0;
    for (std::string_view rest = content; !rest.empty() && error == 0;) {
        const ssize_t written = write(file, rest.data(), rest.size());
        if (written >= 0) {
            rest.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno != EINTR) {
            error = errno;
        }
    }
    if (error == 0 && fsync(file) != 0) error = errno;
    if (close(file) != 0 && error == 0) error = errno;
    if (error == 0 && rename(partial.c_str(), path.c_str()) != 0) error = errno;
    if (error != 0) {
        unlink(partial.c_str());
        fail(path, error);
    }
}

}  // namespace tessera
