#include "sc_models/golden/golden_call.h"

#include <array>
#include <cstdio>

namespace tessera {
namespace {

constexpr std::size_t kMostCharacters = 512;
thread_local std::array<char, kMostCharacters> message{};

}  // namespace

void set_golden_message(const char* function, const char* text) noexcept {
    std::snprintf(message.data(), message.size(), "%s: %s", function, text);
}

const char* golden_message() noexcept {
    return message.data();
}

}  // namespace tessera

uint32_t tessera_golden_abi(void) {
    return TESSERA_GOLDEN_ABI;
}

const char* tessera_golden_message(void) {
    return tessera::golden_message();
}
