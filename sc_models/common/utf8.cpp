#include "sc_models/common/utf8.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace tessera {

std::size_t utf8_character_bytes(std::string_view text) {
    // Of each length: the bits that mark the first byte, their mask, and the first code point.
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

std::string printable(std::string_view text) {
    static constexpr char kHex[] = "0123456789abcdef";
    std::string out;
    while (!text.empty()) {
        const std::size_t bytes = std::max<std::size_t>(utf8_character_bytes(text), 1);
        const auto byte = static_cast<unsigned char>(text[0]);
        if (bytes > 1 || (byte >= 0x20 && byte < 0x7f)) {
            out += text.substr(0, bytes);
        } else if (text[0] == '\n') {
            out += "\\n";
        } else if (text[0] == '\t') {
            out += "\\t";
        } else {
            out += "\\x";
            out += kHex[byte >> 4U];
            out += kHex[byte & 15U];
        }
        text.remove_prefix(bytes);
    }
    return out;
}

}  // namespace tessera
