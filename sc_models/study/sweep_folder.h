// The folder of a sweep, which one process at a time works in.
#pragma once

#include <filesystem>
#include <string>

#include "sc_models/common/output_folder.h"

namespace tessera {

/// What of a sweep was asked for, in its folder.
inline constexpr const char* kSweepPlan = "sweep.json";

/// Throws ConfigError naming --out if the folder holds a run or a sweep of another name: their
/// results must not mix.
void refuse_other_sweep(const std::filesystem::path& folder, const std::string& name);

/// A folder made and locked for as long as this lives. Whoever writes anything into the folder of a
/// sweep takes it first, so that a command that is refused has changed nothing of what another one
/// is at work on.
class SweepFolder {
public:
    /// For the sweep `name`. Throws ConfigError naming --out if the folder cannot be written to,
    /// holds something else, or another command is at work in it.
    SweepFolder(const std::filesystem::path& folder, const std::string& name);

    /// Absolute.
    [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
    /// Removes it again if it was made here, and those above it that were, as nothing came of the
    /// sweep.
    void give_up() { folder_.give_up(); }

private:
    OutputFolder folder_;
};

}  // namespace tessera
