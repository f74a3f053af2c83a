#include "sc_models/study/sweep_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/config/config_node.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

/// Takes the lock of a sweep's folder for as long as the file is open.
int lock_folder(const fs::path& folder) {
    const fs::path path = folder / ".lock";
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0) {
        throw ConfigError(
            fmt::format("--out: cannot write {}: {}", path.string(), std::strerror(errno)));
    }
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
        close(file);
        throw ConfigError(fmt::format("--out: another sweep is at work in {}", folder.string()));
    }
    return file;
}

}  // namespace

void refuse_other_sweep(const fs::path& folder, const std::string& name) {
    if (fs::exists(folder / "result.json")) {
        throw ConfigError(fmt::format("--out: {} holds a run, expected a folder for the sweep {}",
                                      folder.string(), in_quotes(name)));
    }
    std::ifstream in(folder / kSweepPlan);
    const auto plan = nlohmann::ordered_json::parse(in, nullptr, false);
    if (!plan.is_object() || !plan.contains("experiment") || plan["experiment"] == name) return;
    throw ConfigError(fmt::format("--out: {} holds the sweep {}, expected a folder for {}",
                                  folder.string(), plan["experiment"].dump(), in_quotes(name)));
}

SweepFolder::SweepFolder(const fs::path& folder, const std::string& name)
    : path_(fs::absolute(folder).lexically_normal()) {
    if (!path_.has_filename()) path_ = path_.parent_path();  // "out/"
    for (fs::path above = path_; !fs::exists(above); above = above.parent_path()) {
        first_made_ = above;
    }
    refuse_other_sweep(path_, name);  // and leave nothing in it
    make_output_folder(path_, "--out");
    lock_ = lock_folder(path_);
    try {
        refuse_other_sweep(path_, name);  // one may have come meanwhile
    } catch (...) {
        close(lock_);
        throw;
    }
}

SweepFolder::SweepFolder(SweepFolder&& other) noexcept
    : path_(std::move(other.path_)),
      first_made_(std::move(other.first_made_)),
      lock_(std::exchange(other.lock_, -1)) {}

SweepFolder::~SweepFolder() {
    if (lock_ >= 0) close(lock_);
}

void SweepFolder::give_up() {
    if (first_made_.empty()) return;
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    for (fs::path above = path_; above != first_made_;) {
        above = above.parent_path();
        if (!fs::remove(above, ignored)) return;  // somebody else uses it
    }
}

}  // namespace tessera
