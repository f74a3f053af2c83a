#include "sc_models/page/markup.h"

#include <algorithm>

namespace tessera {

std::string markup_escaped(std::string_view content) {
    std::string escaped;
    for (const char c : content) {
        switch (c) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            case '\'':
                escaped += "&#39;";
                break;
            default:
                escaped += c;
        }
    }
    return escaped;
}

std::string script_safe(std::string json) {
    // Escape the slash of "</"; it occurs only within JSON strings, where this is allowed.
    for (std::size_t at = 0; (at = json.find("</", at)) != std::string::npos; at += 3) {
        json.insert(at + 1, 1, '\\');
    }
    // Escape "<!--", which changes the parsing of a script element.
    for (std::size_t at = 0; (at = json.find("<!--", at)) != std::string::npos; at += 4) {
        json.replace(at, 1, "\\u003c");
    }
    return json;
}

std::string base64(const std::vector<std::uint8_t>& bytes) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t here = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = std::uint32_t{bytes[i]} << 16U;
        if (here > 1) group |= std::uint32_t{bytes[i + 1]} << 8U;
        if (here > 2) group |= bytes[i + 2];
        for (std::size_t digit = 0; digit < 4; ++digit) {
            text += digit > here ? '=' : kDigits[group >> (18 - 6 * digit) & 63U];
        }
    }
    return text;
}

}  // namespace tessera
