// Output folder with exclusive access for one command.
#pragma once

#include <filesystem>
#include <string_view>

namespace tessera {

/// A folder, created if it is missing, and locked against other commands during the lifetime of
/// this object. The lock is flock(2) on `.lock`, which ends with the process.
class OutputFolder {
public:
    /// Throws ConfigError naming `what` (an option) if the folder cannot be created or written to,
    /// or if another command has locked it.
    OutputFolder(const std::filesystem::path& folder, std::string_view what);
    OutputFolder(OutputFolder&& other) noexcept;
    OutputFolder& operator=(OutputFolder&&) = delete;
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;
    /// Removes `.lock`, and the folders created by this object if they are still empty.
    ~OutputFolder();

    /// Absolute path.
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// Removes the folder's contents if this object created it, for commands that failed; the
    /// destructor then removes the folder.
    void give_up();

private:
    std::filesystem::path path_;
    std::filesystem::path first_made_;  ///< topmost created folder; empty if all existed
    int lock_ = -1;
};

}  // namespace tessera
