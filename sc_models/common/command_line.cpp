#include "sc_models/common/command_line.h"

#include <string_view>

namespace tessera {
namespace {

std::string& stored() {
    static std::string text = "(not started from a command line)";
    return text;
}

std::string quoted(std::string_view word) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@+%";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
        return std::string(word);
    }
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

}  // namespace

void set_command_line(int argc, const char* const* argv) {
    stored() = shell_quoted({argv, argv + argc});
}

const std::string& command_line() {
    return stored();
}

std::string shell_quoted(const std::vector<std::string>& argv) {
    std::string text;
    for (const std::string& word : argv) text += (text.empty() ? "" : " ") + quoted(word);
    return text;
}

}  // namespace tessera
