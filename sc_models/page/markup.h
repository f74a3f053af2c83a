// Escaping and formatting of HTML and SVG text.
#pragma once

#include <fmt/format.h>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tessera {

/// Replaces the characters that HTML and SVG reserve.
[[nodiscard]] std::string markup_escaped(std::string_view content);

/// Text that is markup already.
struct Markup {
    std::string text;
};

namespace detail {
template <class Argument>
decltype(auto) as_markup(const Argument& argument) {
    if constexpr (std::is_same_v<Argument, Markup>) {
        return (argument.text);
    } else if constexpr (std::is_convertible_v<const Argument&, std::string_view>) {
        return markup_escaped(argument);
    } else {
        static_assert(std::is_arithmetic_v<Argument>);
        return argument;
    }
}
}  // namespace detail

/// Formats markup. Text arguments are escaped, except those of type Markup.
template <class... Arguments>
[[nodiscard]] std::string markup(std::string_view format, const Arguments&... arguments) {
    return fmt::format(fmt::runtime(format), detail::as_markup(arguments)...);
}

/// JSON made safe for a script element: without "</" and "<!--".
[[nodiscard]] std::string script_safe(std::string json);

/// Bytes in base64, readable by atob().
[[nodiscard]] std::string base64(const std::vector<std::uint8_t>& bytes);

}  // namespace tessera
