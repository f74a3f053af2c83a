#include "sc_models/trace/line_memo.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr std::size_t kMostTextBytes = 8 << 20;
constexpr std::size_t kMostLines = 1 << 16;
/// Maximum number of lines per key; enough for the masks and operands of a PC that are worth
/// storing.
constexpr std::uint32_t kMostAlike = 16;

/// Key of a line: the first 8 bytes of its first column.
std::uint64_t key_of(std::string_view text) {
    const std::string_view column = text.substr(0, text.substr(0, 8).find(' '));
    std::uint64_t key = 0;
    std::memcpy(&key, column.data(), std::min<std::size_t>(column.size(), 8));
    return key;
}

}  // namespace

void LineMemo::follow(std::uint32_t found) {
    if (last_ != kNone) lines_[last_].next = found;
    last_ = found;
    expected_ = lines_[found].next;
}

bool LineMemo::search(std::string_view text, Match& out) {
    const auto first = by_key_.find(key_of(text));
    if (first == by_key_.end()) return false;
    for (std::uint32_t i = first->second; i != kNone; i = lines_[i].same_key) {
        if (i == expected_ || !matches(lines_[i], text, out)) continue;
        follow(i);
        return true;
    }
    return false;
}

void LineMemo::remember(std::string_view line, std::size_t base_offset, const LanePattern& lanes,
                        std::uint32_t variant) {
    if (text_bytes_ + line.size() > kMostTextBytes || lines_.size() == kMostLines) {
        *this = LineMemo();
    }
    Line entry;
    entry.variant = variant;
    entry.has_base = base_offset != 0;
    entry.head = line.size();
    entry.text = line;
    if (entry.has_base) {
        std::size_t base_end = base_offset;
        while (digit(line[base_end]) >= 0) ++base_end;
        entry.head = base_offset;
        entry.text.erase(base_offset, base_end - base_offset);
        entry.lowest_base = lanes.lowest_base;
        entry.highest_base = lanes.highest_base;
    }

    const auto [first, is_new] = by_key_.try_emplace(key_of(line), kNone);
    std::uint32_t place = kNone;
    std::uint32_t alike = 0;
    for (std::uint32_t i = first->second; i != kNone; i = lines_[i].same_key) {
        const Line& known = lines_[i];
        const bool same_head = known.has_base && entry.has_base && known.head == entry.head &&
                               known.text.compare(0, known.head, entry.text, 0, entry.head) == 0;
        if (same_head || ++alike == kMostAlike) {
            place = i;  // replaces a line whose tail has changed, or the oldest one
            break;
        }
    }
    text_bytes_ += entry.text.size();
    if (place == kNone) {
        entry.same_key = first->second;
        place = static_cast<std::uint32_t>(lines_.size());
        lines_.push_back(std::move(entry));
        first.value() = place;
    } else {
        text_bytes_ -= lines_[place].text.size();
        entry.next = lines_[place].next;
        entry.same_key = lines_[place].same_key;
        lines_[place] = std::move(entry);
    }
    follow(place);
}

}  // namespace tessera
