#include "sc_models/align/recording.h"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>

namespace tessera {

std::uint32_t NameTable::number(std::string_view name) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found != names_.end()) return static_cast<std::uint32_t>(found - names_.begin());
    names_.emplace_back(name);
    return static_cast<std::uint32_t>(names_.size() - 1);
}

std::string Recording::value(std::string_view key) const {
    for (const auto& [name, text] : header) {
        if (name == key) return text;
    }
    return {};
}

std::string Recording::place(const RecordedInstruction& instruction) const {
    const std::string warp =
        instruction.cta == kNoNumber
            ? "assistant warp"
            : fmt::format("CTA {}, warp {}", instruction.cta, instruction.warp);
    return fmt::format("kernel {} ({}), {}, instruction {} ({})", instruction.kernel,
                       kernels[instruction.kernel], warp, instruction.index,
                       words.name(instruction.opcode));
}

std::string kind_of_link(std::string_view link) {
    std::string kind;
    for (const char c : link) {
        if (std::isdigit(static_cast<unsigned char>(c)) == 0) {
            kind += c;
            continue;
        }
        // "l1" and "l2" are names of levels, not numbers of instances.
        const std::size_t size = kind.size();
        const bool level =
            size > 1 && kind[size - 1] == 'l' && (kind[size - 2] == '.' || kind[size - 2] == '_');
        if (level) {
            kind += c;
        } else if (kind.empty() || kind.back() != '#') {
            kind += '#';
        }
    }
    return kind;
}

std::uint32_t value_hash(const void* data, std::size_t bytes, std::uint32_t start) {
    constexpr std::uint32_t kPrime = 0x01000193U;
    const auto* const at = static_cast<const unsigned char*>(data);
    std::uint32_t hash = start;
    for (std::size_t i = 0; i < bytes; ++i) hash = (hash ^ at[i]) * kPrime;
    return hash == 0 ? 1 : hash;
}

}  // namespace tessera
