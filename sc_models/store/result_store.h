// Store of results by content.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// An entry of the store.
struct StoreEntry {
    std::filesystem::path file;
    std::uintmax_t bytes = 0;
    std::filesystem::file_time_type used;  ///< when it was written or found last
};

/// Texts by key in a folder, one file each:
///
///     FOLDER/0123456789abcdef.result    named by the hash of the key
///
/// Many processes may use a folder at a time, and each may be killed: a file gets its name when it
/// is complete, and its first line holds the checksum of the rest. A damaged file counts as
/// missing. If all files exceed the limit, those that were not used for the longest time are
/// removed.
class ResultStore {
public:
    static constexpr std::uintmax_t kDefaultLimit = std::uintmax_t{2} << 30;

    explicit ResultStore(std::filesystem::path folder, std::uintmax_t limit = kDefaultLimit);

    /// The store of the user, in the folder TESSERA_CACHE of the environment ("off": none), else in
    /// XDG_CACHE_HOME/tessera, else in .cache/tessera of HOME; empty if there is none. The limit is
    /// TESSERA_CACHE_MIB. Throws ConfigError if that is no number.
    [[nodiscard]] static std::optional<ResultStore> of_user();

    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
    [[nodiscard]] std::uintmax_t limit() const { return limit_; }

    /// Text of the key. Empty if it is missing; a damaged file is removed.
    [[nodiscard]] std::optional<std::string> find(const std::string& key) const;
    /// Stores a text, in place of an earlier one of the key. `title`: one line. Throws FileError.
    void keep(const std::string& key, const std::string& title, const std::string& text) const;

    /// All entries, the last used first.
    [[nodiscard]] std::vector<StoreEntry> entries() const;
    /// Title of an entry; empty if its file is damaged.
    [[nodiscard]] static std::string title(const StoreEntry& entry);
    /// Whether the file of an entry is complete and unchanged.
    [[nodiscard]] static bool is_intact(const StoreEntry& entry);
    /// Removes all entries, and files of writers that were killed.
    void clear() const;

private:
    [[nodiscard]] std::filesystem::path file_of(const std::string& key) const;
    /// Removes entries beyond the limit, and old files of writers that were killed.
    void trim() const;

    std::filesystem::path folder_;
    std::uintmax_t limit_;
};

}  // namespace tessera
