#include "sc_models/common/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "sc_models/common/error_kinds.h"

namespace tessera {
void make_output_folder(const std::filesystem::path& folder, std::string_view what) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
        throw FileError(
            fmt::format("{}: cannot make folder {}: {}", what, folder.string(), error.message()));
    }
    if (access(folder.c_str(), W_OK | X_OK) != 0) {
        throw FileError(fmt::format("{}: cannot write to folder {}: {}", what, folder.string(),
                                    std::strerror(errno)));
    }
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content,
                           SyncFile sync) {
    PartialFile file(path);
    file.write(content);
    file.commit(sync);
}

void sync_folder(const std::filesystem::path& folder) {
    const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // syncfs() writes all of the file system: one call is faster than one for each file.
    const int error = descriptor >= 0 && syncfs(descriptor) == 0 ? 0 : errno;
    if (descriptor >= 0) close(descriptor);
    if (error != 0) {
        throw FileError(fmt::format("cannot write {}: {}", folder.string(), std::strerror(error)));
    }
}

}  // namespace tessera
