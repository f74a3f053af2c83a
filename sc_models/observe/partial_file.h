// A file written over the whole run that takes its name only when it is complete.
#pragma once

#include <filesystem>
#include <string_view>

namespace tessera {

/// Claims `target` before the run: makes `target` + `suffix`, which the caller writes by name, and
/// moves it into place once it is whole and on disk. What is not committed is removed.
class PartialFile {
public:
    /// Throws ConfigError with the system's reason if the file cannot be made, or if `target`
    /// exists and is no regular file.
    PartialFile(std::filesystem::path target, std::string_view suffix);
    ~PartialFile();
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;

    [[nodiscard]] const std::filesystem::path& target() const { return target_; }
    /// Where to write until `commit`.
    [[nodiscard]] const std::filesystem::path& partial() const { return partial_; }

    /// Throws ConfigError, and removes the file, if it does not end in a whole line or the disk
    /// does not take more: a writer that does not look at errors has then lost something.
    void commit();

private:
    std::filesystem::path target_, partial_;
    bool committed_ = false;
};

}  // namespace tessera
