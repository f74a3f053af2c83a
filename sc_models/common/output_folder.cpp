#include "sc_models/common/output_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

fs::path lock_of(const fs::path& folder) {
    return folder / ".lock";
}

/// Whether the open file still has its name; the previous lock holder may have removed it.
bool has_name(int file, const fs::path& path) {
    struct stat by_number {};
    struct stat by_name {};
    return fstat(file, &by_number) == 0 && lstat(path.c_str(), &by_name) == 0 &&
           by_number.st_dev == by_name.st_dev && by_number.st_ino == by_name.st_ino;
}

/// Takes the lock, which lasts as long as the file is open.
int lock_folder(const fs::path& folder, std::string_view what) {
    const fs::path path = lock_of(folder);
    for (;;) {
        const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
        if (file < 0 && errno == ENOENT) {  // the command that created the folder was refused and
                                            // removed it
            make_output_folder(folder, what);
            continue;
        }
        if (file < 0) {
            throw ConfigError(
                fmt::format("{}: cannot write {}: {}", what, path.string(), std::strerror(errno)));
        }
        // File systems without locks are used unlocked.
        if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            close(file);
            throw ConfigError(
                fmt::format("{}: another command is at work in {}", what, folder.string()));
        }
        if (has_name(file, path)) return file;
        close(file);
    }
}

}  // namespace

OutputFolder::OutputFolder(const fs::path& folder, std::string_view what)
    : path_(fs::absolute(folder).lexically_normal()) {
    if (!path_.has_filename()) path_ = path_.parent_path();  // "out/"
    for (fs::path above = path_; !fs::exists(above); above = above.parent_path()) {
        first_made_ = above;
    }
    make_output_folder(path_, what);
    lock_ = lock_folder(path_, what);
}

OutputFolder::OutputFolder(OutputFolder&& other) noexcept
    : path_(std::move(other.path_)),
      first_made_(std::move(other.first_made_)),
      lock_(std::exchange(other.lock_, -1)) {}

OutputFolder::~OutputFolder() {
    if (lock_ < 0) return;
    unlink(lock_of(path_).c_str());
    close(lock_);
    if (first_made_.empty()) return;
    // Non-empty folders stay, and so do their parents.
    for (fs::path folder = path_; rmdir(folder.c_str()) == 0 && folder != first_made_;) {
        folder = folder.parent_path();
    }
}

void OutputFolder::give_up() {
    if (first_made_.empty()) return;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(path_, ignored)) {
        if (entry.path() != lock_of(path_)) fs::remove_all(entry.path(), ignored);
    }
}

}  // namespace tessera
