#include "sc_models/observe/dump_merge.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>
#include <unordered_map>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();

/// Reader of one dump, advanced in step with the others.
class DumpReader {
public:
    explicit DumpReader(const std::string& file) : name_(file), in_(file) {}

    /// Adds the dump's declarations to `top`; numbers its variables from `next`, which is advanced
    /// past them.
    void read_declarations(WaveScope& top, WaveVariable& next) {
        std::vector<WaveScope*> open = {&top};
        std::string line;
        while (std::getline(in_, line)) {
            std::istringstream words(line);
            std::string word, kind, name;
            words >> word;
            if (word == "$enddefinitions") {
                skip_to_time();
                return;
            }
            if (word == "$scope") {
                words >> kind >> name;
                open.push_back(&open.back()->inside(name));
                open.back()->kind = kind;
            } else if (word == "$upscope" && open.size() > 1) {
                open.pop_back();
            } else if (word == "$var") {
                open.back()->signals.push_back(signal(line, next));
            }
        }
        if (std::filesystem::exists(name_) && std::filesystem::file_size(name_) > 0) {
            throw CheckError(fmt::format("{}: no $enddefinitions, this is no whole dump", name_));
        }
    }
    [[nodiscard]] std::uint64_t time() const { return time_; }
    /// Writes the changes of the current time and advances to the next.
    void copy(WaveWriter& out) {
        std::string line;
        while (std::getline(in_, line)) {
            if (line.empty() || line[0] == '$') continue;
            if (line[0] == '#') {
                set_time(line);
                return;
            }
            const std::string_view text = line;
            if (text[0] == 'b') {
                const std::size_t space = text.rfind(' ');
                out.bits(variable(line.substr(space + 1)), text.substr(1, space - 1));
            } else {
                out.bits(variable(line.substr(1)), text.substr(0, 1));
            }
        }
        time_ = kEnd;
    }

private:
    void skip_to_time() {
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
    /// Parses "$var wire 8 code name [7:0] $end". A repeated code declares an alias.
    [[nodiscard]] WaveScope::Signal signal(const std::string& line, WaveVariable& next) {
        std::istringstream words(line);
        std::string var, type, code, name, part;
        WaveScope::Signal signal;
        words >> var >> type >> signal.width_bits >> code >> name;
        while (words >> part && part != "$end") name += " " + part;
        if (!words || type == "real") {
            throw CheckError(fmt::format("{}: got '{}', expected a signal of bits", name_, line));
        }
        signal.name = name;
        const auto [found, is_new] = variables_.try_emplace(code, next);
        if (is_new) ++next;
        signal.variable = found->second;
        return signal;
    }
    [[nodiscard]] WaveVariable variable(const std::string& code) const {
        const auto found = variables_.find(code);
        if (found != variables_.end()) return found->second;
        throw CheckError(fmt::format("{}: no signal has the code '{}'", name_, code));
    }

    std::string name_;
    std::ifstream in_;
    std::unordered_map<std::string, WaveVariable> variables_;  ///< by code
    std::uint64_t time_ = kEnd;
};

}  // namespace

void merge_dumps(const std::vector<ValueChangeDump>& dumps, WaveWriter& writer) {
    std::vector<std::unique_ptr<DumpReader>> readers;
    WaveScope top;
    WaveVariable next = 0;
    for (const ValueChangeDump& dump : dumps) {
        readers.push_back(std::make_unique<DumpReader>(dump.file));
        readers.back()->read_declarations(dump.scope.empty() ? top : top.inside(dump.scope), next);
    }
    writer.declare(top);
    for (;;) {
        std::uint64_t time = kEnd;
        for (const auto& reader : readers) time = std::min(time, reader->time());
        if (time == kEnd) break;
        writer.time(time);
        for (const auto& reader : readers) {
            if (reader->time() == time) reader->copy(writer);
        }
    }
    writer.commit();
    for (const ValueChangeDump& dump : dumps) std::filesystem::remove(dump.file);
}

}  // namespace tessera
