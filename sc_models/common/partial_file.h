// File that gets its final name only when complete.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

namespace tessera {

/// Whether a file is on disk before it gets its name. Files that are not need sync_folder().
enum class SyncFile : std::uint8_t { kNow, kLater };

/// Creates an empty file named `stem`.part, or with a number before .part if that name is taken:
/// existing files and targets of links are never opened. Returns its name; throws ConfigError with
/// the system's reason.
[[nodiscard]] std::filesystem::path make_fresh_part(const std::filesystem::path& stem);

/// Writes a new file beside `target` (make_fresh_part) through a buffer and renames it on commit,
/// after syncing it to disk. An uncommitted file is removed.
class PartialFile {
public:
    /// Throws FileError with the system's reason if the file cannot be created, or if `target`
    /// exists and is not a regular file.
    explicit PartialFile(std::filesystem::path target);
    ~PartialFile();
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;

    [[nodiscard]] const std::filesystem::path& target() const { return target_; }
    /// The file before its commit. External writers may replace it under this name.
    [[nodiscard]] const std::filesystem::path& partial() const { return partial_; }

    /// Writes text. The first error is stored for commit(), and later writes are ignored.
    void write(std::string_view text);
    /// Throws FileError with the system's reason if a write failed.
    void commit(SyncFile sync = SyncFile::kNow);

private:
    struct CloseFile {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::filesystem::path target_, partial_;
    std::unique_ptr<std::FILE, CloseFile> out_;
    int error_ = 0;
    bool committed_ = false;
};

}  // namespace tessera
