// Cache of parsed instruction lines, so that most lines of a trace are compared instead of parsed.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/trace/trace_instruction.h"

namespace tessera {

/// Stores the text of lines and their variants. A stored line may vary in one base address: the
/// digits between `head` and `tail`. A lookup first tries the line that followed the previous line
/// last time, then the lines with the same first column. Bounded in size; cleared when full.
class LineMemo {
public:
    struct Match {
        std::uint32_t variant = 0;
        bool has_base = false;
        Address base = 0;
        std::size_t bytes = 0;  ///< length of the line with its '
                                ///< '
    };

    /// Whether `text` starts with a stored line.
    [[nodiscard]] bool match(std::string_view text, Match& out) {
        if (expected_ < lines_.size() && matches(lines_[expected_], text, out)) {
            last_ = expected_;
            expected_ = lines_[last_].next;
            return true;
        }
        return search(text, out);
    }

    /// Stores a line (with its '
    /// ') that match() did not find. `base_offset` is the offset of the base's digits, or 0 if the
    /// line must match throughout; `lanes` limits the possible bases.
    void remember(std::string_view line, std::size_t base_offset, const LanePattern& lanes,
                  std::uint32_t variant);

private:
    static constexpr std::uint32_t kNone = UINT32_MAX;

    struct Line {
        std::string text;  ///< head and tail, without the base
        std::size_t head = 0;
        bool has_base = false;
        Address lowest_base = 0;
        Address highest_base = 0;
        std::uint32_t variant = 0;
        std::uint32_t next = kNone;      ///< line that followed this one last time
        std::uint32_t same_key = kNone;  ///< another line with the same first column
    };

    /// Value of a hexadecimal digit, or a negative number.
    [[nodiscard]] static int digit(char c) {
        if (c >= '0' && c <= '9') return c - '0';
        if (c >= 'a' && c <= 'f') return c - 'a' + 10;
        return -1;
    }

    [[nodiscard]] static bool matches(const Line& line, std::string_view text, Match& out) {
        if (text.size() < line.text.size()) return false;
        const char* at = text.data();
        if (std::memcmp(at, line.text.data(), line.head) != 0) return false;
        out.variant = line.variant;
        out.has_base = line.has_base;
        out.bytes = line.text.size();
        if (!line.has_base) return true;
        at += line.head;
        const char* const end = text.data() + text.size();
        const char* const longest = end - at > 16 ? at + 16 : end;
        Address base = 0;
        const char* const first = at;
        for (int value = 0; at != longest && (value = digit(*at)) >= 0; ++at) {
            base = base << 4 | static_cast<Address>(value);
        }
        const std::size_t tail = line.text.size() - line.head;
        if (at == first || static_cast<std::size_t>(end - at) < tail) return false;
        if (std::memcmp(at, line.text.data() + line.head, tail) != 0) return false;
        out.base = base;
        out.bytes += static_cast<std::size_t>(at - first);
        return base >= line.lowest_base && base <= line.highest_base;
    }

    [[nodiscard]] bool search(std::string_view text, Match& out);
    void follow(std::uint32_t found);

    std::vector<Line> lines_;
    tsl::robin_map<std::uint64_t, std::uint32_t> by_key_;
    std::size_t text_bytes_ = 0;
    std::uint32_t last_ = kNone;
    std::uint32_t expected_ = kNone;
};

}  // namespace tessera
