#include "sc_models/common/utf8.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace tessera {

std::size_t utf8_character_bytes(std::string_view text) {
    // For each length: the mark bits of the first byte, their mask, and the first code point.
    struct Form {
        unsigned mark;
        unsigned mask;
        std::uint32_t first;
    };
    constexpr std::array<Form, 4> kForms = {
        {{0x00, 0x80, 0}, {0xc0, 0xe0, 0x80}, {0xe0, 0xf0, 0x800}, {0xf0, 0xf8, 0x10000}}};
    constexpr unsigned kContinuation = 0x80;
    constexpr unsigned kContinuationMask = 0xc0;
    constexpr unsigned kContinuationBits = 6;
    if (text.empty()) return 0;
    const auto lead = static_cast<unsigned char>(text[0]);
    const Form* const form = std::find_if(
        kForms.begin(), kForms.end(), [lead](const Form& f) { return (lead & f.mask) == f.mark; });
    const auto following = static_cast<std::size_t>(form - kForms.begin());
    if (form == kForms.end() || text.size() <= following) return 0;
    std::uint32_t code = lead & ~form->mask;
    for (std::size_t k = 1; k <= following; ++k) {
        const auto next = static_cast<unsigned char>(text[k]);
        if ((next & kContinuationMask) != kContinuation) return 0;
        code = code << kContinuationBits | (next & ~kContinuationMask);
    }
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    if (code < form->first || surrogate || code > 0x10ffff) return 0;
    return following + 1;
}

std::size_t utf8_prefix_bytes(std::string_view text) {
    std::size_t good = 0;
    while (const std::size_t bytes = utf8_character_bytes(text.substr(good))) good += bytes;
    return good;
}

namespace {

/// Code point of the character in `bytes`, which holds nothing else.
std::uint32_t code_point(std::string_view bytes) {
    constexpr std::array<std::uint32_t, 5> kLeadBits = {0, 0x7f, 0x1f, 0x0f, 0x07};
    std::uint32_t code = static_cast<unsigned char>(bytes[0]) & kLeadBits[bytes.size()];
    for (const char next : bytes.substr(1)) {
        code = code << 6U | (static_cast<unsigned char>(next) & 0x3fU);
    }
    return code;
}

/// Whether a terminal may interpret a character instead of displaying it in place.
bool acts_on_terminal(std::uint32_t code) {
    struct Range {
        std::uint32_t first, last;
    };
    // Controls, the Arabic letter mark, marks, separators, embeddings and isolates of Unicode's
    // bidirectional algorithm (UAX #9), and tags.
    constexpr std::array<Range, 7> kActing = {{{0x00, 0x1f},
                                               {0x7f, 0x9f},
                                               {0x61c, 0x61c},
                                               {0x200e, 0x200f},
                                               {0x2028, 0x202e},
                                               {0x2066, 0x2069},
                                               {0xe0000, 0xe007f}}};
    return std::any_of(kActing.begin(), kActing.end(), [code](const Range& range) {
        return code >= range.first && code <= range.last;
    });
}

void append_hex(std::string& out, std::uint32_t number, unsigned digits) {
    static constexpr char kHex[] = "0123456789abcdef";
    for (unsigned digit = digits; digit-- > 0;) out += kHex[number >> (4 * digit) & 15U];
}

std::string shown(std::string_view text, bool keeps_lines) {
    std::string out;
    while (!text.empty()) {
        const std::size_t bytes = utf8_character_bytes(text);
        const std::string_view one = text.substr(0, std::max<std::size_t>(bytes, 1));
        text.remove_prefix(one.size());
        if (bytes == 0) {
            out += "\\x";
            append_hex(out, static_cast<unsigned char>(one[0]), 2);
            continue;
        }
        const std::uint32_t code = code_point(one);
        const bool is_line = code == '\n' || code == '\t';
        if (!acts_on_terminal(code) || (is_line && keeps_lines)) {
            out += one;
        } else if (is_line) {
            out += code == '\n' ? "\\n" : "\\t";
        } else {
            const bool is_long = code > 0xffff;
            out += is_long ? "\\U" : "\\u";
            append_hex(out, code, is_long ? 8 : 4);
        }
    }
    return out;
}

}  // namespace

std::string printable(std::string_view text) {
    return shown(text, false);
}

std::string printable_lines(std::string_view text) {
    return shown(text, true);
}

}  // namespace tessera
