#include "sc_models/observe/vcd_merge.h"

#include <fmt/format.h>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>

#include "sc_models/common/error.h"
#include "sc_models/observe/partial_file.h"

namespace tessera {
namespace {

constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();

/// Reads one dump in step with the others. Identifier codes get a letter of the dump in front, so
/// that those of different dumps differ.
class DumpReader {
public:
    DumpReader(const std::string& file, char letter) : name_(file), in_(file), letter_(letter) {}

    /// The declarations, codes renamed, without version and timescale.
    [[nodiscard]] std::string header() {
        std::string text;
        std::string line;
        while (std::getline(in_, line)) {
            if (line.find("$enddefinitions") != std::string::npos) {
                find_time();
                return text;
            }
            const std::size_t begin = line.find_first_not_of(' ');
            if (begin == std::string::npos) continue;
            const std::string_view word = std::string_view(line).substr(begin);
            if (word.rfind("$var", 0) == 0) {
                text += renamed_variable(line);
            } else if (word.rfind("$scope", 0) == 0 || word.rfind("$upscope", 0) == 0) {
                text += line + '\n';
            }
        }
        if (std::filesystem::exists(name_) && std::filesystem::file_size(name_) > 0) {
            throw CheckError(fmt::format("{}: no $enddefinitions, this is no whole dump", name_));
        }
        return text;
    }
    [[nodiscard]] std::uint64_t time() const { return time_; }
    /// Writes the changes of this time and goes to the next.
    void copy(PartialFile& out) {
        std::string line;
        while (std::getline(in_, line)) {
            if (line.empty() || line[0] == '$') continue;
            if (line[0] == '#') {
                set_time(line);
                return;
            }
            const std::size_t space = line[0] == 'b' || line[0] == 'r' ? line.rfind(' ') : 0;
            line.insert(space + 1, 1, letter_);
            line += '\n';
            out.write(line);
        }
        time_ = kEnd;
    }

private:
    void find_time() {
        std::string line;
        while (std::getline(in_, line)) {
            if (!line.empty() && line[0] == '#') {
                set_time(line);
                return;
            }
        }
    }
    void set_time(const std::string& line) {
        const char* end = line.data() + line.size();
        if (std::from_chars(line.data() + 1, end, time_).ec != std::errc()) {
            throw CheckError(fmt::format("{}: got '{}', expected a time", name_, line));
        }
    }
    /// "$var wire 8 code name [7:0] $end" with the letter before the code.
    [[nodiscard]] std::string renamed_variable(const std::string& line) const {
        std::istringstream words(line);
        std::string var, type, width, code, rest;
        words >> var >> type >> width >> code;
        std::getline(words, rest);
        return fmt::format("{} {} {} {}{}{}\n", var, type, width, letter_, code, rest);
    }

    std::string name_;
    std::ifstream in_;
    char letter_;
    std::uint64_t time_ = kEnd;
};

/// The declarations of a dump, inside the scopes of `scope` but for its first, which is open.
std::string nested(const std::string& scope, const std::string& header) {
    std::string before, after;
    std::istringstream parts(scope);
    std::string part;
    std::getline(parts, part, '.');
    while (std::getline(parts, part, '.')) {
        before += fmt::format("$scope module {} $end\n", part);
        after += "$upscope $end\n";
    }
    return before + header + after;
}

}  // namespace

void merge_vcd(const std::string& file, const std::vector<VcdDump>& dumps) {
    std::vector<std::unique_ptr<DumpReader>> readers;
    char letter = 'A';
    readers.push_back(std::make_unique<DumpReader>(file, letter));
    std::string declarations = readers.back()->header();
    // All of the first file's scopes lie in one, which stays open for the others.
    const std::size_t last = declarations.rfind("$upscope");
    if (last == std::string::npos) throw CheckError(fmt::format("{}: no scope in this dump", file));
    declarations.resize(last);
    for (const VcdDump& dump : dumps) {
        if (++letter > '~') throw ConfigError("--wave-scope: takes in more than 60 RTL blocks");
        readers.push_back(std::make_unique<DumpReader>(dump.file, letter));
        declarations += nested(dump.scope, readers.back()->header());
    }
    PartialFile out(file);
    out.write("$version tessera $end\n$timescale 1 fs $end\n");
    out.write(declarations + "$upscope $end\n$enddefinitions $end\n");
    for (;;) {
        std::uint64_t time = kEnd;
        for (const auto& reader : readers) time = std::min(time, reader->time());
        if (time == kEnd) break;
        out.write(fmt::format("#{}\n", time));
        for (const auto& reader : readers) {
            if (reader->time() == time) reader->copy(out);
        }
    }
    out.commit();
    for (const VcdDump& dump : dumps) std::filesystem::remove(dump.file);
}

}  // namespace tessera
