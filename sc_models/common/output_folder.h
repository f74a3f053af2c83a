// A folder of results that one command at a time writes to.
#pragma once

#include <filesystem>
#include <string_view>

namespace tessera {

/// A folder, made if it is missing, and locked against other commands for as long as this lives.
/// The lock is flock(2)'s on `.lock`, so that of a killed process it is gone.
class OutputFolder {
public:
    /// Throws ConfigError naming `what` (an option) if the folder cannot be made or written to, or
    /// if another command has locked it.
    OutputFolder(const std::filesystem::path& folder, std::string_view what);
    OutputFolder(OutputFolder&& other) noexcept;
    OutputFolder& operator=(OutputFolder&&) = delete;
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;
    /// Removes `.lock`, and the folders that were made here if they are still empty.
    ~OutputFolder();

    /// Absolute.
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// Removes the folder and all in it if it was made here, as nothing came of the command.
    void give_up();

private:
    std::filesystem::path path_;
    std::filesystem::path first_made_;  ///< the folder or one above it; empty: all were there
    int lock_ = -1;
};

}  // namespace tessera
