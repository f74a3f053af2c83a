#include "sc_models/store/result_store.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/config/engine/config_entries.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHead = "tessera result 1 ";
constexpr const char* kExtension = ".result";
constexpr const char* kPartExtension = ".part";  ///< of PartialFile
/// A writer finishes within this time, or it was killed.
constexpr std::chrono::hours kLongestWrite{1};

/// Content of a file of the store: head and checksum, title, size of the key, key, text.
struct Content {
    std::string title, key, text;
};

std::string packed(const Content& content) {
    const std::string rest =
        fmt::format("{}\n{}\n{}{}", content.title, content.key.size(), content.key, content.text);
    return fmt::format("{}{}\n{}", kHead, fnv1a_hex(rest), rest);
}

/// Takes the line at the front of `text`; empty if there is no line's end.
std::string_view take_line(std::string_view& text) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    return line;
}

/// Empty if the file is missing or damaged.
std::optional<Content> read_content(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(in), {}};
    std::string_view rest = all;
    const std::string_view head = take_line(rest);
    if (head.substr(0, kHead.size()) != kHead || head.substr(kHead.size()) != fnv1a_hex(rest)) {
        return std::nullopt;
    }
    Content content;
    content.title = take_line(rest);
    const std::string_view size = take_line(rest);
    std::size_t key = 0;
    std::from_chars(size.data(), size.data() + size.size(), key);
    content.key = rest.substr(0, key);
    content.text = rest.substr(std::min(key, rest.size()));
    return content;
}

std::string title_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::string head;
    std::string title;
    std::getline(in, head);
    std::getline(in, title);
    return head.rfind(kHead, 0) == 0 ? title : "";
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::uintmax_t limit_of_user() {
    const std::string text = environment("TESSERA_CACHE_MIB");
    if (text.empty()) return ResultStore::kDefaultLimit;
    constexpr std::uintmax_t kMostMib = std::uintmax_t{1} << 30;
    std::uintmax_t mib = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mib);
    if (error != std::errc() || end != text.data() + text.size() || mib < 1 || mib > kMostMib) {
        throw ConfigError(fmt::format(
            "TESSERA_CACHE_MIB: got '{}', expected an integer from 1 to {}", text, kMostMib));
    }
    return mib << 20;
}

/// Files of the folder with this extension; none if the folder cannot be read.
std::vector<fs::path> files_in(const fs::path& folder, std::string_view extension) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        if (it->path().extension() == extension) files.push_back(it->path());
    }
    return files;
}

}  // namespace

ResultStore::ResultStore(fs::path folder, std::uintmax_t limit)
    : folder_(std::move(folder)), limit_(limit) {}

std::optional<ResultStore> ResultStore::of_user() {
    const std::string chosen = environment("TESSERA_CACHE");
    if (chosen == "off") return std::nullopt;
    if (!chosen.empty()) return ResultStore(fs::absolute(chosen), limit_of_user());
    // The base directory specification of freedesktop.org ignores relative paths.
    if (const fs::path base = environment("XDG_CACHE_HOME"); base.is_absolute()) {
        return ResultStore(base / "tessera", limit_of_user());
    }
    const fs::path home = environment("HOME");
    if (!home.is_absolute()) return std::nullopt;
    return ResultStore(home / ".cache" / "tessera", limit_of_user());
}

fs::path ResultStore::file_of(const std::string& key) const {
    return folder_ / (fnv1a_hex(key) + kExtension);
}

std::optional<std::string> ResultStore::find(const std::string& key) const {
    const fs::path file = file_of(key);
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return std::nullopt;
    std::optional<Content> content = read_content(file);
    if (!content) {
        fs::remove(file, ignored);
        return std::nullopt;
    }
    if (content->key != key) return std::nullopt;  // another key with the same hash
    fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
    return std::move(content->text);
}

void ResultStore::keep(const std::string& key, const std::string& title,
                       const std::string& text) const {
    make_output_folder(folder_, "TESSERA_CACHE");
    write_file_atomically(file_of(key), packed({title, key, text}));
    trim();
}

std::vector<StoreEntry> ResultStore::entries() const {
    std::vector<StoreEntry> all;
    for (const fs::path& file : files_in(folder_, kExtension)) {
        std::error_code error;  // another process may remove the file at any time
        StoreEntry entry;
        entry.file = file;
        entry.bytes = fs::file_size(file, error);
        if (error) continue;
        entry.used = fs::last_write_time(file, error);
        if (error) continue;
        all.push_back(std::move(entry));
    }
    std::sort(all.begin(), all.end(), [](const StoreEntry& a, const StoreEntry& b) {
        return std::pair(b.used, a.file) < std::pair(a.used, b.file);
    });
    return all;
}

std::string ResultStore::title(const StoreEntry& entry) {
    return title_of(entry.file);
}

bool ResultStore::is_intact(const StoreEntry& entry) {
    return read_content(entry.file).has_value();
}

void ResultStore::clear() const {
    std::error_code ignored;
    for (const char* extension : {kExtension, kPartExtension}) {
        for (const fs::path& file : files_in(folder_, extension)) fs::remove(file, ignored);
    }
}

void ResultStore::trim() const {
    std::error_code ignored;
    std::uintmax_t bytes = 0;
    for (const StoreEntry& entry : entries()) {
        bytes += entry.bytes;
        if (bytes > limit_) fs::remove(entry.file, ignored);
    }
    const auto old = fs::file_time_type::clock::now() - kLongestWrite;
    for (const fs::path& part : files_in(folder_, kPartExtension)) {
        if (fs::last_write_time(part, ignored) < old) fs::remove(part, ignored);
    }
}

}  // namespace tessera
