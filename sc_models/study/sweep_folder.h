// Folder of a sweep, locked by one process at a time.
#pragma once

#include <filesystem>
#include <string>

#include "sc_models/common/output_folder.h"

namespace tessera {

/// File name of a sweep's plan.
inline constexpr const char* kSweepPlan = "sweep.json";

/// Throws ConfigError naming --out if the folder holds a run or a sweep of another name, to keep
/// their results apart.
void refuse_other_sweep(const std::filesystem::path& folder, const std::string& name);

/// A folder that is created and locked during the lifetime of this object. Every command locks a
/// sweep's folder before it writes to it, so that a refused command changes nothing in a folder in
/// use.
class SweepFolder {
public:
    /// Locks the folder for the sweep `name`. Throws ConfigError naming --out if the folder is not
    /// writable, holds something else, or is locked by another command.
    SweepFolder(const std::filesystem::path& folder, const std::string& name);

    /// Absolute path.
    [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
    /// Removes the folder and its parents if this object created them; for sweeps without any
    /// result.
    void give_up() { folder_.give_up(); }

private:
    OutputFolder folder_;
};

}  // namespace tessera
