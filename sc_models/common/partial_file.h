// A file that takes its name only when it is complete.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

namespace tessera {

/// Makes a new, empty file of the name `stem`.part, or with a number before .part if there is such
/// a file: neither another file nor one that a link leads to is opened. Returns its name; throws
/// ConfigError with the system's reason.
[[nodiscard]] std::filesystem::path make_fresh_part(const std::filesystem::path& stem);

/// Writes a fresh file beside `target` (make_fresh_part) through a buffer and moves it into place
/// once it is whole and on disk. What is not committed is removed.
class PartialFile {
public:
    /// Throws FileError with the system's reason if the file cannot be made, or if `target`
    /// exists and is no regular file.
    explicit PartialFile(std::filesystem::path target);
    ~PartialFile();
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;

    [[nodiscard]] const std::filesystem::path& target() const { return target_; }
    /// The file as long as it is not committed. Who writes it by this name may replace it.
    [[nodiscard]] const std::filesystem::path& partial() const { return partial_; }

    /// The first error is kept for `commit`, and nothing is written after it.
    void write(std::string_view text);
    /// Throws FileError with the system's reason if something was not written.
    void commit();

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
