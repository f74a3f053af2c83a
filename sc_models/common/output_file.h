// Atomic writing of files.
#pragma once

#include <filesystem>
#include <string_view>

#include "sc_models/common/partial_file.h"

namespace tessera {

/// Creates the folder and its parents. Throws FileError naming `what` if that fails or the folder
/// is not writable.
void make_output_folder(const std::filesystem::path& folder, std::string_view what);

/// Writes `content` beside `path`, syncs it to disk and renames it: after a crash, a full disk or
/// Ctrl-C the file is the old one or the new one. Throws FileError with the system's reason, or if
/// `path` exists and is not a regular file (a folder, a device).
void write_file_atomically(const std::filesystem::path& path, std::string_view content,
                           SyncFile sync = SyncFile::kNow);

/// Syncs what was written below the folder to disk. Throws FileError with the system's reason.
void sync_folder(const std::filesystem::path& folder);

}  // namespace tessera
