// Reporting of violated conservation laws.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

/// Appends "name: left (a) is not right (b)" to `violations` unless a equals b.
inline void expect_equal(const std::string& name, const char* left, std::uint64_t a,
                         const char* right, std::uint64_t b, std::vector<std::string>& violations) {
    if (a == b) return;
    violations.push_back(name + ": " + left + " (" + std::to_string(a) + ") is not " + right +
                         " (" + std::to_string(b) + ")");
}

}  // namespace tessera
