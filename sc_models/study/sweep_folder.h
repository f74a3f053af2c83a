// The folder of a sweep, which one process at a time works in.
#pragma once

#include <filesystem>
#include <string>

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
    /// holds something else, or another sweep is at work in it.
    SweepFolder(const std::filesystem::path& folder, const std::string& name);
    SweepFolder(SweepFolder&& other) noexcept;
    SweepFolder& operator=(SweepFolder&&) = delete;
    SweepFolder(const SweepFolder&) = delete;
    SweepFolder& operator=(const SweepFolder&) = delete;
    ~SweepFolder();

    /// Absolute.
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// Removes it again if it was made here, and those above it that were, as nothing came of the
    /// sweep.
    void give_up();

private:
    std::filesystem::path path_;
    std::filesystem::path first_made_;  ///< it, or one above; empty: it was there
    int lock_ = -1;
};

}  // namespace tessera
