// Requirements on every refusal of damaged input.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>

namespace tessera::fuzz {

/// Reports the fuzzer's current input as one that breaks something.
inline void require(bool condition, std::string_view what) {
    if (condition) return;
    std::fprintf(stderr, "broken: %.*s\n", static_cast<int>(what.size()), what.data());
    std::abort();
}

/// One line that starts with one of `sources`.
inline void require_located(const std::string& message,
                            std::initializer_list<std::string_view> sources) {
    require(message.find('\n') == std::string::npos, message);
    for (const std::string_view source : sources) {
        if (message.compare(0, source.size(), source) == 0) return;
    }
    require(false, message);
}

}  // namespace tessera::fuzz
