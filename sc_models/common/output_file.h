// Files that are there whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>

namespace tessera {

/// Makes the folder (and its parents). Throws FileError naming `what` if that is impossible or
/// the folder cannot be written to.
void make_output_folder(const std::filesystem::path& folder, std::string_view what);

/// Writes `content` beside `path`, makes sure it is on disk, and moves it into place: after a
/// crash, a full disk or Ctrl-C the file is the old one or the new one. Throws FileError with the
/// system's reason, or if `path` is there and is no regular file (a folder, a device).
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

}  // namespace tessera
